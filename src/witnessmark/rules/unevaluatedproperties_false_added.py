"""Names that no part declares are refused now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if after.schema.get("unevaluatedProperties") is False and before.schema.get("unevaluatedProperties") is not False:
            old, new = spot.old.schema.get("unevaluatedProperties", ABSENT), spot.new.schema.get("unevaluatedProperties", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/unevaluatedProperties", why="names that no part declares are refused now", before=old, after=new
            )


RULE = Rule(
    kind="unevaluatedProperties-false-added",
    name="Names that no part declares are refused",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="note",
    action="note it",
    find=find,
    mirror=("unevaluatedProperties-false-removed",),
    doc=Doc(
        means="`unevaluatedProperties` false was added: like `additionalProperties` false, but it sees through `allOf`.",
        matters="Declared arguments are not touched.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server keeps it.",
        source="JSON Schema 2020-12, core 11.3 (unevaluatedProperties).",
    ),
)
