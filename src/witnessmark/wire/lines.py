"""Cut the bytes of a stdio pipe into frames: one JSON-RPC text a line, of any size, in bounded memory.

(Specification, basic/transports, every revision: messages are delimited by newlines and MUST NOT contain embedded ones.)
A reader is fed chunks as they come and returns what was completed by them; it never looks ahead, so any cutting of the
same bytes gives the same frames. A line longer than `buffer_limit_bytes` is not kept: from there on only the facts of
its envelope are (bigframe).

Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from witnessmark.wire.bigframe import BigFrameScanner
from witnessmark.wire.envelope import Envelope
from witnessmark.wire.strictjson import MAX_FRAME_BYTES

BUFFER_LIMIT_BYTES: Final = MAX_FRAME_BYTES
"""Bytes of a line that are kept to be decoded as a whole; what is longer could not be decoded within the memory promised."""

PEEK_BYTES: Final = 64 * 1024
"""Bytes of an arriving line that `pending_envelope` looks at: ids stand near the start, and the look is taken once a frame."""

SMALL_PART_BYTES: Final = 4 * 1024
"""A chunk below this is copied to others like it: fed byte by byte, a line would cost forty times its size in objects."""

_HEADER_LINE: Final = re.compile(rb"content-(?:length|type)[ \t]*:", re.IGNORECASE)


class Line(msgspec.Struct, frozen=True):
    """One complete line without its end; `offset` is where it starts in the stream, `crlf` whether a CR stood before the LF."""

    data: bytes
    crlf: bool
    offset: int

    @property
    def end_offset(self) -> int:
        """Where the next line starts in the stream."""
        return self.offset + len(self.data) + (2 if self.crlf else 1)


class HeaderLine(msgspec.Struct, frozen=True):
    """A line of the framing that the Language Server Protocol uses (`Content-Length: 46`), which MCP does not; content dropped."""

    size: int
    crlf: bool
    offset: int


class BigLineStarted(msgspec.Struct, frozen=True):
    """The line that starts at `offset` has outgrown the buffer; it is still arriving."""

    offset: int


class BigLineEnded(msgspec.Struct, frozen=True):
    """A big line is complete: `size` bytes without its end, and the facts of its envelope."""

    size: int
    crlf: bool
    offset: int
    envelope: Envelope


class Truncated(msgspec.Struct, frozen=True):
    """The stream ended inside a line: `size` bytes of it came; `data` holds them unless the line was a big one."""

    data: bytes | None
    size: int
    offset: int
    envelope: Envelope | None


Frame = Line | HeaderLine | BigLineStarted | BigLineEnded | Truncated


class LineReader:
    """Frames of one direction of one pipe: `feed` chunks, then `close`. Memory: one line up to the limit, and the chunk."""

    __slots__ = ("_big", "_ends_in_cr", "_limit", "_offset", "_parts", "_pending", "_small")

    def __init__(self, *, buffer_limit_bytes: int = BUFFER_LIMIT_BYTES) -> None:
        self._limit = buffer_limit_bytes
        # Chunks as they came, joined once: one growing buffer would copy a line of a megabyte four times. Small ones grow together.
        self._parts: list[bytes] = []
        self._small = bytearray()
        self._pending = 0
        self._ends_in_cr = False
        self._offset = 0
        self._big: BigFrameScanner | None = None

    @property
    def pending(self) -> int:
        """Bytes that have come of the line that is arriving (a CR at its end included)."""
        return self._pending

    @property
    def pending_offset(self) -> int:
        """Where the line that is arriving starts in the stream; with nothing pending, the end of what was fed."""
        return self._offset

    def pending_envelope(self) -> Envelope:
        """What the line that is arriving says of itself so far; costs a scan of at most PEEK_BYTES, nothing for a big line."""
        if self._big is not None:
            return self._big.envelope()
        scanner = BigFrameScanner()
        scanner.feed(self._so_far()[:PEEK_BYTES])
        return scanner.envelope()

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that `chunk` completes, in order; an empty chunk completes none."""
        if not chunk:
            return []
        *lines, rest = chunk.split(b"\n")
        frames: list[Frame] = []
        for line in lines:
            if not self._pending and len(line) <= self._limit:
                self._finish(line, frames)
            else:
                self._grow(line, frames)
                self._finish_pending(frames)
        if rest:
            self._grow(rest, frames)
        return frames

    def close(self) -> list[Frame]:
        """The unterminated rest, if any. The reader can be fed a new stream afterwards, whose offsets go on counting."""
        size = self._pending
        if not size:
            return []
        frame: Frame
        if self._big is not None:
            frame = Truncated(None, size, self._offset, self._big.envelope())
        else:
            frame = Truncated(self._so_far(), size, self._offset, None)
        self._start_next(size)
        return [frame]

    def _so_far(self) -> bytes:
        return b"".join((*self._parts, self._small))

    def _forget(self) -> None:
        self._parts.clear()
        self._small.clear()

    def _grow(self, part: bytes, frames: list[Frame]) -> None:
        if not part:
            return
        self._pending += len(part)
        self._ends_in_cr = part.endswith(b"\r")
        if self._big is not None:
            self._big.feed(part)
            return
        if self._pending <= self._limit:
            if len(part) < SMALL_PART_BYTES:
                self._small += part
                return
            if self._small:
                self._parts.append(bytes(self._small))
                self._small.clear()
            self._parts.append(part)
            return
        self._big = BigFrameScanner()
        for earlier in (*self._parts, bytes(self._small)):
            self._big.feed(earlier)
        self._big.feed(part)
        self._forget()
        frames.append(BigLineStarted(self._offset))

    def _finish_pending(self, frames: list[Frame]) -> None:
        if self._big is None:
            self._finish(self._so_far(), frames)
            return
        size = self._pending
        crlf = self._ends_in_cr
        frames.append(BigLineEnded(size - crlf, crlf, self._offset, self._big.envelope()))
        self._start_next(size + 1)

    def _finish(self, line: bytes, frames: list[Frame]) -> None:
        size = len(line)
        crlf = line.endswith(b"\r")
        if crlf:
            line = line[:-1]
        if line[:1] in {b"C", b"c"} and _HEADER_LINE.match(line):
            frames.append(HeaderLine(len(line), crlf, self._offset))
        else:
            frames.append(Line(line, crlf, self._offset))
        self._start_next(size + 1)

    def _start_next(self, consumed: int) -> None:
        self._offset += consumed
        self._pending = 0
        self._big = None
        if self._parts or self._small:
            self._forget()
