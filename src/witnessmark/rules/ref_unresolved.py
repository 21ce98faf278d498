"""A reference that leads nowhere or in a circle: the contract cannot be judged."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spots import references
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Such references of the new schemas that the old ones do not have."""
    for side in (pair.input, pair.output):
        known = {text for text, unread in references(side.old) if unread == "unresolved"}
        for text in sorted({text for text, unread in references(side.new) if unread == "unresolved"} - known):
            yield Found(pointer=side.pointer, why=f"{quoted(text)} leads nowhere or in a circle", after=text)


RULE = Rule(
    kind="ref-unresolved",
    name="A reference leads nowhere",
    old_caller="silent",
    model_told="changed",
    confidence="low",
    step="stop",
    action="stop; report it to the server's owner",
    find=find,
    doc=Doc(
        means="The new schema has a reference that leads nowhere or in a circle.",
        matters="What the tool accepts cannot be known from its contract.",
        do="Do not approve it; report it to the server's owner.",
        cannot_see="Everything behind the reference.",
        source="JSON Schema 2020-12, core 8.2.3 ($ref).",
    ),
)
