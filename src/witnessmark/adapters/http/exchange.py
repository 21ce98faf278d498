"""One exchange: a request of the client's and the server's response, each recorded before it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from witnessmark.adapters.http.client import Client
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
from witnessmark.adapters.http.looking import Looking
from witnessmark.adapters.http.refusing import Refusal, answer, unreachable
from witnessmark.adapters.http.subjects import MessageAddress, session_key, subject_of
from witnessmark.adapters.stdio_proxy import SessionRefused
from witnessmark.observe.http_relay import is_stream
from witnessmark.observe.relay import HELD_REQUEST_BYTES
from witnessmark.wire.bigframe import BigFrameScanner

if TYPE_CHECKING:
    from witnessmark.adapters.http.route import Route
    from witnessmark.adapters.http.sessions import HttpSession
    from witnessmark.adapters.http.upstream import Upstream

_NOT_FOUND: Final = 404
_OK_MAX: Final = 299


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
        self._address: MessageAddress | None = None
        self._prepared = b""
        self._late_answer = b""
        self._looking: Looking | None = None
        self._allowed = False
        self._late: tuple[Refusal, bytes] | None = None
        self._over = False

    def may_answer(self) -> None:
        """It is this exchange's turn on the client's connection: what came before it on it is answered."""
        self._allowed = True
        if self._late is not None:
            self.refuse(*self._late)
        elif self._late_answer:
            self._say_late()
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
                if self._session is not None and self._session.gate is not None:
                    text = f"a request of more than {HELD_REQUEST_BYTES >> 20} MiB cannot be looked at"
                    self.refuse(Refusal(413, "unreadable", text, "send less, or use observe mode for this server"), b"")
                    return
                self._dispatch(chunk(held) if self._request.framing == "chunked" else held)

    def whole(self, trailers: list[Field]) -> None:
        """The request is whole."""
        if self._over:
            return
        chunked = self._request.framing == "chunked"
        end = last_chunk(trailers) if chunked else b""
        if self._streaming:
            if self._scanner is not None and self._session is not None:
                relay, channel, envelope = self._session.relay, self._channel, self._scanner.envelope()
                self._session.note(lambda now: relay.large_request(channel, envelope, now))
            self._send(end)
            return
        body = b"".join(self._held)
        self._held.clear()
        if self._note_request(body, whole=True):
            self._prepared = (chunk(body) if chunked and body else body) + end
            session = self._session
            if session is not None and session.gate is not None and body.strip():
                session.gate.request(self._channel, self._request, body, self)
            else:
                self.let_through()

    # --- the gate's side (gate.Waiting) -----------------------------------------------------------------------------------

    def let_through(self) -> None:
        """Send the request on."""
        data, self._prepared = self._prepared, b""
        if not self._over:
            self._dispatch(data)

    def answered_here(self, body: bytes) -> None:
        """Answer it with a message of ours; nothing is sent on."""
        if self._over:
            return
        session = self._session
        assert session is not None
        if not self._noted(lambda: session.note(lambda now: session.relay.broken(self._channel, "tap", now))):
            return
        text = body.rstrip(b"\n")
        status, reason = (200, b"OK") if text else (400, b"Bad Request")
        fields = [(b"Content-Type", b"application/json"), (b"Content-Length", b"%d" % len(text))]
        self._late_answer = response_head(self._request.version, status, reason, fields, "length", keep=self._keep) + text
        if self._allowed:
            self._say_late()

    def _say_late(self) -> None:
        data, self._late_answer = self._late_answer, b""
        self._write(data)
        self._end(keep=self._keep)

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
            self.refuse(unreachable(error, str(self._route.pool.origin)), b"".join(self._unsent[1:]))
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
        self._address = MessageAddress() if is_stream(facts) and self._request.method == b"GET" else None
        if session.gate is not None and self._framing != "none":
            self._looking = Looking(session.gate)
            if not self._looking.begin(status, reason, fields, stream=is_stream(facts), json=session.holds(self._channel)):
                self._unreadable()
                return
            if self._looking.stream and self._framing == "length":
                self._framing, self._keep, keep = "close", False, False  # its length may change
                fields = [(name, value) for name, value in fields if name.lower() != b"content-length"]
            if self._looking.whole:
                return
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
        if self._address is not None and (key := self._address.feed(data)) is not None:
            self._route.sessions.know(session, key)
        looking = self._looking
        if looking is not None and looking.stream:
            self._blocks(data, looking)
            return
        held = session.holds(self._channel)
        if not self._note_piece(data, session):
            return
        if looking is not None and looking.whole:
            if not looking.add(data):
                self._unreadable()
            return
        framed = chunk(data) if self._framing == "chunked" else data
        if session.holds(self._channel):
            self._waiting.append(framed)
        elif held or self._waiting or self._head_waits:
            self._waiting.append(framed)
            self._flush()
        else:
            self._write(framed)

    def _blocks(self, data: bytes, looking: Looking) -> None:
        """What a stream says, block by block, each recorded before it goes on."""
        session = self._session
        assert session is not None
        try:
            for told, out in looking.blocks(data):
                if told and not self._note_piece(told, session):
                    return
                if out:
                    self._write(chunk(out) if self._framing == "chunked" else out)
        except ValueError:
            self._unreadable()

    def _note_piece(self, data: bytes, session: HttpSession) -> bool:
        return self._noted(lambda: session.note(lambda now: session.relay.response_chunk(self._channel, data, now)))

    def _unreadable(self) -> None:
        """What cannot be looked at does not go on."""
        if self._upstream is not None:
            self._upstream.abort()
        session = self._session
        if session is not None:
            self._noted(lambda: session.note(lambda now: session.relay.broken(self._channel, "tap", now)))
        self._release()
        self._client.abort()

    def done(self, trailers: list[Field]) -> None:
        """The response is whole."""
        session = self._session
        assert session is not None
        looking = self._looking
        if looking is not None and looking.stream and (rest := looking.rest()):
            self._note_piece(rest, session)
            self._write(chunk(rest) if self._framing == "chunked" else rest)
        if self._over or not self._noted(lambda: session.note(lambda now: session.relay.response_end(self._channel, now))):
            return
        if looking is not None and looking.whole:
            status, reason, fields, body = looking.said()
            self._write(response_head(self._request.version, status, reason, fields, "length", keep=self._keep) + body)
            self._end(keep=self._keep)
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
        if session is not None and session.gate is not None:
            session.gate.gone(self)
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
        if session is not None and not self._noted(lambda: session.note(lambda now: session.relay.broken(self._channel, "tap", now))):
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
