"""A list must contain a certain item now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "contains" not in before.schema and "contains" in after.schema:
            old, new = spot.old.schema.get("contains", ABSENT), spot.new.schema.get("contains", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/contains", why="the list must contain an item that fits a schema now", before=old, after=new
            )


RULE = Rule(
    kind="contains-added",
    name="A list must contain an item",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("contains-removed",),
    structural=True,
    doc=Doc(
        means="The list must contain an item that fits a schema now.",
        matters="A call that was allowed may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.1 (prefixItems, items, contains).",
    ),
)
