"""A new optional parameter that gives an approved tool more reach."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._added import POWER, kind_of_added
from witnessmark.rules._naming import named
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """New names of this kind."""
    for names in pair.input.names:
        for name in names.added:
            if kind_of_added(names, name) == POWER:
                why = f"{named(names, name)} is new, and its name says that the tool reaches further"
                yield Found(pointer=names.place(name), why=why, after=names.spot.new.properties[name])


RULE = Rule(
    kind="param-added-optional-power",
    name="An optional parameter adds power",
    old_caller="none",
    model_told="escalated",
    confidence="medium",
    step="read",
    action="read what it allows, then approve it",
    find=find,
    mirror=("param-removed-open", "param-removed-closed"),
    doc=Doc(
        means=(
            "The tool takes one more argument, and its name says that it reaches further (a path, an address, code, force, "
            "headers) or asks the model for reasons or intent."
        ),
        matters="Old calls stay valid, but what was approved can do more now, or tell the service more.",
        do="Read what the parameter allows; approve it if that is meant.",
        cannot_see="What the parameter does: only its name was read.",
        source="Word list from hand-labelled upgrades, e.g. a file name that overrides the code argument of a tool that runs code.",
    ),
)
