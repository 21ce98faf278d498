"""A free value became a constant."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, type_change
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if (
            before.values is None
            and after.values is not None
            and "const" in after.schema
            and type_change(before, after) in ("", "narrowed")
        ):
            yield Found(
                pointer=f"{spot.pointer}/const",
                why="only one value is allowed now",
                before=spot.old.schema.get("const", ABSENT),
                after=spot.new.schema.get("const", ABSENT),
            )


RULE = Rule(
    kind="const-added",
    name="Only one value is allowed",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("const-removed",),
    structural=True,
    doc=Doc(
        means="Any value of the type was allowed; now only one is.",
        matters="A call with another value is refused.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks it.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
