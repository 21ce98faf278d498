"""One more schema must be met."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, members
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if members(after) > members(before):
            old, new = spot.old.schema.get("allOf", ABSENT), spot.new.schema.get("allOf", ABSENT)
            yield Found(pointer=f"{spot.pointer}/allOf", why="one more schema must be met", before=old, after=new)


RULE = Rule(
    kind="allOf-member-added",
    name="One more condition must be met",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("allOf-member-removed",),
    structural=True,
    doc=Doc(
        means="A conjunction has one more member: values must fit it too.",
        matters="A value that was allowed may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.2.1.1 (allOf).",
    ),
)
