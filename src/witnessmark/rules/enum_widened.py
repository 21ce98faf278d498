"""A list of allowed values grew."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, recased, values_lost
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import names_actions, shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        new = values_lost(after, before)
        again = {now for _, now in recased(before, after)}
        values = [value for value in new if not (type(value) is str and value in again)]
        if values:
            why = f"newly allowed: {', '.join(map(shown_value, values[:8]))}"
            escalated = names_actions(spot.name, values)
            yield Found(
                pointer=f"{spot.pointer}/enum",
                why=why,
                before=spot.old.schema.get("enum", ABSENT),
                after=spot.new.schema.get("enum", ABSENT),
                model_told="escalated" if escalated else None,
            )


RULE = Rule(
    kind="enum-widened",
    name="More values are allowed",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="read",
    action="read the new values",
    find=find,
    mirror=("enum-narrowed",),
    structural=True,
    doc=Doc(
        means="Values were added to a list of allowed ones.",
        matters=(
            "Old arguments stay valid. Where the values name actions, an approved tool can do more than was approved: then it "
            "counts as escalated."
        ),
        do="Read the new values.",
        cannot_see="What the server does for a new value.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
