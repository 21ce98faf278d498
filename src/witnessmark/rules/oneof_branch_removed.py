"""A form of a union is gone."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if spot.old.branches and spot.new.branches and spot.old.union == "oneOf" and (before.values is None or after.values is None):
            parts = spot.branches_gone if spot.polarity == 1 else spot.branches_new
            for index, part in parts:
                yield Found(pointer=f"{spot.pointer}/oneOf", why=f"part {index + 1} of the union is gone", before=part)


RULE = Rule(
    kind="oneOf-branch-removed",
    name="One form less is accepted",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("oneOf-branch-added",),
    structural=True,
    doc=Doc(
        means="One of the forms that a value could have is gone.",
        matters="A call that uses it is refused, unless another form takes it.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.2.1 (anyOf, oneOf).",
    ),
)
