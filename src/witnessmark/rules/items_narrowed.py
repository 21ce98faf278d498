"""The items of a list must fit a schema that they did not have to fit."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, limits_items
from witnessmark.contract.spots import tuple_of
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if tuple_of(before.schema) is None and tuple_of(after.schema) is None and limits_items(after) and not limits_items(before):
            old, new = spot.old.schema.get("items", ABSENT), spot.new.schema.get("items", ABSENT)
            yield Found(pointer=f"{spot.pointer}/items", why="items must fit a schema now", before=old, after=new)


RULE = Rule(
    kind="items-narrowed",
    name="Items of a list are limited",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("items-widened",),
    structural=True,
    doc=Doc(
        means="The items of a list were free and must fit a schema now.",
        matters="A list with other items is refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.1 (prefixItems, items, contains).",
    ),
)
