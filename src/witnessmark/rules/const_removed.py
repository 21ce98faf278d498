"""A constant became a free value."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, type_change
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if (
            after.values is None
            and before.values is not None
            and "const" in before.schema
            and type_change(before, after) in ("", "widened")
        ):
            yield Found(
                pointer=f"{spot.pointer}/const",
                why="the value is no longer fixed",
                before=spot.old.schema.get("const", ABSENT),
                after=spot.new.schema.get("const", ABSENT),
            )


RULE = Rule(
    kind="const-removed",
    name="A value is no longer fixed",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("const-added",),
    structural=True,
    doc=Doc(
        means="Only one value was allowed; now any value of the type is.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Which values the server really takes.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
