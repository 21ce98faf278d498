"""Connections to the server: a small pool, one exchange on each at a time, nothing sent twice.

A connection that the server closed while it lay idle is not used; one that breaks after a request was written is the exchange's
end, never a reason to send it again.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from contextlib import suppress
from typing import Any, Final, Protocol

import httptools

from witnessmark.adapters.http.head import MAX_FIELDS, MAX_HEAD_BYTES, Field, response_framing
from witnessmark.adapters.http_origin import HttpOrigin

CONNECT_S: Final = 10.0
"""How long a connection may take to be made: what a person waits; the client's own clock is longer."""
IDLE_S: Final = 4.0
"""How long a connection lies idle before it is closed: the common servers close theirs after 5 s, and a race costs a call."""
MAX_IDLE: Final = 64
"""Idle connections that are kept; as many as answers came at once."""
KEEPALIVE_S: Final = 60
"""TCP keepalive of connections to the server: a half-open one is found within minutes, also below a stream that says nothing."""


class Listener(Protocol):
    """Who waits for a response."""

    def head(self, status: int, reason: bytes, fields: list[Field]) -> None:
        """The head came."""

    def piece(self, data: bytes) -> None:
        """A piece of the body came."""

    def done(self, trailers: list[Field]) -> None:
        """The response is whole; the connection is not this exchange's any more."""

    def lost(self, why: str) -> None:
        """The connection ended before the response did."""

    def pause(self) -> None:
        """The server reads slowly: send no more of the request's body."""

    def resume(self) -> None:
        """It reads again."""


class Upstream(asyncio.Protocol):
    """One connection to the server."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._transport: asyncio.Transport | None = None
        self._listener: Listener | None = None
        self._parser: Any = None
        self._method = b""
        self._status = 0
        self._reason = b""
        self._fields: list[Field] = []
        self._trailers: list[Field] = []
        self._head_bytes = self._raw_head = 0
        self._in_body = False
        self._until_close = False
        self._reusable = True
        self._bodiless = False
        self.closed = False

    # --- the exchange's side ---------------------------------------------------------------------------------------------

    def begin(self, listener: Listener, method: bytes, data: bytes) -> None:
        """Send a request, or the beginning of one; its response goes to `listener`."""
        assert self._transport is not None
        self._listener = listener
        self._method = method
        self._parser = httptools.HttpResponseParser(self)
        self._fields, self._trailers = [], []
        self._status, self._head_bytes, self._raw_head = 0, 0, 0
        self._in_body = self._until_close = self._bodiless = False
        self._reusable = True
        self._transport.write(data)

    def send(self, data: bytes) -> None:
        """More of the request's body."""
        if self._transport is not None:
            self._transport.write(data)

    def abort(self) -> None:
        """The exchange is over early: the server sees the connection end."""
        self._listener = None
        self.closed = True
        if self._transport is not None:
            self._transport.abort()

    def pause_reading(self) -> None:
        """The client reads slowly."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """The client reads again."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """Nobody needs the connection any more."""
        self.closed = True
        if self._transport is not None:
            self._transport.close()

    # --- asyncio ---------------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        sock = transport.get_extra_info("socket")
        if sock is not None:
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                if hasattr(socket, "TCP_KEEPIDLE"):
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_S)

    def data_received(self, data: bytes) -> None:
        """Bytes of the server's."""
        if self._listener is None:
            self.abort()  # an answer that nobody asked for
            return
        try:
            self._parser.feed_data(data)
            self._raw_head = 0 if self._in_body else self._raw_head + len(data)
            if self._raw_head > MAX_HEAD_BYTES:
                raise _TooLargeHead
        except httptools.HttpParserError as error:
            self._lose(f"the answer is no HTTP ({type(error).__name__})")
        except _TooLargeHead:
            self._lose("the head of the answer is too large")

    def eof_received(self) -> bool:
        """The server will send no more."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self.closed = True
        self._pool.forget(self)
        if self._listener is None:
            return
        if self._until_close and exc is None:
            self._finish()
        else:
            self._lose("the connection ended")

    def pause_writing(self) -> None:
        """The server reads slowly."""
        if self._listener is not None:
            self._listener.pause()

    def resume_writing(self) -> None:
        """The server reads again."""
        if self._listener is not None:
            self._listener.resume()

    def _lose(self, why: str) -> None:
        listener, self._listener = self._listener, None
        self.closed = True
        if self._transport is not None:
            self._transport.abort()
        if listener is not None:
            listener.lost(why)

    def _finish(self) -> None:
        listener, self._listener = self._listener, None
        if not self._reusable or self.closed:
            self.close()
        else:
            self._pool.give_back(self)
        if listener is not None:
            listener.done(self._trailers)

    # --- httptools ---------------------------------------------------------------------------------------------------------

    def on_status(self, status: bytes) -> None:
        """A piece of the reason phrase."""
        self._reason += status

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head, or of the trailer."""
        self._head_bytes += len(name) + len(value)
        fields = self._trailers if self._in_body else self._fields
        if self._head_bytes > MAX_HEAD_BYTES or len(fields) >= MAX_FIELDS:
            raise _TooLargeHead
        fields.append((name, value))

    def on_headers_complete(self) -> None:
        """The head is whole."""
        status = int(self._parser.get_status_code())
        reason, self._reason = self._reason, b""
        if status < 200:  # noqa: PLR2004 - interim (RFC 9110 section 15.2): for this hop, or of no use to MCP
            self._fields = []
            self._head_bytes = 0
            return
        self._status = status
        framing = response_framing(self._method, status, self._fields)
        self._until_close = framing == "close"
        self._bodiless = framing == "none"
        self._reusable = bool(self._parser.should_keep_alive()) and not self._until_close and self._method != b"HEAD"
        self._in_body = True
        if self._listener is not None:
            self._listener.head(status, reason, self._fields)
        if self._bodiless and self._method == b"HEAD" and self._listener is not None:
            self._finish()  # the parser would wait for the body that the fields speak of

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        if self._listener is not None:
            self._listener.piece(body)

    def on_message_complete(self) -> None:
        """The response is whole."""
        if self._status >= 200 and self._listener is not None:  # noqa: PLR2004 - as above
            self._finish()


class _TooLargeHead(Exception):
    """The head goes beyond its limit."""


class Pool:
    """The connections to one origin."""

    def __init__(self, origin: HttpOrigin, context: ssl.SSLContext | None) -> None:
        self.origin = origin
        self._context = context
        self._idle: list[tuple[Upstream, asyncio.TimerHandle]] = []
        self._all: set[Upstream] = set()

    def idle(self) -> Upstream | None:
        """A connection that can be used at once."""
        while self._idle:
            upstream, timer = self._idle.pop()
            timer.cancel()
            if not upstream.closed:
                return upstream
        return None

    async def connect(self) -> Upstream:
        """A new connection. Raises OSError (ssl.SSLError among them) or TimeoutError."""
        loop = asyncio.get_running_loop()
        origin = self.origin
        async with asyncio.timeout(CONNECT_S):
            _, upstream = await loop.create_connection(
                lambda: Upstream(self),
                origin.host,
                origin.port,
                ssl=self._context,
                server_hostname=origin.host if self._context is not None else None,
            )
        self._all.add(upstream)
        return upstream

    def give_back(self, upstream: Upstream) -> None:
        """An exchange ended well: the connection may be used again for a while."""
        if len(self._idle) >= MAX_IDLE:
            upstream.close()
            return
        timer = asyncio.get_running_loop().call_later(IDLE_S, upstream.close)
        self._idle.append((upstream, timer))

    def forget(self, upstream: Upstream) -> None:
        """A connection is gone."""
        self._all.discard(upstream)

    def close(self) -> None:
        """Close every connection."""
        for upstream in list(self._all):
            upstream.close()
