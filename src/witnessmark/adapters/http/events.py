"""Cuts an event stream into its blocks, with their bytes as they came: what goes on block by block can be looked at first."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

MAX_BLOCK_BYTES: Final = 64 << 20
"""One event that is held until it is whole, in `enforce` only: as much as one answer to a list."""
_END: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n|\r\n\n")
_LINES: Final = re.compile(rb"\r\n|\n|\r")


class Block(NamedTuple):
    """A block of fields with its empty line (`raw`), and the data in it."""

    raw: bytes
    data: bytes

    def saying(self, data: bytes) -> bytes:
        """The block with other data: its other fields stay."""
        lines = [line for line in _LINES.split(self.raw.rstrip(b"\r\n")) if line and not line.startswith(b"data")]
        return b"\n".join([*lines, b"data: " + data, b"", b""])


class EventSplitter:
    """Blocks of one stream: `feed` chunks, then `rest`."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, chunk: bytes) -> list[Block]:
        """The blocks that the chunk completes. ValueError for one beyond the limit."""
        start = max(0, len(self._held) - 3)
        self._held += chunk
        found: list[Block] = []
        while (end := _END.search(self._held, start)) is not None:
            raw = bytes(self._held[: end.end()])
            del self._held[: end.end()]
            start = 0
            found.append(Block(raw, _data(raw)))
        if len(self._held) > MAX_BLOCK_BYTES:
            raise ValueError("an event is too large to be looked at")
        return found

    def rest(self) -> bytes:
        """What is left at the end: a block that never ended."""
        rest = bytes(self._held)
        self._held.clear()
        return rest


def _data(raw: bytes) -> bytes:
    lines = []
    for line in _LINES.split(raw):
        if line.startswith(b"data:"):
            value = line[5:]
            lines.append(value[1:] if value[:1] == b" " else value)
    return b"\n".join(lines)
