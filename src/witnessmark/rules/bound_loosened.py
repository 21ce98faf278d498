"""A range of numbers grew."""

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
            if change.kind == "loosened":
                yield Found(
                    pointer=f"{spot.pointer}/{change.keyword}",
                    why=f"numbers are limited otherwise: {shown_value(change.before)} became {shown_value(change.after)}",
                    before=spot.old.schema.get(change.keyword, ABSENT),
                    after=spot.new.schema.get(change.keyword, ABSENT),
                )


RULE = Rule(
    kind="bound-loosened",
    name="A bound was loosened",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("bound-tightened",),
    structural=True,
    doc=Doc(
        means="A range of allowed numbers became larger.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the server does with larger numbers.",
        source="JSON Schema 2020-12, validation 6.2 (maximum, exclusiveMaximum, minimum, exclusiveMinimum).",
    ),
)
