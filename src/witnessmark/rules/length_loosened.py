"""A length or a count is limited less than before."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, length_changes
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        for keyword, narrows, _, _ in length_changes(before, after):
            if not narrows:
                old, new = spot.old.schema.get(keyword, ABSENT), spot.new.schema.get(keyword, ABSENT)
                yield Found(pointer=f"{spot.pointer}/{keyword}", why=f"{keyword} is laxer", before=old, after=new)


RULE = Rule(
    kind="length-loosened",
    name="A length was loosened",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("length-tightened",),
    structural=True,
    doc=Doc(
        means="A limit on a text's length or on a number of items or properties is laxer.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server keeps its limit.",
        source="JSON Schema 2020-12, validation 6.3 to 6.5 (lengths and counts).",
    ),
)
