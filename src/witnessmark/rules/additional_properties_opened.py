"""Undeclared names are accepted now: later renames become silent."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        if before.schema.get("additionalProperties") is False and not after.closed and "object" in (after.types or ("object",)):
            yield Found(
                pointer=f"{spot.pointer}/additionalProperties",
                why="undeclared names are accepted now: a later rename would be swallowed",
                before=spot.old.schema.get("additionalProperties", ABSENT),
                after=spot.new.schema.get("additionalProperties", ABSENT),
            )


RULE = Rule(
    kind="additional-properties-opened",
    name="Undeclared names are accepted",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="note",
    action="note it: the next rename will be swallowed",
    find=find,
    mirror=("additional-properties-closed",),
    doc=Doc(
        means="An object that refused undeclared names takes them.",
        matters="Nothing changes for today's calls, but a guard is gone: from now on a renamed or misspelled argument is swallowed.",
        do="Note it. A gate that checks arguments against the contract keeps the guard.",
        cannot_see="Whether the server kept the guard before.",
        source=(
            "JSON Schema 2020-12, core 10.3.2.3 (additionalProperties). It comes and goes with the schema generator: seen when a "
            "validator library moved to its next major version."
        ),
    ),
)
