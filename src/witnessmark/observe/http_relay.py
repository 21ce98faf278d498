"""What one client's HTTP exchanges with a server tell, as entries to be written down before the bytes go on.

An exchange is a channel: a request, then the head, the chunks and the end of its response. Nothing is kept by connection
(verdicts.md section 1): the observer pairs by session, id and what the messages say. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import EvidenceBeat, EvidenceGap, Fact, SessionOpened
from witnessmark.observe.http_body import ResponseBody
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import Effects, Record
from witnessmark.wire.httpfacts import ContentKind, response_facts

_ACCEPTED: Final = 202
"""The status of a message that is answered elsewhere (all revisions), or of one that needs no answer."""


class HttpRelay:
    """One evidence session of a server behind HTTP. `saw` hears of every fact before it is recorded."""

    def __init__(self, observer: Observer, recorder: Recorder, saw: Callable[[list[Fact], int], None] | None = None) -> None:
        self._observer = observer
        self._recorder = recorder
        self._saw = saw
        self._bodies: dict[str, ResponseBody] = {}
        self._status: dict[str, int] = {}

    # --- an exchange ---------------------------------------------------------------------------------------------------

    def request(self, channel: str, head: Mapping[str, Any], body: bytes, now_us: int) -> Effects:
        """The effects of a request that is whole."""
        facts = self._observer.http_request(channel, head)
        if body.strip():
            facts += self._observer.message(channel, "client", body)
        return self._recorded(facts, now_us)

    def request_arriving(self, channel: str, head: Mapping[str, Any], size: int, now_us: int) -> Effects:
        """The effects of a request that is too large to be held: it passes while it arrives."""
        return self._recorded([*self._observer.http_request(channel, head), *self._observer.arriving(channel, "client", size)], now_us)

    def large_request(self, channel: str, envelope: Any, now_us: int) -> Effects:
        """The effects of its end: what its envelope says."""
        return self._recorded(self._observer.big_line(channel, "client", envelope), now_us)

    def response_head(self, channel: str, head: Mapping[str, Any], now_us: int) -> Effects:
        """The effects of the head of a response."""
        body = self._bodies[channel] = ResponseBody(self._observer, channel, head)
        self._status[channel] = int(head["status"])
        return self._recorded(body.head(), now_us)

    def holds(self, channel: str) -> bool:
        """Whether the bytes of this response wait until it is whole."""
        body = self._bodies.get(channel)
        return body is not None and body.holds

    def response_chunk(self, channel: str, chunk: bytes, now_us: int) -> Effects:
        """The effects of a piece of its body."""
        return self._recorded(self._bodies[channel].chunk(chunk), now_us)

    def response_end(self, channel: str, now_us: int) -> Effects:
        """The effects of its end. A stream that ends takes what was unanswered on it with it; what was accepted is answered elsewhere."""
        body = self._bodies.pop(channel, None)
        status = self._status.pop(channel, 0)
        facts = body.end() if body is not None else []
        if status != _ACCEPTED and self._observer.is_open(channel):
            facts += self._observer.closed(channel, "server")
        return self._recorded(facts, now_us)

    def broken(self, channel: str, by: str, now_us: int) -> Effects:
        """The effects of an exchange that one side ended early: by whom (client | server | tap)."""
        self._bodies.pop(channel, None)
        self._status.pop(channel, None)
        return self._recorded(self._observer.closed(channel, by), now_us)

    # --- the session's own events ----------------------------------------------------------------------------------------

    def opened(self, now_us: int) -> Effects:
        """The effects of the session being there. A stream that can carry signals is a fact of its own when it opens."""
        observer = self._observer
        return self._recorded([SessionOpened(server=observer.server, channel="0", transport="http", listening=False)], now_us)

    def told(self, facts: Sequence[Fact], now_us: int) -> Effects:
        """The effects of facts that were found elsewhere: the gate's."""
        return self._recorded(facts, now_us)

    def gap(self, reason: str, count: int | None, now_us: int) -> Effects:
        """The effects of observations that were lost here: how many, if known."""
        return self._recorded([EvidenceGap(server=self._observer.server, reason=reason, count=count)], now_us)

    def beat(self, now_us: int) -> Effects:
        """The effects of nothing having happened: the log speaks up to now."""
        return self._recorded([EvidenceBeat(server=self._observer.server)], now_us)

    def close(self, now_us: int) -> Effects:
        """The effects of the relay's end: the last word of its log, once."""
        return [] if self._recorder.closed else [Record((self._recorder.close(now_us),))]

    def _recorded(self, facts: Sequence[Fact], now_us: int) -> Effects:
        if not facts:
            return []
        if self._saw is not None:
            self._saw(list(facts), now_us)
        entries: tuple[Entry, ...] = tuple([self._recorder.record(fact, now_us) for fact in facts])
        return [Record(entries)]


def is_stream(head: Mapping[str, Any]) -> bool:
    """Whether a response is an event stream."""
    return response_facts(head).content is ContentKind.SSE
