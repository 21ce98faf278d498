"""A place takes other types than before."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, type_change
from witnessmark.rules._naming import told_types
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places whose set of types changed in this way."""
    for spot, before, after in directed(pair.input.spots):
        if (
            (spot.levels or (before.types and after.types))
            and not (before.branches and after.branches)
            and type_change(before, after) == "changed"
        ):
            yield Found(
                pointer=spot.pointer,
                why=f"other types are accepted: {told_types(spot.old)} became {told_types(spot.new)}",
                before=spot.old.schema,
                after=spot.new.schema,
            )


RULE = Rule(
    kind="type-changed",
    name="Other types are accepted",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("type-changed",),
    structural=True,
    doc=Doc(
        means="Values of the old type are refused, values of another type are taken instead.",
        matters="A call with an old value is refused; a server that converts takes it, and may read it as something else.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server converts: then the change is silent.",
        source="JSON Schema 2020-12, validation 6.1.1 (type).",
    ),
)
