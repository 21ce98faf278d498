"""Streamable HTTP: one exchange a request, answered by a body or by a stream of events (2025-03-26 to 2026-07-28, basic/transports)."""

from __future__ import annotations

import contextlib
import http.client
import time
from collections.abc import Mapping
from typing import Any, Final

from witnessmark.adapters.prober.connections import Connections, Response
from witnessmark.adapters.prober.ending import EndCode, NoAnswer, ProbeEnded, ServerGone
from witnessmark.adapters.prober.inbox import LISTEN_ID, Answer, Inbox, encode
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.listening import Listener
from witnessmark.model.capture import Profile
from witnessmark.wire.challenge import parse_challenges
from witnessmark.wire.revisions import lookup
from witnessmark.wire.sse import SseEvent, SseReader

ACCEPT: Final = "application/json, text/event-stream"
EVENTS: Final = "text/event-stream"

MAX_RESUMES: Final = 20
"""How often one answer's stream is taken up again: a server that hangs up every second is followed for as long as an answer may take."""
LONGEST_RETRY_S: Final = 5.0
"""The longest wait that a server's `retry` can ask for."""
GOODBYE_S: Final = 2.0
"""How long the end of a session may take; whether the server heard it changes nothing."""
SUBSCRIBED_S: Final = 2.0
"""How long a stream of signals may take to open: without it signals are not heard, and the walk still counts."""

_OK: Final = range(200, 300)


class HttpRefused(ProbeEnded):
    """An HTTP status that is no answer to the request, in a body that is none either."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(EndCode.NOT_MCP, text)
        self.status = status


class StreamableLink:
    """A server behind one URL. `version` is the protocol version in force, "" before it is known."""

    transport: Final = "streamable-http"

    def __init__(self, connections: Connections, profile: Profile, limits: ProbeLimits) -> None:
        self.version = ""
        self.inbox = Inbox(profile, limits)
        self._profile: Profile = profile
        self._limits = limits
        self._connections = connections
        self._session_id: str | None = None
        self._listener: Listener | None = None

    @property
    def signals(self) -> int:
        """Change signals so far, on the answers' streams and on the one that is kept open for them."""
        return self.inbox.signals + (self._listener.inbox.signals if self._listener is not None else 0)

    def ask(self, method: str, params: Mapping[str, Any], limit_s: float) -> Answer:
        """The answer to one request; HttpRefused, NoAnswer, ServerGone or another ProbeEnded where there is none."""
        request = self.inbox.next_id()
        until = min(time.monotonic() + limit_s, self._connections.deadline)
        body = encode({"jsonrpc": "2.0", "id": request, "method": method, "params": params})
        response = self._post(method, body, limit_s)
        if method == "initialize" and response.status in _OK:
            self._session_id = response.session_id
        last_id = self._read(response, method, until, limit_s)
        resumes = 0
        while self.inbox.answer is None and last_id is not None and resumes < MAX_RESUMES:
            resumes += 1
            last_id = self._resume(last_id, method, until, limit_s)
        if self.inbox.answer is None:
            raise ServerGone(EndCode.ENDED, f"the server ended its answer to {method} before it was complete")
        return self.inbox.answer

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification. Before the first one of a session the stream for signals is opened."""
        if method == "notifications/initialized":
            headers = self._headers() | {"Accept": EVENTS}
            self._listen("GET", headers, None)
        message = {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}
        self._send(encode(message), method)

    def subscribe(self, params: Mapping[str, Any]) -> None:
        """Ask for signals by `subscriptions/listen` (2026-07-28) and wait until that is acknowledged, or for as long as it may take."""
        body = encode({"jsonrpc": "2.0", "id": LISTEN_ID, "method": "subscriptions/listen", "params": params})
        self._listen("POST", self._headers("subscriptions/listen"), body)

    def settle(self, limit_s: float) -> None:
        """Signals arrive on a stream that is read all the time: there is nothing to do."""
        del limit_s

    def close(self) -> None:
        """Say goodbye to a session (basic/transports: DELETE), and forget the connections."""
        if self._listener is not None:
            self._listener.stop()
        if self._session_id is not None:
            with contextlib.suppress(ProbeEnded):
                self._connections.exchange("DELETE", self._connections.url, self._headers(), None, GOODBYE_S).close()

    def _headers(self, method: str = "") -> dict[str, str]:
        headers = {"Accept": ACCEPT, "Content-Type": "application/json"}
        revision = lookup(self.version)
        if revision is not None and revision.http_version_header:
            headers["MCP-Protocol-Version"] = self.version
        if revision is not None and revision.http_method_headers and method:
            headers["Mcp-Method"] = method
        if self._session_id is not None:
            headers["Mcp-Session-Id"] = self._session_id
        return headers

    def _post(self, method: str, body: bytes, limit_s: float) -> Response:
        return self._connections.exchange("POST", self._connections.url, self._headers(method), body, limit_s)

    def _send(self, body: bytes, method: str) -> None:
        self._post(method, body, self._limits.answer_s).close()

    def _read(self, response: Response, method: str, until: float, limit_s: float) -> str | None:
        """Read one answer; the id of the last event, where the stream ended before the answer and can be taken up again."""
        try:
            if response.status in {401, 403}:
                raise unauthorized(response)
            if response.encoded:
                raise ProbeEnded(EndCode.NOT_MCP, f"{self._connections.origin} compresses its answer though nobody asked for it")
            if response.media == EVENTS and response.status in _OK:
                return self._read_events(response, method, until, limit_s)
            self._read_body(response, method, until, limit_s)
            return None
        finally:
            response.close()

    def _read_body(self, response: Response, method: str, until: float, limit_s: float) -> None:
        body = b"".join(self._chunks(response, method, until, limit_s))
        self.inbox.take(body)
        self._reply()
        if self.inbox.answer is None and response.status not in _OK:
            raise HttpRefused(response.status, f"{self._connections.origin} answers {method} with HTTP status {response.status}")
        if self.inbox.answer is None:
            what = "an empty body" if not body.strip() else "something that is no JSON-RPC answer"
            raise ProbeEnded(EndCode.NOT_MCP, f"{self._connections.origin} answers {method} with {what}")

    def _read_events(self, response: Response, method: str, until: float, limit_s: float) -> str | None:
        reader = SseReader(buffer_limit_bytes=self._limits.max_answer_bytes)
        last_id: str | None = None
        retry_ms = 0
        for chunk in self._chunks(response, method, until, limit_s, bounded=False):
            for item in reader.feed(chunk):
                if not isinstance(item, SseEvent):
                    continue
                last_id = item.id if item.id is not None else last_id
                retry_ms = item.retry_ms if item.retry_ms is not None else retry_ms
                if item.envelope is not None:
                    raise self.inbox.too_long()
                self.inbox.take(item.data or b"")
                self._reply()
            if self.inbox.answer is not None:
                return None
        if last_id is not None and retry_ms:
            time.sleep(max(0.0, min(retry_ms / 1000, LONGEST_RETRY_S, until - time.monotonic())))
        return last_id

    def _resume(self, last_id: str, method: str, until: float, limit_s: float) -> str | None:
        """2025-11-25 basic/transports: an answer's stream that was closed early is taken up again by GET."""
        headers = self._headers() | {"Accept": EVENTS, "Last-Event-ID": last_id}
        left = until - time.monotonic()
        if left <= 0:
            raise self._too_late(method, limit_s)
        return self._read(self._connections.exchange("GET", self._connections.url, headers, None, left), method, until, limit_s)

    def _chunks(self, response: Response, method: str, until: float, limit_s: float, *, bounded: bool = True) -> Any:
        size = 0
        while True:
            try:
                chunk = response.read(until - time.monotonic())
            except TimeoutError:
                raise self._too_late(method, limit_s) from None
            except (OSError, http.client.HTTPException, ValueError):
                if time.monotonic() >= until:
                    raise self._too_late(method, limit_s) from None
                chunk = b""  # the connection broke: what is missing shows in what was read
            if not chunk:
                return
            size += len(chunk)
            if bounded and size > self._limits.max_answer_bytes:
                raise self.inbox.too_long()
            self.inbox.count(len(chunk))
            yield chunk

    def _reply(self) -> None:
        replies, self.inbox.replies = self.inbox.replies, []
        for reply in replies:
            self._send(reply, "")

    def _listen(self, method: str, headers: Mapping[str, str], body: bytes | None) -> None:
        self._listener = Listener(self._connections, Inbox(self._profile, self._limits), lambda reply: self._send(reply, ""))
        self._listener.start(method, headers, body, SUBSCRIBED_S)

    def _too_late(self, method: str, limit_s: float) -> ProbeEnded:
        if time.monotonic() >= self._connections.deadline:
            return ProbeEnded(EndCode.TIME, f"the capture took more than {self._limits.overall_s:g} s")
        return NoAnswer(EndCode.TIME, f"no answer to {method} within {limit_s:g} s")


def unauthorized(response: Response) -> ProbeEnded:
    """What to raise for 401 and 403: the schemes that the server names, nothing else of its challenge."""
    schemes = sorted({challenge.scheme for challenge in parse_challenges(response.challenge)})
    named = f" ({', '.join(schemes)})" if schemes else ""
    return ProbeEnded(EndCode.AUTHORIZATION, f"the server answers with HTTP status {response.status}{named}: give it a header by reference")
