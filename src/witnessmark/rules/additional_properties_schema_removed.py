"""Values under undeclared names need no longer fit a schema."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, limits_more
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if limits_more(before) and not limits_more(after) and not after.closed:
            yield Found(
                pointer=f"{spot.pointer}/additionalProperties",
                why="values under undeclared names need no longer fit a schema",
                before=spot.old.schema.get("additionalProperties", ABSENT),
                after=spot.new.schema.get("additionalProperties", ABSENT),
            )


RULE = Rule(
    kind="additional-properties-schema-removed",
    name="Undeclared values are free",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="note",
    action="note it",
    find=find,
    mirror=("additional-properties-schema",),
    doc=Doc(
        means="Values under undeclared names had to fit a schema and are free now, or are refused.",
        matters="Old arguments stay valid where they are free.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the server does with such values.",
        source="JSON Schema 2020-12, core 10.3.2.3 (additionalProperties).",
    ),
)
