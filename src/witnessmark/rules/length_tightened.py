"""A length or a count is limited more than before."""

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
            if narrows:
                old, new = spot.old.schema.get(keyword, ABSENT), spot.new.schema.get(keyword, ABSENT)
                yield Found(pointer=f"{spot.pointer}/{keyword}", why=f"{keyword} is stricter", before=old, after=new)


RULE = Rule(
    kind="length-tightened",
    name="A length was tightened",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("length-loosened",),
    structural=True,
    doc=Doc(
        means="A limit on a text's length or on a number of items or properties is stricter.",
        matters="A call that was within the old limit may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server keeps its limit.",
        source="JSON Schema 2020-12, validation 6.3 to 6.5 (lengths and counts).",
    ),
)
