"""A list need no longer contain a certain item."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "contains" not in after.schema and "contains" in before.schema:
            old, new = spot.old.schema.get("contains", ABSENT), spot.new.schema.get("contains", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/contains", why="the list need no longer contain an item that fits a schema", before=old, after=new
            )


RULE = Rule(
    kind="contains-removed",
    name="A list need not contain an item",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("contains-added",),
    structural=True,
    doc=Doc(
        means="The list need no longer contain an item that fits a schema.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.1 (prefixItems, items, contains).",
    ),
)
