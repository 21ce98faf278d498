"""The relay of a stdio pipe with a gate in it: as observe/relay.py, but a call goes on only when the gate lets it.

`WatchingRelay` changes nothing: it asks the gate what it would have said. `GatedRelay` holds every line until it is whole, so
that nothing is sent before it was looked at: requests up to HELD_REQUEST_BYTES (a larger one is refused), answers up to
SMALL_LINE_BYTES (a larger one passes as it comes unless a list of the client's is open, for which up to MAX_LIST_BYTES are held).
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Sequence

from witnessmark.errors import PeerError
from witnessmark.gate.answers import Step
from witnessmark.gate.session import GateSession
from witnessmark.gate.withholding import MAX_LIST_BYTES
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import EvidenceBeat, EvidenceGap, Fact, Side
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import HELD_REQUEST_BYTES, SMALL_LINE_BYTES, Direction, Effect, Effects, Forward, Record, Relay
from witnessmark.wire.lines import BigLineEnded, BigLineStarted, Frame, HeaderLine, Line, LineReader, Truncated


class WatchingRelay(Relay):
    """A relay that forwards as ever and records what the gate would have said."""

    __slots__ = ("_gate", "_now_us")

    def __init__(self, observer: Observer, recorder: Recorder, gate: GateSession, *, channel: str = "0") -> None:
        super().__init__(observer, recorder, channel=channel)
        self._gate = gate
        self._now_us = 0

    def receive(self, side: Side, data: bytes, now_us: int) -> Effects:
        """As Relay, with the gate's facts among the others."""
        self._now_us = now_us
        return super().receive(side, data, now_us)

    def _facts(self, way: Direction, frame: Frame) -> list[Fact]:
        facts = super()._facts(way, frame)
        self._gate.saw(facts, self._now_us)
        if type(frame) is not Line:
            return facts
        line = frame.data + b"\n"
        step = self._gate.client_line(line, self._now_us) if way.side == "client" else self._gate.server_line(line, facts, self._now_us)
        return facts + step.facts if step.facts else facts


class _Way:
    """One direction: its reader, the line that is arriving, and whether the rest of it passes or is thrown away."""

    __slots__ = ("held", "passing", "reader", "refused", "side", "size")

    def __init__(self, side: Side) -> None:
        self.side = side
        self.reader = LineReader()
        self.held: list[bytes] = []
        self.size = 0
        self.passing = False
        self.refused = False


class GatedRelay:
    """One stdio session in `enforce`. Effects are carried out in order; each Record stands before what it is about."""

    def __init__(self, observer: Observer, recorder: Recorder, gate: GateSession, *, channel: str = "0") -> None:
        self._observer = observer
        self._recorder = recorder
        self._gate = gate
        self._channel = channel
        self._client = _Way("client")
        self._server = _Way("server")

    @property
    def due_us(self) -> int | None:
        """When `wake` wants to be called."""
        return self._gate.due_us

    def wake(self, now_us: int) -> Effects:
        """The effects of time."""
        return self._carried(self._gate.wake(now_us), now_us)

    def step(self, step: Step, now_us: int) -> Effects:
        """The effects of a step that the driver made itself."""
        return self._carried(step, now_us)

    # --- traffic -----------------------------------------------------------------------------------------------------

    def receive(self, side: Side, data: bytes, now_us: int) -> Effects:
        """The effects of bytes that came from one side. PeerError where an answer to a list is too large to be looked at."""
        way = self._client if side == "client" else self._server
        effects: list[Effect] = []
        start = 0
        while start < len(data):
            end = data.find(b"\n", start) + 1 or len(data)
            piece = data[start:end]
            start = end
            if piece.endswith(b"\n"):
                effects += self._ended(way, piece, now_us)
            else:
                effects += self._growing(way, piece, now_us)
        return effects

    def _growing(self, way: _Way, piece: bytes, now_us: int) -> Effects:
        """A piece of a line whose end has not come."""
        way.size += len(piece)
        if way.passing:
            way.reader.feed(piece)
            return [Forward("client", piece)]
        if way.refused:
            way.reader.feed(piece)
            return []
        way.held.append(piece)
        if way.side == "client":
            if way.size > HELD_REQUEST_BYTES:
                self._feed_held(way)
                way.refused = True
                return self._recorded(self._observer.arriving(self._channel, "client", HELD_REQUEST_BYTES), now_us)
        elif self._gate.lists_waited_for:
            if way.size > MAX_LIST_BYTES:
                raise PeerError(
                    f"an answer of more than {MAX_LIST_BYTES >> 20} MiB while a list is open: it cannot be checked",
                    where="the server",
                    hint="page the list, or use observe mode for this server",
                )
        elif way.size > SMALL_LINE_BYTES:
            whole = self._feed_held(way)
            way.passing = True
            facts = self._observer.arriving(self._channel, "server", SMALL_LINE_BYTES)
            return [*self._recorded(facts, now_us), Forward("client", whole)]
        return []

    @staticmethod
    def _feed_held(way: _Way) -> bytes:
        whole = b"".join(way.held)
        way.held.clear()
        way.reader.feed(whole)
        return whole

    def _ended(self, way: _Way, piece: bytes, now_us: int) -> Effects:
        """The effects of a line that is whole with this piece."""
        line = b"".join((*way.held, piece))
        passing, refused = way.passing, way.refused
        way.held.clear()
        way.size = 0
        way.passing = way.refused = False
        if way.side == "server" and not passing and self._gate.mine(line):
            return self._carried(self._gate.own_answer(line, now_us), now_us)
        if way.side == "server" and not passing:
            first = self._gate.first_page(line, now_us)
            if first is not None:
                return self._carried(first, now_us)
        facts: list[Fact] = []
        for frame in way.reader.feed(piece if passing or refused else line):
            facts += self._facts(way.side, frame)
        self._gate.saw(facts, now_us)
        if passing:
            return [*self._recorded(facts, now_us), Forward("client", piece)]
        if refused:
            step = self._gate.too_large(facts)
        elif way.side == "client":
            step = self._gate.client_line(line, now_us)
        else:
            step = self._gate.server_line(line, facts, now_us)
        return self._carried(Step(facts + step.facts, step.out), now_us)

    def _facts(self, side: Side, frame: Frame) -> list[Fact]:
        observer, channel = self._observer, self._channel
        if type(frame) is Line:
            return observer.line(channel, side, frame.data, crlf=frame.crlf)
        if type(frame) is HeaderLine:
            return observer.header_line(channel, side, frame.size)
        if type(frame) is BigLineEnded:
            return observer.big_line(channel, side, frame.envelope)
        if type(frame) is Truncated:
            return observer.truncated(channel, side, frame.data, frame.size)
        assert type(frame) is BigLineStarted
        return []

    def _carried(self, step: Step, now_us: int) -> Effects:
        effects = [*self._recorded(step.facts, now_us), *step.out]
        for line in step.spoken:
            effects += self._spoken(line, now_us)
        return effects

    def _spoken(self, line: bytes, now_us: int) -> Effects:
        """The effects of a line of the server's that was put together here: observed and delivered as any other."""
        facts = self._observer.line(self._channel, "server", line.rstrip(b"\r\n"))
        self._gate.saw(facts, now_us)
        step = self._gate.server_line(line, facts, now_us)
        return self._carried(Step(facts + step.facts, step.out), now_us)

    def _recorded(self, facts: Sequence[Fact], now_us: int) -> list[Effect]:
        if not facts:
            return []
        return [Record(tuple([self._recorder.record(fact, now_us) for fact in facts]))]

    # --- the session's own events ------------------------------------------------------------------------------------

    def opened(self, now_us: int) -> Effects:
        """The effects of the pipe being there; first of all."""
        facts = self._observer.opened(self._channel)
        self._gate.saw(facts, now_us)
        return self._recorded(facts, now_us)

    def eof(self, side: Side, now_us: int) -> Effects:
        """The effects of one side's end of file: an unfinished line of the server's goes on, one of the client's does not."""
        way = self._client if side == "client" else self._server
        rest = b"".join(way.held)
        way.held.clear()
        facts: list[Fact] = []
        for frame in [*way.reader.feed(rest), *way.reader.close()]:
            facts += self._facts(side, frame)
        effects = self._recorded(facts, now_us)
        if side == "server":
            return [*effects, Forward("client", rest)] if rest else effects
        return [*effects, *self._carried(self._gate.ended(now_us), now_us)]

    def exited(self, code: int | None, by: str, now_us: int) -> Effects:
        """The effects of the channel's end: by whom (client | server | tap), and the server's exit code if known."""
        ended = self._carried(self._gate.ended(now_us), now_us)
        return [*ended, *self._recorded(self._observer.closed(self._channel, by, code), now_us)]

    def gap(self, reason: str, count: int | None, now_us: int) -> Effects:
        """The effects of observations that were lost here: how many, if known."""
        gap: list[Fact] = [EvidenceGap(server=self._observer.server, channel=self._channel, reason=reason, count=count)]
        self._gate.saw(gap, now_us)
        return self._recorded(gap, now_us)

    def cancel(self, id_: str, now_us: int) -> Effects | None:
        """As Relay.cancel; None too while the gate holds a call, which may be the one."""
        if self._gate.holding or self._client.refused:
            return None
        cancelled = self._observer.cancel(self._channel, id_)
        if cancelled is None:
            return []
        message, facts = cancelled
        return [*self._recorded(facts, now_us), Forward("server", message)]

    def note(self, facts: Sequence[Fact], now_us: int) -> Effects:
        """As Relay.note."""
        return self._recorded(facts, now_us)

    def beat(self, now_us: int) -> Effects:
        """The effects of nothing having happened: the log speaks up to now."""
        return self._recorded([EvidenceBeat(server=self._observer.server, channel=self._channel)], now_us)

    def close(self, now_us: int) -> Effects:
        """The effects of the relay's end: the last word of its log, once."""
        return [] if self._recorder.closed else [Record((self._recorder.close(now_us),))]
