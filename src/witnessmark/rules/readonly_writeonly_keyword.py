"""`readOnly` or `writeOnly` of a parameter changed: nobody asserts them."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where one of the two keywords differs."""
    for spot in pair.input.spots:
        for keyword in ("readOnly", "writeOnly"):
            old, new = spot.old.schema.get(keyword, ABSENT), spot.new.schema.get(keyword, ABSENT)
            if old is not new:
                yield Found(pointer=f"{spot.pointer}/{keyword}", why=f"`{keyword}` changed, which nobody asserts", before=old, after=new)


RULE = Rule(
    kind="readonly-writeonly-keyword",
    name="A readOnly or writeOnly keyword changed",
    old_caller="none",
    model_told="same",
    confidence="medium",
    step="note",
    action="note it",
    find=find,
    mirror=("readonly-writeonly-keyword",),
    doc=Doc(
        means="The keyword `readOnly` or `writeOnly` was added, dropped or changed.",
        matters="Nobody asserts it in arguments.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the author means by it.",
        source="JSON Schema 2020-12, validation 9.4 (readOnly, writeOnly).",
    ),
)
