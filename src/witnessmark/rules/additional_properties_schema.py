"""Values under undeclared names must fit a schema now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, limits_more
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if limits_more(after) and not limits_more(before) and not before.closed:
            free = before.free_map or before.schema.get("additionalProperties") is True
            yield Found(
                pointer=f"{spot.pointer}/additionalProperties",
                why="values under undeclared names must fit a schema now",
                before=spot.old.schema.get("additionalProperties", ABSENT),
                after=spot.new.schema.get("additionalProperties", ABSENT),
                old_caller=None if free else "none",
            )


RULE = Rule(
    kind="additional-properties-schema",
    name="Undeclared values are limited",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("additional-properties-schema-removed",),
    doc=Doc(
        means="Values under undeclared names were free and must fit a schema now.",
        matters="In a free map such a value is refused; where names are declared, declared arguments are not touched.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.2.3 (additionalProperties).",
    ),
)
