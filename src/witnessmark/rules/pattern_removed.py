"""A text need no longer match a pattern."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "pattern" in before.schema and "pattern" not in after.schema:
            yield Found(
                pointer=f"{spot.pointer}/pattern",
                why="texts need no longer match a pattern",
                before=spot.old.schema.get("pattern", ABSENT),
                after=spot.new.schema.get("pattern", ABSENT),
            )


RULE = Rule(
    kind="pattern-removed",
    name="A pattern was removed",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("pattern-added",),
    structural=True,
    doc=Doc(
        means="A text had to match a pattern and need not any more.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the server takes.",
        source="JSON Schema 2020-12, validation 6.3.3 (pattern).",
    ),
)
