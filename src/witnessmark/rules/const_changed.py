"""A constant changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.contract.spot_facts import directed
from witnessmark.rules._naming import shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "const" in before.schema and "const" in after.schema and not same(before.schema["const"], after.schema["const"]):
            why = f"{shown_value(spot.old.schema['const'])} became {shown_value(spot.new.schema['const'])}"
            yield Found(pointer=f"{spot.pointer}/const", why=why, before=spot.old.schema["const"], after=spot.new.schema["const"])


RULE = Rule(
    kind="const-changed",
    name="Another constant is demanded",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("const-changed",),
    structural=True,
    doc=Doc(
        means="One fixed value was demanded; now it is another one.",
        matters="A call with the old value is refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
