"""One exchange: a request of the client's and the server's response, each recorded before it goes on."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from witnessmark.adapters.http.head import (
    Field,
    Framing,
    Request,
    chunk,
    end_to_end,
    facts_of,
    last_chunk,
    request_head,
    response_facts_of,
    response_framing,
    response_head,
)
from witnessmark.adapters.http.refusing import Refusal, answer
from witnessmark.adapters.http.subjects import endpoint_key, session_key, subject_of
from witnessmark.adapters.stdio_proxy import SessionRefused
from witnessmark.observe.http_relay import is_stream
from witnessmark.observe.relay import HELD_REQUEST_BYTES
from witnessmark.wire.bigframe import BigFrameScanner

if TYPE_CHECKING:
    from witnessmark.adapters.http.route import Route
    from witnessmark.adapters.http.sessions import HttpSession
    from witnessmark.adapters.http.upstream import Upstream

ENDPOINT_BYTES: Final = 4_096
"""Of a stream of 2024-11-05 so much is looked at for the address of its messages: it is the first event."""
_NOT_FOUND: Final = 404
_OK_MAX: Final = 299


class Client(Protocol):
    """The client's connection, as an exchange sees it."""

    def write(self, data: bytes) -> None:
        """Send bytes to the client."""

    def finished(self, *, keep: bool) -> None:
        """The response is whole; the connection goes on if `keep`."""

    def abort(self) -> None:
        """End the connection as it stands: the client sees what a broken server looks like."""

    def pause(self) -> None:
        """Take no more of the request's body for now."""

    def resume(self) -> None:
        """Take more of it."""


class Exchange:
    """From the head of a request to the last byte of its response. `keep`: the client's connection may go on afterwards."""

    def __init__(self, client: Client, request: Request, route: Route, *, keep: bool) -> None:
        self._client = client
        self._request = request
        self._route = route
        self._keep = keep
        self._held: list[bytes] = []
        self._size = 0
        self._streaming = False
        self._scanner: BigFrameScanner | None = None
        self._session: HttpSession | None = None
        self._channel = ""
        self._upstream: Upstream | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._unsent: list[bytes] = []
        self._sent = False
        self._framing: Framing = "none"
        self._waiting: list[bytes] = []
        self._head_waits = b""
        self._endpoint = b""
        self._looks_for_endpoint = False
        self._allowed = False
        self._late: tuple[Refusal, bytes] | None = None
        self._over = False

    def may_answer(self) -> None:
        """It is this exchange's turn on the client's connection: what came before it on it is answered."""
        self._allowed = True
        if self._late is not None:
            self.refuse(*self._late)
        elif self._unsent and self._upstream is None and self._connecting is None:
            self._launch()

    # --- the request ----------------------------------------------------------------------------------------------------

    def body(self, data: bytes) -> None:
        """A piece of the request's body. It is held until it is whole, up to a limit; what is larger passes as it comes."""
        self._size += len(data)
        if self._streaming:
            if self._scanner is not None:
                self._scanner.feed(data)
            self._send(chunk(data) if self._request.framing == "chunked" else data)
            return
        self._held.append(data)
        if self._size > HELD_REQUEST_BYTES:
            self._streaming = True
            held = b"".join(self._held)
            self._held.clear()
            self._scanner = BigFrameScanner()
            self._scanner.feed(held)
            if self._note_request(held, whole=False):
                self._dispatch(chunk(held) if self._request.framing == "chunked" else held)

    def whole(self, trailers: list[Field]) -> None:
        """The request is whole."""
        if self._over:
            return
        chunked = self._request.framing == "chunked"
        end = last_chunk(trailers) if chunked else b""
        if self._streaming:
            session = self._session
            if self._scanner is not None and session is not None:
                envelope = self._scanner.envelope()
                session.note(lambda now: session.relay.large_request(self._channel, envelope, now))
            self._send(end)
            return
        body = b"".join(self._held)
        self._held.clear()
        if self._note_request(body, whole=True):
            self._dispatch((chunk(body) if chunked and body else body) + end)

    def _note_request(self, body: bytes, *, whole: bool) -> bool:
        """Record the request; False where that ended the exchange."""
        request = self._request
        try:
            session = self._session = self._route.sessions.of(subject_of(request, body if whole else b""))
            channel = self._channel = session.channel()
            head = facts_of(request)
            if whole:
                session.note(lambda now: session.relay.request(channel, head, body, now))
            else:
                session.note(lambda now: session.relay.request_arriving(channel, head, HELD_REQUEST_BYTES, now))
        except SessionRefused as refusal:
            self.refuse(Refusal(503, "evidence", refusal.message, refusal.hint or "mend the store, or choose forward_and_mark_gap"), body)
            return False
        return True

    def _dispatch(self, data: bytes) -> None:
        """Send the request on: on an idle connection at once, else on a new one."""
        route, request = self._route, self._request
        head = request_head(request, route.target(request), route.host, route.fields(request))
        self._unsent = [head, data]
        if self._allowed:
            self._launch()

    def _launch(self) -> None:
        upstream = self._route.pool.idle()
        if upstream is not None:
            self._connected(upstream)
        else:
            self._connecting = asyncio.get_running_loop().create_task(self._connect())

    async def _connect(self) -> None:
        try:
            upstream = await self._route.pool.connect()
        except (OSError, TimeoutError) as error:
            self.refuse(_unreachable(error, str(self._route.pool.origin)), b"".join(self._unsent[1:]))
            return
        if self._over:
            upstream.close()
        else:
            self._connected(upstream)

    def _connected(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._sent = True
        data = b"".join(self._unsent)
        self._unsent = []
        upstream.begin(self, self._request.method, data)
        self._client.resume()

    def _send(self, data: bytes) -> None:
        if not data or self._over:
            return
        if self._upstream is not None:
            self._upstream.send(data)
        else:
            self._unsent.append(data)
            if sum(map(len, self._unsent)) > HELD_REQUEST_BYTES:
                self._client.pause()

    # --- the response (upstream.Listener) ---------------------------------------------------------------------------------

    def head(self, status: int, reason: bytes, fields: list[Field]) -> None:
        """The server's head: recorded; it goes on at once, unless its body is held."""
        session = self._session
        assert session is not None
        facts = response_facts_of(status, fields)
        if not self._noted(lambda: session.note(lambda now: session.relay.response_head(self._channel, facts, now))):
            return
        self._learn(status, fields, session)
        upstream_framing = response_framing(self._request.method, status, fields)
        self._framing = upstream_framing
        keep = self._keep
        if upstream_framing == "close" or (upstream_framing == "chunked" and self._request.version == "1.0"):
            self._framing, keep = "close", False
        self._keep = keep
        self._looks_for_endpoint = is_stream(facts) and self._request.method == b"GET"
        kept = end_to_end(fields)
        data = response_head(self._request.version, status, reason, kept, self._framing, keep=keep)
        if session.holds(self._channel) and self._framing != "none":
            self._head_waits = data
        else:
            self._write(data)

    def _learn(self, status: int, fields: list[Field], session: HttpSession) -> None:
        """The session id that the server gives, and the end of a session."""
        given = next((value for name, value in fields if name.lower() == b"mcp-session-id"), None)
        if given is not None:
            self._route.sessions.know(session, session_key(given))
        asked = self._request.first(b"mcp-session-id")
        if asked is not None and self._request.method == b"DELETE" and status <= _OK_MAX:
            self._route.sessions.ended(session_key(asked))

    def piece(self, data: bytes) -> None:
        """A piece of the body: recorded, then sent; a JSON body up to 64 KiB when it is whole."""
        session = self._session
        assert session is not None
        if self._looks_for_endpoint:
            self._look_for_endpoint(data, session)
        held = session.holds(self._channel)
        if not self._noted(lambda: session.note(lambda now: session.relay.response_chunk(self._channel, data, now))):
            return
        framed = chunk(data) if self._framing == "chunked" else data
        if session.holds(self._channel):
            self._waiting.append(framed)
        elif held or self._waiting or self._head_waits:
            self._waiting.append(framed)
            self._flush()
        else:
            self._write(framed)

    def _look_for_endpoint(self, data: bytes, session: HttpSession) -> None:
        """2024-11-05: the first event of a stream names the address of its messages, which have no other sign of their session."""
        self._endpoint += data
        done = b"\n\n" in self._endpoint or b"\r\n\r\n" in self._endpoint
        if done or len(self._endpoint) > ENDPOINT_BYTES:
            self._looks_for_endpoint = False
            lines = self._endpoint.replace(b"\r", b"\n").split(b"\n")
            if any(line.strip() == b"event: endpoint" for line in lines):
                address = next((line[5:].strip() for line in lines if line.startswith(b"data:")), b"")
                if address:
                    self._route.sessions.know(session, endpoint_key(address))
            self._endpoint = b""

    def done(self, trailers: list[Field]) -> None:
        """The response is whole."""
        session = self._session
        assert session is not None
        if not self._noted(lambda: session.note(lambda now: session.relay.response_end(self._channel, now))):
            return
        if self._framing == "chunked":
            self._waiting.append(last_chunk(trailers))
        self._flush()
        self._end(keep=self._keep)

    def lost(self, why: str) -> None:
        """The server's connection ended early. Nothing is made of it: the client sees its own connection end as early."""
        if self._over:
            return
        session = self._session
        if session is not None:
            self._noted(lambda: session.note(lambda now: session.relay.broken(self._channel, "server", now)))
        del why
        self._release()
        self._client.abort()

    def pause(self) -> None:
        """The server reads slowly."""
        self._client.pause()

    def resume(self) -> None:
        """The server reads again."""
        self._client.resume()

    # --- the client ---------------------------------------------------------------------------------------------------------

    def client_slow(self) -> None:
        """The client reads slowly: no more is taken from the server."""
        if self._upstream is not None:
            self._upstream.pause_reading()

    def client_ready(self) -> None:
        """It reads again."""
        if self._upstream is not None:
            self._upstream.resume_reading()

    def client_gone(self) -> None:
        """The client's connection ended: the server sees the same (since 2026-07-28 that is how a request is cancelled)."""
        if self._over:
            return
        session = self._session
        if self._connecting is not None:
            self._connecting.cancel()
        if self._upstream is not None:
            self._upstream.abort()
        if session is not None:
            self._noted(lambda: session.note(lambda now: session.relay.broken(self._channel, "client", now)))
        self._release()

    def refuse(self, refusal: Refusal, body: bytes) -> None:
        """Answer the client ourselves: nothing reached the server."""
        if self._over:
            return
        if not self._allowed:
            self._late = (refusal, body)
            return
        session = self._session
        recorded = session is None or not self._channel
        if not recorded and session is not None:
            recorded = self._noted(lambda: session.note(lambda now: session.relay.broken(self._channel, "tap", now)))
        if not recorded:
            return
        status, reason, fields, text = answer(refusal, body)
        self._write(response_head(self._request.version, status, reason, fields, "length", keep=False) + text)
        self._end(keep=False)

    # --- the end --------------------------------------------------------------------------------------------------------------

    def _noted(self, record: Callable[[], None]) -> bool:
        """Record; where evidence cannot be written and policy refuses, the exchange ends here."""
        try:
            record()
        except SessionRefused:
            if self._upstream is not None:
                self._upstream.abort()
            self._release()
            self._client.abort()
            return False
        return True

    def _flush(self) -> None:
        data = self._head_waits + b"".join(self._waiting)
        self._head_waits = b""
        self._waiting.clear()
        if data:
            self._write(data)

    def _write(self, data: bytes) -> None:
        self._client.write(data)

    def _end(self, *, keep: bool) -> None:
        self._release()
        self._client.finished(keep=keep)

    def _release(self) -> None:
        if not self._over:
            self._over = True
            if self._session is not None and self._channel:
                self._session.released()


def _unreachable(error: BaseException, origin: str) -> Refusal:
    if isinstance(error, ssl.SSLCertVerificationError):
        return Refusal(502, "certificate", f"the certificate of {origin} is not valid: {error.verify_message}", "mend it at the server")
    if isinstance(error, ssl.SSLError):
        return Refusal(502, "tls", f"no TLS connection to {origin}", "look at the server's TLS settings")
    if isinstance(error, TimeoutError):
        return Refusal(504, "connect_timeout", f"{origin} did not take a connection in time", "look whether it is reachable from here")
    why = getattr(error, "strerror", None) or type(error).__name__
    return Refusal(502, "unreachable", f"{origin} cannot be reached ({why})", "look whether the server runs")
