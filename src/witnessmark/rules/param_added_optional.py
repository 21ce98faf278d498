"""A new parameter that may be left out."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._added import OPTIONAL, kind_of_added
from witnessmark.rules._naming import named
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """New names of this kind."""
    for names in pair.input.names:
        for name in names.added:
            if kind_of_added(names, name) == OPTIONAL:
                why = f"{named(names, name)} is new and may be left out"
                yield Found(pointer=names.place(name), why=why, after=names.spot.new.properties[name])


RULE = Rule(
    kind="param-added-optional",
    name="An optional parameter is new",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="approve",
    action="approve it once",
    find=find,
    mirror=("param-removed-open", "param-removed-closed"),
    doc=Doc(
        means="The tool takes one more argument, which may be left out.",
        matters="Old calls stay valid. The model reads the new parameter and may use it.",
        do="Approve it once.",
        cannot_see=(
            "Whether leaving it out means what the call meant before: if its default narrows the result, that is a kind of its "
            "own, told by name and default only."
        ),
        source="JSON Schema 2020-12, core, 10.3.2: a property that is not in `required` may be absent.",
    ),
)
