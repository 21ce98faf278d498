"""What fits a schema is no longer excluded."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "not" not in after.schema and "not" in before.schema:
            old, new = spot.old.schema.get("not", ABSENT), spot.new.schema.get("not", ABSENT)
            yield Found(pointer=f"{spot.pointer}/not", why="what fits a schema is no longer excluded", before=old, after=new)


RULE = Rule(
    kind="not-removed",
    name="An exclusion was removed",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("not-added",),
    structural=True,
    doc=Doc(
        means="What fits a schema is no longer excluded.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.2.1.4 (not).",
    ),
)
