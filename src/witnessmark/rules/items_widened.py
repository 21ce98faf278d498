"""The items of a list need no longer fit a schema."""

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
        if tuple_of(before.schema) is None and tuple_of(after.schema) is None and limits_items(before) and not limits_items(after):
            old, new = spot.old.schema.get("items", ABSENT), spot.new.schema.get("items", ABSENT)
            yield Found(pointer=f"{spot.pointer}/items", why="items need no longer fit a schema", before=old, after=new)


RULE = Rule(
    kind="items-widened",
    name="Items of a list are free",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="note",
    action="note it",
    find=find,
    mirror=("items-narrowed",),
    structural=True,
    doc=Doc(
        means="The items of a list had to fit a schema and are free now.",
        matters="Old arguments stay valid; the model loses its guidance.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the server takes.",
        source="JSON Schema 2020-12, core 10.3.1 (prefixItems, items, contains).",
    ),
)
