"""All parameters vanished and everything is accepted: every argument is undeclared."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Whether the top declared names and declares none now, while any is taken."""
    for names in pair.input.names:
        if names.emptied and not names.spot.levels:
            why = f"all {len(names.spot.old.properties)} parameters are undeclared now; arguments are accepted unseen"
            yield Found(pointer=pair.input.pointer, why=why, before=pair.input.old, after=pair.input.new)


RULE = Rule(
    kind="schema-emptied",
    name="All parameters vanished",
    old_caller="silent",
    model_told="changed",
    confidence="high",
    step="stop",
    action="stop; pin the server and its dependencies",
    find=find,
    mirror=("schema-filled",),
    doc=Doc(
        means="The tool declared parameters; now it declares none and refuses none.",
        matters=(
            "Every argument is undeclared: the model no longer knows what to send, and what it sends may be read, dropped or "
            "misread. Some clients drop such tools."
        ),
        do="Pin the server and its dependencies, or report it to the server's owner.",
        cannot_see="Whether the server still reads its old arguments.",
        source="Seen when a server's floating dependency (a validator library) changed while its own version did not.",
    ),
)
