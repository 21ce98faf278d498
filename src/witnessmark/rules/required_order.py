"""The same required names in another order."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Equal sets of required names that are written differently."""
    for spot in pair.input.spots:
        old, new = spot.old.schema.get("required"), spot.new.schema.get("required")
        if old and new and old != new and spot.old.required == spot.new.required:
            yield Found(pointer=f"{spot.pointer}/required", why="the same names in another order", before=old, after=new)


RULE = Rule(
    kind="required-order",
    name="The order of required names changed",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("required-order",),
    doc=Doc(
        means="`required` lists the same names in another order or twice.",
        matters="It does not: `required` is a set.",
        do="Nothing has to be done.",
        cannot_see="Nothing that the schema says.",
        source="JSON Schema 2020-12, validation 6.5.3 (required).",
    ),
)
