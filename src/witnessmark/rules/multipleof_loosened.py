"""Numbers must be multiples: less strictly than before."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, step_change
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if step_change(before, after) == "loosened":
            old, new = spot.old.schema.get("multipleOf", ABSENT), spot.new.schema.get("multipleOf", ABSENT)
            yield Found(pointer=f"{spot.pointer}/multipleOf", why="the step of allowed numbers is finer", before=old, after=new)


RULE = Rule(
    kind="multipleOf-loosened",
    name="A step of numbers was loosened",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="note",
    action="note it",
    find=find,
    mirror=("multipleOf-loosened", "multipleOf-tightened"),
    structural=True,
    doc=Doc(
        means="Numbers must be multiples of a finer step than before, or of none.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.2.1 (multipleOf).",
    ),
)
