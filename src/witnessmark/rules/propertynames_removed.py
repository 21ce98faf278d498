"""Names themselves need no longer fit a schema."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "propertyNames" not in after.schema and "propertyNames" in before.schema:
            old, new = spot.old.schema.get("propertyNames", ABSENT), spot.new.schema.get("propertyNames", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/propertyNames", why="the names of an object need no longer fit a schema", before=old, after=new
            )


RULE = Rule(
    kind="propertyNames-removed",
    name="Names are no longer limited",
    old_caller="none",
    model_told="changed",
    confidence="medium",
    step="note",
    action="note it",
    find=find,
    mirror=("propertyNames-added",),
    structural=True,
    doc=Doc(
        means="The names of an object need no longer fit a schema.",
        matters="Old arguments stay valid, and the model may use the new freedom.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.3.2.4 (propertyNames).",
    ),
)
