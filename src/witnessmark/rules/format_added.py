"""A text must have a format now, where the server asserts formats."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "format" not in before.schema and "format" in after.schema:
            yield Found(
                pointer=f"{spot.pointer}/format",
                why="texts should have a format now",
                before=spot.old.schema.get("format", ABSENT),
                after=spot.new.schema.get("format", ABSENT),
            )


RULE = Rule(
    kind="format-added",
    name="A format was added",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read the format; make the client read the tools again",
    find=find,
    mirror=("format-removed",),
    doc=Doc(
        means="A text is said to have a format (uri, date-time, uuid).",
        matters="Servers that assert formats refuse another text; others do not.",
        do="Read the format.",
        cannot_see="Whether the server asserts formats.",
        source="JSON Schema 2020-12, validation 7 (format): an annotation unless the server asserts it, as pydantic and zod do.",
    ),
)
