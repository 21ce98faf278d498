"""Undeclared names are refused now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if after.schema.get("additionalProperties") is False and not before.closed and "object" in (before.types or ("object",)):
            free = before.free_map and before.types is not None
            yield Found(
                pointer=f"{spot.pointer}/additionalProperties",
                why="every key is refused now" if free else "undeclared names are refused now",
                before=spot.old.schema.get("additionalProperties", ABSENT),
                after=spot.new.schema.get("additionalProperties", ABSENT),
                old_caller="loud" if free and spot.levels else None,
            )


RULE = Rule(
    kind="additional-properties-closed",
    name="Undeclared names are refused",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it: the guard is stronger",
    find=find,
    mirror=("additional-properties-opened",),
    doc=Doc(
        means="An object that took undeclared names refuses them.",
        matters=(
            "Declared arguments are not touched, and a misspelled or renamed one becomes an error. Where the object declared no "
            "names (a free map), every key is refused now."
        ),
        do="Note it: the guard is stronger.",
        cannot_see="Whether the server keeps it: most that publish it were seen to drop undeclared names all the same.",
        source="JSON Schema 2020-12, core 10.3.2.3 (additionalProperties).",
    ),
)
