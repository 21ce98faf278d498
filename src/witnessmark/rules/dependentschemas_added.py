"""A parameter brings a schema of its own now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if "dependentSchemas" not in before.schema and "dependentSchemas" in after.schema:
            old, new = spot.old.schema.get("dependentSchemas", ABSENT), spot.new.schema.get("dependentSchemas", ABSENT)
            yield Found(
                pointer=f"{spot.pointer}/dependentSchemas", why="a parameter brings a condition on the others now", before=old, after=new
            )


RULE = Rule(
    kind="dependentSchemas-added",
    name="A parameter brings a condition",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("dependentSchemas-removed",),
    structural=True,
    doc=Doc(
        means="A parameter brings a condition on the others now.",
        matters="A call that was allowed may be refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, core 10.2.2.4 (dependentSchemas).",
    ),
)
