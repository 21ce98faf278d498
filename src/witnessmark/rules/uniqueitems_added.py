"""Items must differ from each other now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if before.schema.get("uniqueItems") is not True and after.schema.get("uniqueItems") is True:
            old, new = spot.old.schema.get("uniqueItems", ABSENT), spot.new.schema.get("uniqueItems", ABSENT)
            yield Found(pointer=f"{spot.pointer}/uniqueItems", why="items must differ from each other now", before=old, after=new)


RULE = Rule(
    kind="uniqueItems-added",
    name="Items must be unique",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("uniqueItems-removed",),
    structural=True,
    doc=Doc(
        means="Items must differ from each other now.",
        matters="A call that was allowed may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.4.3 (uniqueItems).",
    ),
)
