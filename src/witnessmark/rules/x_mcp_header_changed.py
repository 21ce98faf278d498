"""An argument travels as another header."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Parameters whose header was changed."""
    for spot in pair.input.spots:
        old, new = spot.old.schema.get("x-mcp-header", ABSENT), spot.new.schema.get("x-mcp-header", ABSENT)
        if old is not ABSENT and new is not ABSENT and not same(old, new):
            yield Found(
                pointer=f"{spot.pointer}/x-mcp-header", why="the header that carries this argument was changed", before=old, after=new
            )


RULE = Rule(
    kind="x-mcp-header-changed",
    name="A header of an argument was changed",
    old_caller="silent",
    model_told="same",
    confidence="high",
    step="read",
    action="check what the client lists and sends",
    find=find,
    mirror=("x-mcp-header-changed",),
    doc=Doc(
        means="`x-mcp-header` of a parameter was changed: over Streamable HTTP the argument is sent as a header too.",
        matters=(
            "A client that holds the old contract sends the old headers: a server or gateway that reads them decides otherwise. "
            "An invalid header makes clients drop the tool. On stdio nothing changes."
        ),
        do="Check what the client lists and sends.",
        cannot_see="The transport in use, and who reads the header.",
        source="MCP specification 2026-07-28, Streamable HTTP: an argument with `x-mcp-header` travels as a header too.",
    ),
)
