"""A list became a tuple: its places have schemas of their own."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.contract.spots import tuple_of
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if tuple_of(before.schema) is None and tuple_of(after.schema) is not None:
            yield Found(
                pointer=spot.pointer, why="each place of the list has its own schema now", before=spot.old.schema, after=spot.new.schema
            )


RULE = Rule(
    kind="items-to-tuple",
    name="A list became a tuple",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("tuple-to-items",),
    structural=True,
    doc=Doc(
        means="The places of a list have schemas of their own now.",
        matters="A list that was allowed may be refused at one of its places.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.1 (prefixItems, items, contains). Draft 07 spells a tuple as a list under `items`.",
    ),
)
