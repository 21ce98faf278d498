"""Null is refused now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, null_change
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where null is removed."""
    for spot, before, after in directed(pair.input.spots):
        if null_change(before, after) == "removed":
            yield Found(pointer=spot.pointer, why="null is no longer accepted", before=spot.old.schema, after=spot.new.schema)


RULE = Rule(
    kind="nullable-removed",
    name="Null is no longer accepted",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("nullable-added",),
    structural=True,
    doc=Doc(
        means="The new schema no longer takes null beside what it takes otherwise.",
        matters="A call that sends null, as agents do for an argument left empty, is refused.",
        do="Make the client read the tools again: the argument must be left out instead.",
        cannot_see="What null means to the server. `nullable: true` is no keyword of JSON Schema and is not read.",
        source="JSON Schema 2020-12, validation 6.1.1 (type). `anyOf` with null and a list of types are one.",
    ),
)
