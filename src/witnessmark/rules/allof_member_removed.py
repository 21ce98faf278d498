"""One schema less must be met."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, members
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if members(after) < members(before):
            old, new = spot.old.schema.get("allOf", ABSENT), spot.new.schema.get("allOf", ABSENT)
            yield Found(pointer=f"{spot.pointer}/allOf", why="one schema less must be met", before=old, after=new)


RULE = Rule(
    kind="allOf-member-removed",
    name="One condition less must be met",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="note",
    action="note it",
    find=find,
    mirror=("allOf-member-added",),
    structural=True,
    doc=Doc(
        means="A conjunction has one member less.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server still checks it.",
        source="JSON Schema 2020-12, core 10.2.1.1 (allOf).",
    ),
)
