"""Null is taken too now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, null_change
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where null is added."""
    for spot, before, after in directed(pair.input.spots):
        if null_change(before, after) == "added":
            yield Found(pointer=spot.pointer, why="null is accepted in addition", before=spot.old.schema, after=spot.new.schema)


RULE = Rule(
    kind="nullable-added",
    name="Null is accepted",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("nullable-removed",),
    structural=True,
    doc=Doc(
        means="The new schema takes null beside what it takes otherwise.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What null means to the server. `nullable: true` is no keyword of JSON Schema and is not read.",
        source="JSON Schema 2020-12, validation 6.1.1 (type). `anyOf` with null and a list of types are one.",
    ),
)
