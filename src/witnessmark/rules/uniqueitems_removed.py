"""Items may repeat now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if after.schema.get("uniqueItems") is not True and before.schema.get("uniqueItems") is True:
            old, new = spot.old.schema.get("uniqueItems", ABSENT), spot.new.schema.get("uniqueItems", ABSENT)
            yield Found(pointer=f"{spot.pointer}/uniqueItems", why="items may repeat now", before=old, after=new)


RULE = Rule(
    kind="uniqueItems-removed",
    name="Items may repeat",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("uniqueItems-added",),
    structural=True,
    doc=Doc(
        means="Items may repeat now.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.4.3 (uniqueItems).",
    ),
)
