"""A place takes more types than before."""

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
            and type_change(before, after) == "widened"
        ):
            yield Found(
                pointer=spot.pointer,
                why=f"more types are accepted: {told_types(spot.old)} became {told_types(spot.new)}",
                before=spot.old.schema,
                after=spot.new.schema,
            )


RULE = Rule(
    kind="type-widened",
    name="More types are accepted",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("type-narrowed",),
    structural=True,
    doc=Doc(
        means="The new schema takes every type that the old one took, and more.",
        matters="Old arguments stay valid. The model may choose the new form.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the server does with the new type.",
        source="JSON Schema 2020-12, validation 6.1.1 (type).",
    ),
)
