"""The relay of a stdio pipe as a value: bytes of one side in, effects out. It reads and writes nothing itself.

Effects are carried out in order. `Record` stands before `Forward`: what may be told of bytes is written down before
they go on. What is forwarded is what came, byte for byte; nothing is built anew.

How long a line is held back, until what it says is recorded:

    up to SMALL_LINE_BYTES      whole: record, then forward
    longer, from the server     recorded as arriving, then forwarded as it comes; its facts are recorded when it ends
    longer, from the client     whole, up to HELD_REQUEST_BYTES (a request is not to leave before its record); beyond that
                                as from the server

One `Record` for one read, however many frames it holds, so that several share one commit. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import EvidenceBeat, EvidenceGap, Fact, Side
from witnessmark.observe.observer import Observer
from witnessmark.wire.lines import BigLineEnded, BigLineStarted, Frame, HeaderLine, Line, LineReader, Truncated
from witnessmark.wire.strictjson import MAX_FRAME_BYTES

SMALL_LINE_BYTES: Final = 64 * 1024
"""A line up to this size is held until it is whole: it is one read of a pipe, so holding it costs no time that is felt."""

HELD_REQUEST_BYTES: Final = MAX_FRAME_BYTES
"""A request up to this size is held until it is whole and recorded: as much as is decoded."""


class Record(NamedTuple):
    """Write these entries down, all of them, before the next effect."""

    entries: tuple[Entry, ...]


class Forward(NamedTuple):
    """Send these bytes to that side, as they are."""

    to: Side
    data: bytes


Effect = Record | Forward
Effects = Sequence[Effect]

_OTHER: Final[dict[Side, Side]] = {"client": "server", "server": "client"}


class Direction:
    """One direction of the pipe: its reader, what is held back, and whether the line that is arriving already passes."""

    __slots__ = ("held", "held_bytes", "limit", "passing", "reader", "side", "to")

    def __init__(self, side: Side, limit: int) -> None:
        self.side = side
        self.to = _OTHER[side]
        self.limit = limit
        self.reader = LineReader()
        self.held: list[bytes] = []
        self.held_bytes = 0
        self.passing = False

    def hold(self, data: bytes) -> None:
        """Keeps bytes back."""
        if data:
            self.held.append(data)
            self.held_bytes += len(data)

    def release(self) -> bytes:
        """Everything that was kept back, as one piece."""
        data = self.held[0] if len(self.held) == 1 else b"".join(self.held)
        self.held.clear()
        self.held_bytes = 0
        return data


class Relay:
    """One stdio session between a client and a server: `channel` names its pipe in the facts."""

    __slots__ = ("_channel", "_client", "_observer", "_recorder", "_server")

    def __init__(self, observer: Observer, recorder: Recorder, *, channel: str = "0") -> None:
        self._observer = observer
        self._recorder = recorder
        self._channel = channel
        self._client = Direction("client", HELD_REQUEST_BYTES)
        self._server = Direction("server", SMALL_LINE_BYTES)

    # --- traffic ------------------------------------------------------------------------------------------------------

    def receive(self, side: Side, data: bytes, now_us: int) -> Effects:
        """The effects of bytes that came from one side."""
        way = self._client if side == "client" else self._server
        if not data:
            return []
        end = data.rfind(b"\n") + 1
        if way.passing:
            return self._receive_passing(way, data, now_us)
        facts: list[Fact] = []
        for frame in way.reader.feed(data):
            facts += self._facts(way, frame)
        if end == len(data):  # the usual case: whole lines
            whole = data
            if way.held:
                way.hold(data)
                whole = way.release()
            return self._effects(facts, way.to, whole, now_us)
        if end:
            way.hold(data[:end])
            whole = way.release()
            way.hold(data[end:])
        else:
            whole = b""
            way.hold(data)
        if way.held_bytes > way.limit:
            facts += self._observer.arriving(self._channel, way.side, way.limit)
            way.passing = True
            whole += way.release()
        return self._effects(facts, way.to, whole, now_us)

    def _receive_passing(self, way: Direction, data: bytes, now_us: int) -> Effects:
        """The effects of bytes while a large line passes: they go on at once; its facts come when it ends."""
        first_end = data.find(b"\n") + 1
        if not first_end:
            way.reader.feed(data)  # no line ends here, so no frame has facts yet
            return [Forward(way.to, data)]
        tail, rest = data[:first_end], data[first_end:]
        facts: list[Fact] = []
        for frame in way.reader.feed(tail):
            facts += self._facts(way, frame)
        way.passing = False
        effects = list(self._effects(facts, way.to, tail, now_us))
        return [*effects, *self.receive(way.side, rest, now_us)] if rest else effects

    def _facts(self, way: Direction, frame: Frame) -> list[Fact]:
        """The facts of one frame. A large line that came in one piece is told of as arriving too, so that any cutting of the
        same bytes gives the same facts.
        """
        side = way.side
        if type(frame) is Line:
            facts = self._observer.line(self._channel, side, frame.data, crlf=frame.crlf)
            large = len(frame.data) + frame.crlf > way.limit
        elif type(frame) is HeaderLine:
            return self._observer.header_line(self._channel, side, frame.size)
        elif type(frame) is BigLineEnded:
            facts = self._observer.big_line(self._channel, side, frame.envelope)
            large = True
        elif type(frame) is Truncated:
            return self._observer.truncated(self._channel, side, frame.data, frame.size)
        else:
            assert type(frame) is BigLineStarted
            return []
        if large and not way.passing:
            return self._observer.arriving(self._channel, side, way.limit) + facts
        return facts

    def _effects(self, facts: Sequence[Fact], to: Side, data: bytes, now_us: int) -> Effects:
        """Record, then forward; either is left out where there is nothing of it."""
        if not facts:
            return [Forward(to, data)] if data else []
        record = self._recorder.record
        entries = Record(tuple([record(fact, now_us) for fact in facts]))
        return [entries, Forward(to, data)] if data else [entries]

    def _recorded(self, facts: Sequence[Fact], now_us: int) -> Effects:
        return self._effects(facts, "client", b"", now_us)

    # --- the session's own events -------------------------------------------------------------------------------------

    def opened(self, now_us: int) -> Effects:
        """The effects of the pipe being there; first of all."""
        return self._recorded(self._observer.opened(self._channel), now_us)

    def eof(self, side: Side, now_us: int) -> Effects:
        """The effects of one side's end of file: what was held back of an unfinished line is recorded and forwarded."""
        way = self._client if side == "client" else self._server
        facts: list[Fact] = []
        for frame in way.reader.close():
            facts += self._facts(way, frame)
        way.passing = False
        return self._effects(facts, way.to, way.release(), now_us)

    def exited(self, code: int | None, by: str, now_us: int) -> Effects:
        """The effects of the channel's end: by whom (client | server | tap), and the server's exit code if known."""
        return self._recorded(self._observer.closed(self._channel, by, code), now_us)

    def gap(self, reason: str, count: int | None, now_us: int) -> Effects:
        """The effects of observations that were lost here: how many, if known."""
        return self._recorded([EvidenceGap(server=self._observer.server, channel=self._channel, reason=reason, count=count)], now_us)

    def cancel(self, id_: str, now_us: int) -> Effects | None:
        """The effects of cancelling an open request of the client's towards the server, as the policy asked: recorded as ours.

        None where that cannot be said now, because a large request is passing; nothing where no such request is open.
        """
        if self._client.passing:
            return None
        cancelled = self._observer.cancel(self._channel, id_)
        if cancelled is None:
            return []
        message, facts = cancelled
        return self._effects(facts, "server", message, now_us)

    def note(self, facts: Sequence[Fact], now_us: int) -> Effects:
        """The effects of facts that the driver made itself."""
        return self._recorded(facts, now_us)

    def beat(self, now_us: int) -> Effects:
        """The effects of nothing having happened: the log speaks up to now."""
        return self._recorded([EvidenceBeat(server=self._observer.server, channel=self._channel)], now_us)

    def close(self, now_us: int) -> Effects:
        """The effects of the relay's end: the last word of its log, once."""
        return [] if self._recorder.closed else [Record((self._recorder.close(now_us),))]
