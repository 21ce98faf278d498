"""The icons changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from witnessmark.contract.digest import digest_of
from witnessmark.contract.pairing import Pair
from witnessmark.errors import PeerError
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Icons that differ, by digest: they are kilobytes of base64."""
    if pair.changed("icons"):
        yield Found(pointer="/icons", why="the icons differ", before=_digest(pair.old), after=_digest(pair.new))


def _digest(tool: dict[str, Any]) -> Any:
    """The digest of a tool's icons, ABSENT where it has none."""
    if "icons" not in tool:
        return ABSENT
    try:
        return digest_of(tool["icons"])
    except PeerError:
        return "no canonical form"


RULE = Rule(
    kind="icons-changed",
    name="The icons changed",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("icons-changed",),
    doc=Doc(
        means="The tool's icons are others, new or gone. They are outside the contract; only their digest is shown here.",
        matters="No call depends on them. People recognise tools by them.",
        do="Nothing; look at them if the tool asks for trust.",
        cannot_see="What the picture shows: nothing is fetched or decoded.",
        source="Specification 2025-11-25, Tool.icons: for display.",
    ),
)
