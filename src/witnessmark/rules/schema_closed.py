"""An open map became a described object."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Objects below the top that declare names for the first time."""
    for names in pair.input.names:
        spot = names.spot
        if spot.levels and spot.old.free_map and spot.old.types is not None and names.added:
            why = "the object declares names for the first time"
            yield Found(pointer=spot.pointer, why=why, before=spot.old.schema, after=spot.new.schema)


RULE = Rule(
    kind="schema-closed",
    name="An open map became a described object",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read the new names",
    find=find,
    mirror=("schema-opened",),
    structural=True,
    doc=Doc(
        means="An object inside the arguments took any name; now it declares some.",
        matters="Keys that were sent before may be refused or read otherwise.",
        do="Read the new names.",
        cannot_see="Which keys were sent before.",
        source="JSON Schema 2020-12, core 10.3.2.3 (additionalProperties).",
    ),
)
