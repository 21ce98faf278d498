"""The body of one HTTP response as it passes: what may be told of it, whatever its form and its cutting.

A JSON body is one message, known when it is whole; an event stream tells with each event. A body that a gateway compressed is read
through a bounded copy, while the bytes themselves pass as they came. Pure: no I/O, no clock.

    application/json            held up to SMALL_BODY_BYTES, then it passes as it comes; told when it is whole
    text/event-stream           passes as it comes; each event is told when it is whole
    anything else, or a coding that is not understood here     passes; told by its status alone
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, Final

from witnessmark.model.evidence import EvidenceGap, Fact
from witnessmark.observe.observer import Observer
from witnessmark.observe.wirefaults import holds_mark
from witnessmark.wire.bigframe import BigFrameScanner
from witnessmark.wire.httpfacts import ContentKind, response_facts
from witnessmark.wire.sse import SseEvent, SseReader
from witnessmark.wire.strictjson import MAX_FRAME_BYTES

SMALL_BODY_BYTES: Final = 64 * 1024
"""A JSON answer up to this size is recorded whole before it goes on, as over stdio."""
MAX_INFLATED_BYTES: Final = 16 * MAX_FRAME_BYTES
"""How much a compressed body may grow in the copy that is read: 64 MiB; beyond it the rest is not read, and the evidence says so."""
UNREADABLE_CODING: Final = "content_encoding"

_WINDOW: Final[dict[str, int]] = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class _Copy:
    """What is read of a body: itself, or its bounded inflation."""

    def __init__(self, coding: str) -> None:
        self._inflate = zlib.decompressobj(_WINDOW[coding]) if coding in _WINDOW else None
        self._left = MAX_INFLATED_BYTES
        self.unreadable = bool(coding) and coding != "identity" and self._inflate is None

    def feed(self, chunk: bytes) -> bytes:
        """What the chunk tells; nothing from where it cannot be read any more."""
        if self.unreadable or self._inflate is None:
            return b"" if self.unreadable else chunk
        try:
            plain = self._inflate.decompress(chunk, self._left)
        except zlib.error:
            self.unreadable = True
            return b""
        self._left -= len(plain)
        if not self._left or self._inflate.unconsumed_tail:
            self.unreadable = True
        return plain


class ResponseBody:
    """One response: fed by `head`, `chunk` and `end`; each gives the facts that are due. `holds`: its bytes must wait for the end."""

    __slots__ = ("_big", "_channel", "_copy", "_gap", "_head", "_kind", "_observer", "_reader", "_size", "_waiting", "holds")

    def __init__(self, observer: Observer, channel: str, head: Mapping[str, Any]) -> None:
        self._observer = observer
        self._channel = channel
        self._head = head
        facts = response_facts(head)
        self._kind = facts.content
        coding = next((value for name, value in head["headers"] if name.lower() == "content-encoding"), "")
        self._copy = _Copy(coding.strip().lower())
        self._reader = SseReader() if self._kind is ContentKind.SSE else None
        self._waiting: list[bytes] = []
        self._size = 0
        self._big: BigFrameScanner | None = None
        self._gap = False
        self.holds = self._kind is ContentKind.JSON

    def head(self) -> list[Fact]:
        """The facts of the head, where they need not wait for the body."""
        if self._reader is None:
            return []
        return self._observer.http_response(self._channel, self._head, body=False)

    def chunk(self, chunk: bytes) -> list[Fact]:
        """The facts that the chunk completes."""
        plain = self._copy.feed(chunk)
        if self._reader is not None:
            return [*self._events(plain), *self._unread()]
        self._size += len(plain)
        if self._kind is not ContentKind.JSON:
            return []
        if self._big is not None:
            self._big.feed(plain)
            return []
        self._waiting.append(plain)
        if self._size > MAX_FRAME_BYTES:
            self._big = BigFrameScanner()
            self._big.feed(b"".join(self._waiting))
            self._waiting.clear()
        if self.holds and self._size > SMALL_BODY_BYTES:
            self.holds = False
            return self._observer.arriving(self._channel, "server", SMALL_BODY_BYTES)
        return []

    def _events(self, plain: bytes) -> list[Fact]:
        assert self._reader is not None
        facts: list[Fact] = []
        for item in self._reader.feed(plain):
            if isinstance(item, SseEvent) and item.data:
                facts += self._observer.message(self._channel, "server", item.data)
            elif isinstance(item, SseEvent) and item.envelope is not None:
                facts += self._observer.big_line(self._channel, "server", item.envelope)
        return facts

    def _unread(self) -> list[Fact]:
        """The gap of what could not be read, once."""
        if not self._copy.unreadable or self._gap:
            return []
        self._gap = True
        return [EvidenceGap(server=self._observer.server, channel=self._channel, reason=UNREADABLE_CODING, count=None)]

    def end(self) -> list[Fact]:
        """The facts of a body that came whole."""
        if self._reader is not None:
            return self._unread()
        observer, channel = self._observer, self._channel
        if self._copy.unreadable:
            # What it says is not known, so its status answers nothing either.
            observer.http_done(channel)
            return self._unread()
        if self._big is not None:
            facts = observer.http_response(channel, self._head, body=True)
            facts += observer.big_line(channel, "server", self._big.envelope())
            observer.http_done(channel)
            return facts
        body = b"".join(self._waiting)
        if self._kind is ContentKind.JSON and (holds_mark(body) or b'"id"' in body):
            facts = observer.http_response(channel, self._head, body=True)
            facts += observer.message(channel, "server", body)
            observer.http_done(channel)
            return facts
        return observer.http_response(channel, self._head, body=False, not_json=self._size > 0)
