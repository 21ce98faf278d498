"""One parameter demands another now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "dependentRequired" not in before.schema and "dependentRequired" in after.schema:
            old, new = spot.old.schema.get("dependentRequired", ABSENT), spot.new.schema.get("dependentRequired", ABSENT)
            yield Found(pointer=f"{spot.pointer}/dependentRequired", why="a parameter demands another one now", before=old, after=new)


RULE = Rule(
    kind="dependentRequired-added",
    name="Parameters depend on each other",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("dependentRequired-removed",),
    structural=True,
    doc=Doc(
        means="A parameter demands another one now.",
        matters="A call that was allowed may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.5.4 (dependentRequired).",
    ),
)
