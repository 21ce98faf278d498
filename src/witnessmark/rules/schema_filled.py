"""A tool that declared no parameters declares some."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Whether the top declares names for the first time."""
    top = pair.input.new_top
    if top.properties and pair.input.old_top.free_map:
        why = f"{len(top.properties)} parameters are declared for the first time"
        yield Found(pointer=pair.input.pointer, why=why, before=pair.input.old, after=pair.input.new)


RULE = Rule(
    kind="schema-filled",
    name="Parameters are declared for the first time",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="read",
    action="read the parameters, then approve them",
    find=find,
    mirror=("schema-emptied", "param-removed-closed"),
    doc=Doc(
        means="The tool declared no parameters; now it does.",
        matters="Old calls stay valid unless a parameter is required. The model reads all of them for the first time.",
        do="Read the parameters; approve them.",
        cannot_see="Whether the server read these arguments all along.",
        source="The way back of a schema that a floating dependency emptied.",
    ),
)
