"""The same values in another order."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Equal sets of values that are written differently."""
    for spot in pair.input.spots:
        old, new = spot.old.schema.get("enum"), spot.new.schema.get("enum")
        first, second = spot.old.values, spot.new.values
        if old and new and first is not None and second is not None and first.keys() == second.keys() and not same(old, new):
            yield Found(pointer=f"{spot.pointer}/enum", why="the same values in another order", before=old, after=new)


RULE = Rule(
    kind="enum-reordered",
    name="The order of values changed",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("enum-reordered",),
    doc=Doc(
        means="A list of allowed values holds the same values in another order.",
        matters="It does not to a validator: the list is a set. A model may favour the first value a little.",
        do="Nothing has to be done.",
        cannot_see="Whether the order sways the model.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
