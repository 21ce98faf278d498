"""A parameter that had to be sent may be left out now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Required names that are required no longer, of properties that the new side still has or takes."""
    for spot, before, after in directed(pair.input.spots):
        lost = before.required - after.required
        names = sorted(name for name in lost if name in after.properties or not after.properties or name not in before.properties)
        if names:
            told = ", ".join(map(quoted, names))
            yield Found(
                pointer=f"{spot.pointer}/required",
                why=f"{told} may be left out now",
                before=spot.old.schema.get("required", ABSENT),
                after=spot.new.schema.get("required", ABSENT),
            )


RULE = Rule(
    kind="required-dropped",
    name="A parameter is no longer required",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it; read what leaving it out means",
    find=find,
    mirror=("required-added",),
    structural=True,
    doc=Doc(
        means="A name that the old contract required may be left out.",
        matters="Old calls stay valid. Leaving it out may mean another action, which the model can choose now.",
        do="Read what the text says about leaving it out.",
        cannot_see="What the server does without it.",
        source="JSON Schema 2020-12, validation 6.5.3 (required).",
    ),
)
