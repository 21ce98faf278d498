"""A text must match another pattern."""

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
        if "pattern" in before.schema and "pattern" in after.schema and not same(before.schema["pattern"], after.schema["pattern"]):
            yield Found(
                pointer=f"{spot.pointer}/pattern",
                why="texts must match another pattern",
                before=spot.old.schema.get("pattern", ABSENT),
                after=spot.new.schema.get("pattern", ABSENT),
            )


RULE = Rule(
    kind="pattern-changed",
    name="A pattern changed",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read both patterns",
    find=find,
    mirror=("pattern-changed",),
    doc=Doc(
        means="A text must match another pattern than before.",
        matters="A call with a text that matched the old one may be refused.",
        do="Read both patterns.",
        cannot_see="Whether the new pattern takes all that the old one took: patterns are compared as texts, never run.",
        source="JSON Schema 2020-12, validation 6.3.3 (pattern).",
    ),
)
