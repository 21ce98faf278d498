"""A described object became an open map."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Objects below the top whose declared names are gone while any name is taken."""
    for names in pair.input.names:
        if names.emptied and names.spot.levels:
            spot = names.spot
            yield Found(
                pointer=spot.pointer,
                why="the object declares no names any more and takes any",
                before=spot.old.schema,
                after=spot.new.schema,
            )


RULE = Rule(
    kind="schema-opened",
    name="A described object became an open map",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    find=find,
    mirror=("schema-closed",),
    doc=Doc(
        means="An object inside the arguments declared its names; now it takes any.",
        matters="Old arguments stay valid. The model loses its guidance, and errors move to the server.",
        do="Take note of it; old calls need nothing.",
        cannot_see="Whether the server still reads the old names.",
        source="JSON Schema 2020-12, core 10.3.2.3 (additionalProperties).",
    ),
)
