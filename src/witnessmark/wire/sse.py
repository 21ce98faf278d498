"""Cut a text/event-stream body into events and comments, in bounded memory, whatever the chunks are.

(WHATWG HTML, "Server-sent events", 9.2.5 and 9.2.6.) Lines end in CR, LF or CRLF. Unlike a browser, this reader also
reports what a browser swallows: comments (servers keep streams alive with them) and blocks without data (an `id` or a
`retry` alone). An event with an empty `data` line has data b"": the priming event of 2025-11-25 basic/transports.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from witnessmark.wire.bigframe import BigFrameScanner
from witnessmark.wire.envelope import Envelope
from witnessmark.wire.strictjson import MAX_FRAME_BYTES

MAX_FIELD_BYTES: Final = 4096
"""Bytes of a line that is not data (id, event, retry, comment) which are looked at; ids seen in the field stay below 100."""

_LINE_END: Final = re.compile(rb"[\r\n]")
_BOM: Final = b"\xef\xbb\xbf"
_LF: Final = 0x0A
_DATA: Final = b"data:"
_DIGITS: Final = re.compile(rb"[0-9]{1,12}")


class SseEvent(msgspec.Struct, frozen=True):
    """One block of fields, ended by an empty line.

    `data` is None where the block had no data line, or more than the limit (then `envelope` is set). `size` counts the
    data's bytes. `id` and `event` are raw text of the peer's: hash or drop them. `retry_ms` is in milliseconds.
    """

    data: bytes | None
    size: int
    event: str
    id: str | None
    retry_ms: int | None
    envelope: Envelope | None

    @property
    def priming(self) -> bool:
        """True for an event that has an id and empty data: it carries no message and makes the stream resumable."""
        return self.data == b"" and self.id is not None


class SseComment(msgspec.Struct, frozen=True):
    """A comment line of `size` bytes (without its end), content dropped."""

    size: int


class SseTruncated(msgspec.Struct, frozen=True):
    """The body ended inside a block that had `size` bytes of data so far; a browser would not deliver it."""

    size: int


SseItem = SseEvent | SseComment | SseTruncated


class SseReader:
    """Items of one response body: `feed` chunks, then `close`."""

    __slots__ = (
        "_after_cr",
        "_at_start",
        "_big",
        "_data",
        "_event",
        "_has_data",
        "_id",
        "_limit",
        "_line",
        "_line_size",
        "_retry_ms",
        "_size",
        "_streaming",
        "_touched",
    )

    def __init__(self, *, buffer_limit_bytes: int = MAX_FRAME_BYTES) -> None:
        self._limit = buffer_limit_bytes
        self._line = bytearray()
        self._line_size = 0
        self._streaming = False
        self._after_cr = False
        self._at_start = True
        self._data = bytearray()
        self._start_block()

    def feed(self, chunk: bytes) -> list[SseItem]:
        """The items that `chunk` completes, in order."""
        items: list[SseItem] = []
        position = 0
        while position < len(chunk):
            if self._after_cr:
                self._after_cr = False
                if chunk[position] == _LF:
                    position += 1
                    continue
            found = _LINE_END.search(chunk, position)
            end = len(chunk) if found is None else found.start()
            self._grow(chunk[position:end])
            if found is None:
                break
            self._after_cr = chunk[end] != _LF
            self._end_line(items)
            position = end + 1
        return items

    def close(self) -> list[SseItem]:
        """What the end of the body cut off, if anything."""
        cut = self._touched or self._line_size > 0
        arriving = max(0, len(self._line) - len(_DATA)) if self._line.startswith(_DATA) and not self._streaming else 0
        item = SseTruncated(self._size + arriving)
        self._line.clear()
        self._line_size = 0
        self._streaming = False
        self._start_block()
        return [item] if cut else []

    def _start_block(self) -> None:
        self._data.clear()
        self._big: BigFrameScanner | None = None
        self._size = 0
        self._has_data = False
        self._event = ""
        self._id: str | None = None
        self._retry_ms: int | None = None
        self._touched = False

    def _grow(self, part: bytes) -> None:
        if not part:
            return
        self._line_size += len(part)
        if self._streaming:
            if self._big is not None:
                self._big.feed(part)
            self._size += len(part)
            return
        self._line += part
        if self._at_start and self._line.startswith(_BOM):
            del self._line[: len(_BOM)]
            self._line_size -= len(_BOM)
            self._at_start = False
        if self._line.startswith(_DATA):
            if len(self._data) + len(self._line) > self._limit or self._big is not None:
                self._stream_line()
        elif len(self._line) > MAX_FIELD_BYTES:
            del self._line[MAX_FIELD_BYTES:]

    def _stream_line(self) -> None:
        """From here on the data is scanned and not kept; the line's value so far goes first."""
        if len(self._line) == len(_DATA):
            return  # the space after the colon may still come
        if self._big is None:
            self._big = BigFrameScanner()
            self._big.feed(bytes(self._data))
            self._data.clear()
        self._take_data(_value(bytes(self._line), len(_DATA)))
        del self._line[len(_DATA) :]
        self._streaming = True

    def _take_data(self, value: bytes) -> None:
        if self._has_data:
            value = b"\n" + value
        self._has_data = True
        self._size += len(value)
        if self._big is not None:
            self._big.feed(value)
        else:
            self._data += value

    def _end_line(self, items: list[SseItem]) -> None:
        line = bytes(self._line)
        self._at_start = False
        size = self._line_size
        streamed = self._streaming
        self._line.clear()
        self._line_size = 0
        self._streaming = False
        if not line:
            if self._touched:
                items.append(self._block())
            self._start_block()
        elif line.startswith(b":"):
            items.append(SseComment(size))
        else:
            self._touched = True
            if not streamed:
                self._field(line)

    def _field(self, line: bytes) -> None:
        name, colon, _ = line.partition(b":")
        value = _value(line, len(name) + 1) if colon else b""
        if name == b"data":
            self._take_data(value)
        elif name == b"event":
            self._event = value.decode(errors="replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode(errors="replace")
        elif name == b"retry" and _DIGITS.fullmatch(value):
            self._retry_ms = int(value)

    def _block(self) -> SseEvent:
        envelope = self._big.envelope() if self._big is not None else None
        data = bytes(self._data) if self._has_data and self._big is None else None
        return SseEvent(data, self._size, self._event, self._id, self._retry_ms, envelope)


def _value(line: bytes, start: int) -> bytes:
    """What stands after the colon, without the one space that may follow it."""
    return line[start + 1 :] if line[start : start + 1] == b" " else line[start:]
