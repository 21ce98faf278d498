"""Names that match a pattern have a schema now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "patternProperties" not in before.schema and "patternProperties" in after.schema:
            old, new = spot.old.schema.get("patternProperties", ABSENT), spot.new.schema.get("patternProperties", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/patternProperties",
                why="values under names that match a pattern must fit a schema now",
                before=old,
                after=new,
            )


RULE = Rule(
    kind="patternProperties-added",
    name="Names by pattern are limited",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read both schemas",
    find=find,
    mirror=("patternProperties-removed",),
    structural=True,
    doc=Doc(
        means="Values under names that match a pattern must fit a schema now.",
        matters="A call that was allowed may be refused.",
        do="Read both schemas.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.2.2 (patternProperties).",
    ),
)
