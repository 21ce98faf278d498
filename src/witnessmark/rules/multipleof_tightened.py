"""Numbers must be multiples: more strictly than before."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, step_change
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if step_change(before, after) == "tightened":
            old, new = spot.old.schema.get("multipleOf", ABSENT), spot.new.schema.get("multipleOf", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/multipleOf", why="the step of allowed numbers is coarser or another", before=old, after=new
            )


RULE = Rule(
    kind="multipleOf-tightened",
    name="A step of numbers was tightened",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("multipleOf-loosened", "multipleOf-tightened"),
    structural=True,
    doc=Doc(
        means="Numbers must be multiples of another step than before, or newly of one.",
        matters="A number that was allowed may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.2.1 (multipleOf).",
    ),
)
