"""HTTP+SSE: a stream of events that carries every answer, and an endpoint that takes every message (2024-11-05, basic/transports)."""

from __future__ import annotations

import http.client
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urljoin

from witnessmark.adapters.prober.connections import Connections
from witnessmark.adapters.prober.ending import EndCode, NoAnswer, ProbeEnded, ServerGone
from witnessmark.adapters.prober.inbox import Answer, Inbox, encode
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.streamable import EVENTS, HttpRefused, unauthorized
from witnessmark.model.capture import Profile
from witnessmark.wire.sse import SseEvent, SseReader

_OK: Final = range(200, 300)


class LegacySseLink:
    """A server behind one stream. `version` is the protocol version in force, "" before it is known."""

    transport: Final = "sse"

    def __init__(self, connections: Connections, profile: Profile, limits: ProbeLimits) -> None:
        """Open the stream and wait for its endpoint; ProbeEnded where there is none."""
        self.version = ""
        self.inbox = Inbox(profile, limits)
        self._limits = limits
        self._connections = connections
        self._reader = SseReader(buffer_limit_bytes=limits.max_answer_bytes)
        self._endpoint: str | None = None
        until = min(time.monotonic() + limits.start_s, connections.deadline)
        self._stream = connections.exchange("GET", connections.url, {"Accept": EVENTS}, None, limits.start_s)
        try:
            if self._stream.status in {401, 403}:
                raise unauthorized(self._stream)
            if self._stream.status not in _OK or self._stream.media != EVENTS:
                raise HttpRefused(
                    self._stream.status, f"{connections.origin} answers GET with HTTP status {self._stream.status} and no events"
                )
            while self._endpoint is None:
                self._turn("GET", until, limits.start_s)
        except BaseException:
            self._stream.close()
            raise

    @property
    def signals(self) -> int:
        """Change signals so far."""
        return self.inbox.signals

    def ask(self, method: str, params: Mapping[str, Any], limit_s: float) -> Answer:
        """The answer to one request; ProbeEnded where none comes."""
        request = self.inbox.next_id()
        until = min(time.monotonic() + limit_s, self._connections.deadline)
        self._post(encode({"jsonrpc": "2.0", "id": request, "method": method, "params": params}), limit_s)
        while self.inbox.answer is None:
            self._turn(method, until, limit_s)
        return self.inbox.answer

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""
        self._post(encode({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}), self._limits.answer_s)

    def subscribe(self, params: Mapping[str, Any]) -> None:
        """Nothing: this transport is older than subscriptions, and its one stream carries the signals."""
        del params

    def settle(self, limit_s: float) -> None:
        """Nothing: a signal in the stream's last part was read with the answer beside it, and more is not waited for."""
        del limit_s

    def close(self) -> None:
        """End the stream."""
        self._stream.close()

    def _post(self, body: bytes, limit_s: float) -> None:
        assert self._endpoint is not None
        response = self._connections.exchange("POST", self._endpoint, {"Content-Type": "application/json"}, body, limit_s)
        try:
            if response.status in {401, 403}:
                raise unauthorized(response)
            if response.status not in _OK:
                raise HttpRefused(response.status, f"{self._connections.origin} answers a message with HTTP status {response.status}")
        finally:
            response.close()

    def _turn(self, method: str, until: float, limit_s: float) -> None:
        """Read once from the stream."""
        try:
            chunk = self._stream.read(until - time.monotonic())
        except TimeoutError:
            raise self._too_late(method, limit_s) from None
        except (OSError, http.client.HTTPException, ValueError):
            chunk = b""
        if not chunk:
            if time.monotonic() >= self._connections.deadline:
                raise self._too_late(method, limit_s)
            raise ServerGone(EndCode.ENDED, f"the server ended its stream before it answered {method}")
        self.inbox.count(len(chunk))
        for item in self._reader.feed(chunk):
            if not isinstance(item, SseEvent):
                continue
            if item.envelope is not None:
                raise self.inbox.too_long()
            if item.event == "endpoint" and self._endpoint is None:
                there = (item.data or b"").decode("utf-8", "replace").strip()
                self._endpoint = self._connections.on_origin(urljoin(self._connections.url, there), "sends messages")
            else:
                self.inbox.take(item.data or b"")
        replies, self.inbox.replies = self.inbox.replies, []
        for reply in replies:
            self._post(reply, self._limits.answer_s)

    def _too_late(self, method: str, limit_s: float) -> ProbeEnded:
        if time.monotonic() >= self._connections.deadline:
            return ProbeEnded(EndCode.TIME, f"the capture took more than {self._limits.overall_s:g} s")
        return NoAnswer(EndCode.TIME, f"no answer to {method} within {limit_s:g} s")
