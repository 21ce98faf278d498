"""What fits a schema is excluded now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "not" not in before.schema and "not" in after.schema:
            old, new = spot.old.schema.get("not", ABSENT), spot.new.schema.get("not", ABSENT)
            yield Found(pointer=f"{spot.pointer}/not", why="what fits a schema is excluded now", before=old, after=new)


RULE = Rule(
    kind="not-added",
    name="An exclusion was added",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("not-removed",),
    structural=True,
    doc=Doc(
        means="What fits a schema is excluded now.",
        matters="A call that was allowed may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.2.1.4 (not).",
    ),
)
