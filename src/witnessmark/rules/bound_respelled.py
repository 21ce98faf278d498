"""The same range of numbers, spelled otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import bound_changes, directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        for change in bound_changes(before, after):
            if change.kind == "respelled":
                yield Found(
                    pointer=f"{spot.pointer}/{change.keyword}",
                    why="the same range of numbers, spelled in another way",
                    before=spot.old.schema.get(change.keyword, ABSENT),
                    after=spot.new.schema.get(change.keyword, ABSENT),
                )


RULE = Rule(
    kind="bound-respelled",
    name="A bound is spelled in another way",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("bound-respelled",),
    group=TOOLCHAIN,
    doc=Doc(
        means="`exclusiveMaximum` 1000000 and `maximum` 999999 are one bound on integers; both spellings allow the same numbers.",
        matters="It does not: nothing that is sent or understood changes.",
        do="Nothing has to be done.",
        cannot_see="Nothing that the schema says.",
        source="JSON Schema 2020-12, validation 6.2 (maximum, exclusiveMaximum, minimum, exclusiveMinimum).",
    ),
)
