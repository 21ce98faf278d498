"""Frames of one size as clients and servers send them, each with text of its own, and the session that comes before them."""

from __future__ import annotations

from typing import Any, Final

import msgspec

FRAME_BYTES: Final = 300
"""The frame that the budget of the pure path names; calls of agents seen in the wild have 150 to 600 bytes."""

encode: Final = msgspec.json.Encoder().encode

INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": "init-1",
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1.0"}},
}
INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def initialize_result(server: str) -> dict[str, Any]:
    """The answer to INITIALIZE."""
    result = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": server, "version": "1.0"},
    }
    return {"jsonrpc": "2.0", "id": "init-1", "result": result}


def tool(name: str, *, read_only: bool, members: tuple[str, ...]) -> dict[str, Any]:
    """A tool as servers list it, about 600 B."""
    return {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "description": f"The tool {name}: takes {', '.join(members)} and answers with one text. Paths are relative to the project's root.",
        "inputSchema": {
            "type": "object",
            "properties": {member: {"type": "string", "description": f"The {member} of what is asked for"} for member in members},
            "required": [members[0]],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": read_only, "destructiveHint": not read_only},
    }


def call_request(number: int, size: int = FRAME_BYTES) -> bytes:
    """A `tools/call` of exactly `size` bytes (at least 220), unlike that of any other number."""
    head = (
        b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"reports/w48/part-%09d.txt","why":"'
    ) % (number, number)
    tail = b'"},"_meta":{"progressToken":%d}}}' % number
    return head + _filler(number, size - len(head) - len(tail)) + tail


def call_result(number: int, size: int = FRAME_BYTES) -> bytes:
    """Its answer, of exactly `size` bytes (at least 150), unlike that of any other number."""
    head = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % number
    tail = b'"}],"isError":false}}'
    return head + _filler(number, size - len(head) - len(tail)) + tail


def _filler(number: int, size: int) -> bytes:
    """So many letters that no two numbers share."""
    word = b"%09d " % number
    return (word * (size // len(word) + 1))[:size]
