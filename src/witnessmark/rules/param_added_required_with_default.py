"""A new parameter that is listed as required and has a default."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._added import REQUIRED_WITH_DEFAULT, kind_of_added
from witnessmark.rules._naming import named
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """New names of this kind."""
    for names in pair.input.names:
        for name in names.added:
            if kind_of_added(names, name) == REQUIRED_WITH_DEFAULT:
                why = f"{named(names, name)} is new and required, with a default: only strict clients refuse"
                yield Found(pointer=names.place(name), why=why, after=names.spot.new.properties[name])


RULE = Rule(
    kind="param-added-required-with-default",
    name="A required parameter is new and has a default",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again; the server probably fills it in",
    find=find,
    mirror=("param-removed-open", "param-removed-closed"),
    doc=Doc(
        means=(
            "The new parameter stands in `required` and has a default: generators that describe what comes out of parsing list "
            "defaulted members so."
        ),
        matters="A client that validates before it sends refuses the old call; the server itself fills the default in.",
        do="Make the client read the tools again.",
        cannot_see="Whether the server really fills it in.",
        source="Seen in a browser server: three parameters, each required with a default.",
    ),
)
