"""One parameter no longer demands another."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "dependentRequired" not in after.schema and "dependentRequired" in before.schema:
            old, new = spot.old.schema.get("dependentRequired", ABSENT), spot.new.schema.get("dependentRequired", ABSENT)
            yield Found(pointer=f"{spot.pointer}/dependentRequired", why="a parameter no longer demands another one", before=old, after=new)


RULE = Rule(
    kind="dependentRequired-removed",
    name="Parameters no longer depend on each other",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("dependentRequired-added",),
    structural=True,
    doc=Doc(
        means="A parameter no longer demands another one.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.5.4 (dependentRequired).",
    ),
)
