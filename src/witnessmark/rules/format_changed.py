"""A text must have another format, where the server asserts formats."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "format" in before.schema and "format" in after.schema and not same(before.schema["format"], after.schema["format"]):
            yield Found(
                pointer=f"{spot.pointer}/format",
                why="texts should have another format",
                before=spot.old.schema.get("format", ABSENT),
                after=spot.new.schema.get("format", ABSENT),
            )


RULE = Rule(
    kind="format-changed",
    name="A format changed",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read both formats",
    find=find,
    mirror=("format-changed",),
    doc=Doc(
        means="A text is said to have another format than before.",
        matters="Servers that assert formats refuse the old one.",
        do="Read both formats.",
        cannot_see="Whether the server asserts formats.",
        source="JSON Schema 2020-12, validation 7 (format): an annotation unless the server asserts it, as pydantic and zod do.",
    ),
)
