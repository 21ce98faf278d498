"""A limit that a generator writes on every integer came or went."""

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
            if change.kind == "generator":
                yield Found(
                    pointer=f"{spot.pointer}/{change.keyword}",
                    why="a limit that code generators write came or went",
                    before=spot.old.schema.get(change.keyword, ABSENT),
                    after=spot.new.schema.get(change.keyword, ABSENT),
                )


RULE = Rule(
    kind="bound-generator",
    name="A generator's bound came or went",
    old_caller="none",
    model_told="same",
    confidence="low",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("bound-generator",),
    group=TOOLCHAIN,
    doc=Doc(
        means="A limit such as 2^53-1 or that of a 32-bit integer was added or dropped: code generators write them on every integer.",
        matters="In theory a larger number is refused; nobody sends one.",
        do="Nothing has to be done.",
        cannot_see="A server that really means such a limit.",
        source=(
            "JSON Schema 2020-12, validation 6.2 (maximum, exclusiveMaximum, minimum, exclusiveMinimum). Seen in the move of a "
            "validator library to its next major version."
        ),
    ),
)
