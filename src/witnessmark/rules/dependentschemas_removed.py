"""A parameter no longer brings a schema of its own."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "dependentSchemas" not in after.schema and "dependentSchemas" in before.schema:
            old, new = spot.old.schema.get("dependentSchemas", ABSENT), spot.new.schema.get("dependentSchemas", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/dependentSchemas",
                why="a parameter no longer brings a condition on the others",
                before=old,
                after=new,
            )


RULE = Rule(
    kind="dependentSchemas-removed",
    name="A parameter no longer brings a condition",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("dependentSchemas-added",),
    structural=True,
    doc=Doc(
        means="A parameter no longer brings a condition on the others.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.2.2.4 (dependentSchemas).",
    ),
)
