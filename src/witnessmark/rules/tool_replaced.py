"""One name, another contract: almost no parameter is left."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule

# Parameters that a tool must have had for their loss to mean something.
_MIN_PARAMETERS = 3
_KEPT_SHARE = 0.2


def find(pair: Pair) -> Iterator[Found]:
    """Whether less than a fifth of the parameters is left, renamed ones counted as left."""
    top = next((names for names in pair.input.names if not names.spot.levels), None)
    if top is None or not top.added or len(top.spot.old.properties) < _MIN_PARAMETERS:
        return
    lost = len(top.gone) + len(top.moved)
    kept = 1 - lost / len(top.spot.old.properties)
    if kept < _KEPT_SHARE:
        why = f"{lost} of {len(top.spot.old.properties)} parameters are gone and {len(top.added)} are new"
        yield Found(pointer="", why=why, before=sorted(top.spot.old.properties), after=sorted(top.spot.new.properties))


RULE = Rule(
    kind="tool-replaced",
    name="A tool was replaced under its name",
    old_caller="silent",
    model_told="escalated",
    confidence="medium",
    step="approve",
    action="treat it as a new tool: read it, then approve it",
    find=find,
    mirror=("tool-replaced",),
    doc=Doc(
        means="The tool kept its name and lost more than four of five of its parameters, while it gained others.",
        matters="What was approved under this name is gone. An agent that holds the old contract calls something else.",
        do="Read it as a new tool and approve it as one.",
        cannot_see="Whether the new tool does the same work with other parameters.",
        source="A threshold of one fifth, chosen so that no labelled rename of single parameters reaches it.",
    ),
)
