"""A form of a union is new."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if spot.old.branches and spot.new.branches and spot.new.union == "oneOf" and (before.values is None or after.values is None):
            parts = spot.branches_new if spot.polarity == 1 else spot.branches_gone
            for index, part in parts:
                yield Found(pointer=f"{spot.pointer}/oneOf", why=f"part {index + 1} of the union is new", after=part)


RULE = Rule(
    kind="oneOf-branch-added",
    name="One form more is accepted",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it, and report an overlap to the server's owner",
    find=find,
    mirror=("oneOf-branch-removed",),
    structural=True,
    doc=Doc(
        means=(
            "A value may have one more form. If the forms overlap, values that fitted one now fit two and are refused: the "
            "oracle then says so."
        ),
        matters="Old arguments stay valid unless the forms overlap.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the server does with the new form.",
        source="JSON Schema 2020-12, core 10.2.1 (anyOf, oneOf).",
    ),
)
