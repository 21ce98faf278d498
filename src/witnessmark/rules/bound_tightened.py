"""A range of numbers shrank."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import bound_changes, directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        for change in bound_changes(before, after):
            if change.kind == "tightened":
                yield Found(
                    pointer=f"{spot.pointer}/{change.keyword}",
                    why=f"numbers are limited otherwise: {shown_value(change.before)} became {shown_value(change.after)}",
                    before=spot.old.schema.get(change.keyword, ABSENT),
                    after=spot.new.schema.get(change.keyword, ABSENT),
                )


RULE = Rule(
    kind="bound-tightened",
    name="A bound was tightened",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("bound-loosened",),
    structural=True,
    doc=Doc(
        means="A range of allowed numbers became smaller.",
        matters="A call with a number outside it is refused, or cut to the range without a word.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server refuses or cuts.",
        source="JSON Schema 2020-12, validation 6.2 (maximum, exclusiveMaximum, minimum, exclusiveMinimum).",
    ),
)
