"""A condition no longer decides what is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "if" not in after.schema and "if" in before.schema:
            old, new = spot.old.schema.get("if", ABSENT), spot.new.schema.get("if", ABSENT)
            yield Found(pointer=f"{spot.pointer}/if", why="a condition no longer decides what is allowed", before=old, after=new)


RULE = Rule(
    kind="if-then-else-removed",
    name="A condition was removed",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("if-then-else-added",),
    structural=True,
    doc=Doc(
        means="A condition no longer decides what is allowed.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.2.2 (if, then, else).",
    ),
)
