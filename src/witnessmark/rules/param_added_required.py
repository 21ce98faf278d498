"""A new parameter without which the call is refused."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._added import REQUIRED, kind_of_added
from witnessmark.rules._naming import named
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """New names of this kind."""
    for names in pair.input.names:
        for name in names.added:
            if kind_of_added(names, name) == REQUIRED:
                why = f"{named(names, name)} is new and required: a call without it is refused"
                yield Found(pointer=names.place(name), why=why, after=names.spot.new.properties[name])


RULE = Rule(
    kind="param-added-required",
    name="A required parameter is new",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("param-removed-open", "param-removed-closed"),
    doc=Doc(
        means="The tool demands an argument that the old contract did not have.",
        matters="By contract every old call is refused. Some servers answer it as success all the same, with an empty or wrong result.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server checks its own contract.",
        source="JSON Schema 2020-12, core, 10.3.2 and validation 6.5.3 (required).",
    ),
)
