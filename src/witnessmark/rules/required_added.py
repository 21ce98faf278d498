"""A parameter that could be left out must be sent now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Required names that were not, of properties that both sides have or none declares."""
    for spot, before, after in directed(pair.input.spots):
        new = after.required - before.required
        names = sorted(name for name in new if name in before.properties or name not in after.properties)
        if names and "object" in (after.types or ("object",)):
            told = ", ".join(map(quoted, names))
            yield Found(
                pointer=f"{spot.pointer}/required",
                why=f"{told} must be sent now",
                before=spot.old.schema.get("required", ABSENT),
                after=spot.new.schema.get("required", ABSENT),
            )


RULE = Rule(
    kind="required-added",
    name="A parameter became required",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("required-dropped",),
    structural=True,
    doc=Doc(
        means="A name that the old contract let out is required by the new one.",
        matters="A call that leaves it out is refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.5.3 (required).",
    ),
)
