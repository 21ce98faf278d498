"""A text need no longer have a format."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "format" in before.schema and "format" not in after.schema:
            yield Found(
                pointer=f"{spot.pointer}/format",
                why="texts need no longer have a format",
                before=spot.old.schema.get("format", ABSENT),
                after=spot.new.schema.get("format", ABSENT),
            )


RULE = Rule(
    kind="format-removed",
    name="A format was removed",
    old_caller="none",
    model_told="same",
    confidence="high",
    step="note",
    action="note it",
    find=find,
    mirror=("format-added",),
    doc=Doc(
        means="A text had a format and has none now.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server still asserts it.",
        source="JSON Schema 2020-12, validation 7 (format): an annotation unless the server asserts it, as pydantic and zod do.",
    ),
)
