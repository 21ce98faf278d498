"""A tuple became a list: its places have no schemas of their own."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.contract.spots import tuple_of
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if tuple_of(before.schema) is not None and tuple_of(after.schema) is None:
            yield Found(
                pointer=spot.pointer, why="the places of the list share one schema now", before=spot.old.schema, after=spot.new.schema
            )


RULE = Rule(
    kind="tuple-to-items",
    name="A tuple became a list",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("items-to-tuple",),
    structural=True,
    doc=Doc(
        means="The places of a list had schemas of their own; now all share one or none.",
        matters="A list that was allowed may be refused if the shared schema is narrower.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.1 (prefixItems, items, contains).",
    ),
)
