"""A list of allowed values shrank."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, recased, values_lost
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        again = {old for old, _ in recased(before, after)}
        values = [value for value in values_lost(before, after) if not (type(value) is str and value in again)]
        if values:
            why = f"no longer allowed: {', '.join(map(shown_value, values[:8]))}"
            yield Found(
                pointer=f"{spot.pointer}/enum",
                why=why,
                before=spot.old.schema.get("enum", ABSENT),
                after=spot.new.schema.get("enum", ABSENT),
            )


RULE = Rule(
    kind="enum-narrowed",
    name="Fewer values are allowed",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("enum-widened",),
    structural=True,
    doc=Doc(
        means="Values were taken from a list of allowed ones.",
        matters="A call that sends one of them is refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks the list.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
