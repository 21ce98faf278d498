"""Read a transcript line by line into timed facts; memory does not grow with its length, only with what is open.

A broken line becomes a gap that names its number, a truncated last line a gap too; only what makes the whole file something
else than one transcript stops the reading (InputError). Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

from witnessmark.errors import InputError
from witnessmark.model.evidence import CatalogInstalled, Event, EvidenceClosed, EvidenceGap, Fact, RunClosed, SessionNegotiated, Side
from witnessmark.observe import receipts
from witnessmark.observe.frames import BrokenLine, Frame, Header, PlainFrame, read_frame, read_header, time_of
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Redactor
from witnessmark.observe.wirefaults import holds_mark
from witnessmark.wire.httpfacts import is_http_request
from witnessmark.wire.lines import BigLineEnded, HeaderLine, Line, LineReader, Truncated
from witnessmark.wire.sse import SseEvent, SseReader

MAX_CHANNEL_CLOCKS: Final = 16_384
"""Channels whose last time is kept; an exchange that was forgotten may run backwards against itself, not against others."""

TRANSCRIPT_KEY_ID: Final = "transcript"
_TRANSCRIPT_KEY: Final = b"facts of a transcript that is judged in memory never leave it"

_EVENT_FIELD: Final = re.compile(r"\ufeff?(?:data|id|event|retry)?:")

_ON_A_CHANNEL: Final = frozenset({"client", "server", "tap"})
_INDEPENDENT: Final = frozenset({"destination", "verifier"})

Timed = tuple[int, Fact]


class _Closed(msgspec.Struct):
    by: Literal["client", "server", "tap"]
    exit: int | None = None


_decode_closed = msgspec.json.Decoder(_Closed).decode


class TranscriptReader:
    """Lines in, timed facts out. `name` is what error messages call the transcript."""

    __slots__ = (
        "_absolute",
        "_clocks",
        "_header",
        "_initialized",
        "_last_us",
        "_line",
        "_name",
        "_observers",
        "_redact",
        "_reports",
        "_tail",
    )

    def __init__(self, name: str = "transcript", redactor: Redactor | None = None) -> None:
        self._name = name
        self._redact = redactor or Redactor(TRANSCRIPT_KEY_ID, _TRANSCRIPT_KEY)
        self._header: Header | None = None
        self._line = 0
        self._observers: dict[str, Observer] = {}
        self._absolute: bool | None = None
        self._clocks: dict[tuple[str, str], int] = {}
        self._last_us = 0
        self._initialized: dict[tuple[str, str], int] = {}
        self._tail: EvidenceGap | None = None
        self._reports: dict[str, tuple[tuple[bytes, str, int], CatalogInstalled]] = {}

    def feed(self, line: bytes) -> list[Timed]:
        """The facts of the next line. Raises InputError for a wrong header, two bases of time, or two sessions in one channel."""
        self._line += 1
        ended = line.endswith(b"\n")
        text = line.strip(b" \t\r\n")
        if self._header is None:
            self._header = read_header(text, f"{self._name}:{self._line}")
            return []
        held = self._held()
        if not text:
            return held
        try:
            return held + self._frame(text) if held else self._frame(text)
        except BrokenLine as broken:
            gap = EvidenceGap(server=broken.server, reason=broken.reason, count=1, line=self._line)
        if ended:
            return [*held, (self._last_us, gap)]
        self._tail = gap
        return held

    def _held(self) -> list[Timed]:
        """The gap of a broken line without its end, once another line shows that it was not the last."""
        gap, self._tail = self._tail, None
        return [] if gap is None else [(self._last_us, gap)]

    def finish(self) -> list[Timed]:
        """The facts at the end: a truncated last line. Raises InputError for an empty transcript."""
        if self._header is None:
            raise InputError("an empty transcript", where=self._name, hint="its first line must be the header")
        gap, self._tail = self._tail, None
        return [] if gap is None else [(self._last_us, EvidenceGap(server=gap.server, reason="truncated", count=1, line=gap.line))]

    def _frame(self, text: bytes) -> list[Timed]:
        frame = read_frame(text)
        assert self._header is not None
        server = frame.server or self._header.server
        time_us = self._time(frame, server)
        observer = self._observers.get(server)
        if observer is None:
            transport = "http" if isinstance(frame, Frame) and frame.http is not None else self._header.transport
            observer = self._observers[server] = Observer(server, self._redact, transport=transport, client=self._header.client)
        if isinstance(frame, PlainFrame):
            facts = self._message(frame, observer)
        else:
            try:
                facts = self._wire(frame, observer) if frame.sender in _ON_A_CHANNEL else self._brought(frame, observer)
            except (receipts.ReceiptError, msgspec.MsgspecError):
                raise BrokenLine("wrong_type", server) from None
        for fact in facts:
            if type(fact) is SessionNegotiated:
                self._check_session(fact, server)
        return [(time_us, fact) for fact in facts]

    @staticmethod
    def _message(frame: PlainFrame, observer: Observer) -> list[Fact]:
        """The facts of a frame that is a message and nothing else; the first one of a pipe opens it."""
        channel = frame.channel
        if observer.stdio and not observer.is_open(channel):
            return observer.opened(channel) + observer.message(channel, frame.sender, bytes(frame.message))
        return observer.message(channel, frame.sender, bytes(frame.message))

    def _time(self, frame: Frame | PlainFrame, server: str) -> int:
        time_us, absolute = time_of(frame.at)
        if absolute is not self._absolute:
            if self._absolute is not None:
                raise InputError(
                    "times of two kinds in one transcript",
                    where=f"{self._name}:{self._line}",
                    hint="give every `at` as seconds since the first frame, or every one as RFC 3339 with zone",
                )
            self._absolute = absolute
        key = (server, frame.channel or "0")
        last = self._clocks.get(key)
        if last is not None and time_us < last:
            time_us = last
        elif last != time_us:
            self._clocks[key] = time_us
            if last is None and len(self._clocks) > MAX_CHANNEL_CLOCKS:
                del self._clocks[next(iter(self._clocks))]
        self._last_us = time_us
        return time_us

    def _wire(self, frame: Frame, observer: Observer) -> list[Fact]:
        """The facts of a frame from a channel: opened by its first frame (stdio), ended by `closed`."""
        channel = frame.channel or "0"
        facts: list[Fact] = []
        sender = frame.sender
        if sender == "client" or sender == "server":  # noqa: PLR1714 - the form that the type checker narrows
            if observer.stdio and not observer.is_open(channel):
                facts = observer.opened(channel)
            facts = self._spoken(frame, observer, channel, sender, facts)
        if len(frame.installed) or len(frame.effect) or len(frame.outcome):
            facts += self._brought(frame, observer)
        if len(frame.closed):
            closed = _decode_closed(frame.closed)
            facts += observer.closed(channel, closed.by, closed.exit)
            self._initialized.pop((observer.server, channel), None)
        return facts

    def _spoken(self, frame: Frame, observer: Observer, channel: str, side: Side, facts: list[Fact]) -> list[Fact]:
        body = bytes(frame.message)
        if frame.http is not None:
            if is_http_request(frame.http):
                facts += observer.http_request(channel, frame.http)
            else:
                foreign = frame.raw is not None and not _is_events(frame.raw)
                if body and not _may_be_rpc(body):
                    body, foreign = b"", True  # what an HTTP gateway says in JSON of its own answers by its status alone
                facts += observer.http_response(channel, frame.http, body=bool(body), not_json=foreign)
        if body:
            spoken = observer.message(channel, side, body)
            facts = facts + spoken if facts else spoken
            if frame.http is not None and side == "server":
                observer.http_done(channel)
        elif frame.raw is not None and not observer.stdio and _is_events(frame.raw):
            facts += _raw_events(observer, channel, side, frame.raw)
        elif frame.raw is not None and frame.http is None:
            facts += _raw_line(observer, channel, side, frame.raw)
        return facts

    def _brought(self, frame: Frame, observer: Observer) -> list[Fact]:
        """The facts of a frame that was not seen on a channel but brought."""
        channel = frame.channel or "0"
        redact = self._redact
        independent = frame.sender in _INDEPENDENT and not frame.self_reported
        facts: list[Fact] = []
        if len(frame.installed):
            facts.append(self._installed(bytes(frame.installed), observer, channel))
        if len(frame.declare):
            facts.append(receipts.declared(bytes(frame.declare), observer, redact, channel))
        if len(frame.expect):
            facts.append(receipts.expected(bytes(frame.expect), observer, redact, channel))
        if len(frame.effect):
            facts.append(receipts.effect(bytes(frame.effect), observer, redact, frame.channel, independent=independent))
        if len(frame.outcome):
            facts.append(receipts.outcome(bytes(frame.outcome), observer, redact, channel, independent=independent))
        if len(frame.approved):
            facts.append(receipts.approved(bytes(frame.approved), observer, redact, channel))
        if frame.close is not None:
            if not frame.close:
                raise BrokenLine("wrong_type")
            facts.append(RunClosed(server=""))
        return facts

    def _installed(self, text: bytes, observer: Observer, channel: str) -> CatalogInstalled:
        """The fact of an installed report; a model request that repeats the one before it is not compared anew."""
        key = (text, channel, observer.served.generation)
        known = self._reports.get(observer.configured_name)
        if known is None or known[0] != key:
            known = self._reports[observer.configured_name] = (key, receipts.installed(text, observer, self._redact, channel))
        return known[1]

    def _check_session(self, fact: SessionNegotiated, server: str) -> None:
        """Raises InputError where a second `initialize` was accepted on a pipe that was not closed in between."""
        if fact.method != "initialize" or not self._observers[server].stdio:
            return
        key = (fact.server, fact.channel)
        first = self._initialized.get(key)
        if first is not None:
            raise InputError(
                f"two sessions in one channel: `initialize` was accepted in line {first} and again in line {self._line}",
                where=f"{self._name}:{self._line}",
                hint="give each process a channel of its own, or record its end with a `closed` frame",
            )
        self._initialized[key] = self._line


def _may_be_rpc(body: bytes) -> bool:
    """True where JSON may be a message of JSON-RPC: every message has the one member, every answer the other."""
    return holds_mark(body) or b'"id"' in body


def _is_events(text: str) -> bool:
    """True for text that begins as server-sent events do."""
    return _EVENT_FIELD.match(text) is not None


def _raw_events(observer: Observer, channel: str, side: Side, text: str) -> list[Fact]:
    """The facts of the messages in events of an HTTP stream; an event without data carries none."""
    reader = SseReader()
    facts: list[Fact] = []
    for item in [*reader.feed(text.encode("utf-8", "surrogatepass") + b"\n\n"), *reader.close()]:
        if isinstance(item, SseEvent) and item.data:
            facts += observer.message(channel, side, item.data)
        elif isinstance(item, SseEvent) and item.envelope is not None:
            facts += observer.big_line(channel, side, item.envelope)
    return facts


def _raw_line(observer: Observer, channel: str, side: Side, text: str) -> list[Fact]:
    """The facts of text that was no JSON for the recorder: one line, or several where it held line ends."""
    reader = LineReader()
    facts: list[Fact] = []
    for frame in [*reader.feed(text.encode("utf-8", "surrogatepass")), *reader.close()]:
        if isinstance(frame, Line):
            facts += observer.line(channel, side, frame.data, crlf=frame.crlf)
        elif isinstance(frame, HeaderLine):
            facts += observer.header_line(channel, side, frame.size)
        elif isinstance(frame, Truncated) and frame.data is not None:
            facts += observer.line(channel, side, frame.data)
        elif isinstance(frame, BigLineEnded | Truncated) and frame.envelope is not None:
            facts += observer.big_line(channel, side, frame.envelope)
    return facts


def read_transcript(lines: Iterable[bytes], name: str, redactor: Redactor | None = None) -> Iterator[Event]:
    """The events of a transcript, in the order of its lines, ended by the reader's own last word (count, no head: no chain).

    Raises InputError as TranscriptReader does; what was given before it stands.
    """
    reader = TranscriptReader(name, redactor)
    source = f"transcript:{name}"
    sequence = 0
    last_us = 0
    feed = reader.feed
    for line in lines:
        for last_us, fact in feed(line):
            yield Event(source, "t", sequence, "t", last_us, fact)
            sequence += 1
    for last_us, fact in reader.finish():
        yield Event(source, "t", sequence, "t", last_us, fact)
        sequence += 1
    yield Event(source, "t", sequence, "t", last_us, EvidenceClosed(count=sequence))
