"""A member of unknown meaning changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._meta import others
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Differences outside the contract that no other rule names."""
    yield from others(pair)


RULE = Rule(
    kind="meta-other",
    name="A member of unknown meaning changed",
    old_caller="none",
    model_told="same",
    confidence="low",
    step="note",
    action="take note",
    find=find,
    mirror=("meta-other",),
    doc=Doc(
        means="A key of `_meta`, or a member that no revision of the protocol defines, is another, new or gone.",
        matters="Its meaning is a matter between this server and clients that know it. It is outside the contract, unless it "
        "stands inside annotations or execution.",
        do="Take note; ask the owner if it appears on a tool that matters.",
        cannot_see="What the member means to those who know it.",
        source="Specification, `_meta`: reserved for metadata; keys belong to who defines them.",
    ),
)
