"""A text must match a pattern now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "pattern" not in before.schema and "pattern" in after.schema:
            yield Found(
                pointer=f"{spot.pointer}/pattern",
                why="texts must match a pattern now",
                before=spot.old.schema.get("pattern", ABSENT),
                after=spot.new.schema.get("pattern", ABSENT),
            )


RULE = Rule(
    kind="pattern-added",
    name="A pattern was added",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("pattern-removed",),
    structural=True,
    doc=Doc(
        means="A text must match a pattern that it did not have to match.",
        matters="A call with another text is refused.",
        do="Make the client read the tools again.",
        cannot_see="Which old values match: a server's patterns are never run here.",
        source="JSON Schema 2020-12, validation 6.3.3 (pattern).",
    ),
)
