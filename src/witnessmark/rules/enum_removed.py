"""A choice became a free value."""

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
            and "const" not in before.schema
            and type_change(before, after) in ("", "widened")
        ):
            yield Found(
                pointer=f"{spot.pointer}/enum",
                why="values are no longer limited to a list",
                before=spot.old.schema.get("enum", ABSENT),
                after=spot.new.schema.get("enum", ABSENT),
            )


RULE = Rule(
    kind="enum-removed",
    name="Values are no longer listed",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("enum-added",),
    structural=True,
    doc=Doc(
        means="Only listed values were allowed; now any value of the type is.",
        matters="Old arguments stay valid. The model loses its guidance.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Which values the server really takes.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
