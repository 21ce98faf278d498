"""The client's side: HTTP/1.0 and 1.1, keep-alive and pipelining, one exchange after the other; refusals before anything is sent on."""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple

import httptools

from witnessmark.adapters.http.exchange import Exchange
from witnessmark.adapters.http.head import MAX_FIELDS, MAX_HEAD_BYTES, Field, Request
from witnessmark.adapters.http.refusing import Refusal
from witnessmark.adapters.http.route import Route

HEAD_S: Final = 30.0
"""How long the head of a request may take, and a connection may lie idle before its first one."""
MAX_PIPELINED: Final = 16
"""Requests that wait on one connection behind another; clients of MCP send none."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Rules(NamedTuple):
    """Whom the listener serves: `hosts` are the values of `Host` that name it, `origins` those that may call from a page.

    `loopback_origins`: pages of this machine may too. `token`: demanded in `Witnessmark-Token` where it is set.
    """

    hosts: frozenset[bytes]
    origins: frozenset[bytes]
    loopback_origins: bool
    token: bytes | None
    mark: bytes


class Face(asyncio.Protocol):
    """One connection of a client's."""

    def __init__(self, find: Callable[[Request], Route | Refusal], rules: Rules, all_faces: set[Face]) -> None:
        self._find = find
        self._rules = rules
        self._all = all_faces
        self._transport: asyncio.Transport | None = None
        self._parser: Any = httptools.HttpRequestParser(self)
        self._target = b""
        self._fields: list[Field] = []
        self._trailers: list[Field] = []
        self._head_bytes = self._raw_head = 0
        self._in_body = False
        self._queue: deque[Exchange] = deque()
        self._receiving: Exchange | None = None
        self._started: Exchange | None = None
        self._refused: tuple[Exchange, Refusal] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing = False

    # --- asyncio ---------------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._all.add(self)
        sock = transport.get_extra_info("socket")
        if sock is not None:
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Bytes of the client's."""
        try:
            self._parser.feed_data(data)
            # A field that never ends is told by no callback: what came since the last whole head counts.
            self._raw_head = 0 if self._in_body else self._raw_head + len(data)
            if self._raw_head > MAX_HEAD_BYTES:
                raise _TooLarge
        except httptools.HttpParserUpgrade:
            pass  # no other protocol is spoken here: the request goes on as an ordinary one
        except httptools.HttpParserError as error:
            self._bad(Refusal(400, "bad_request", f"the request is no HTTP: {error}", "send one Content-Length or chunks"))
        except _TooLarge:
            self._bad(Refusal(431, "head_too_large", f"the head has more than {MAX_HEAD_BYTES} bytes or {MAX_FIELDS} fields", "send less"))

    def eof_received(self) -> bool:
        """The client will send no more: it is gone, as for other proxies; since 2026-07-28 that is how a request is cancelled."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        del exc
        self._closing = True
        self._all.discard(self)
        self._stop_timer()
        for exchange in [*([self._started] if self._started is not None else []), *self._queue]:
            exchange.client_gone()
        self._queue.clear()
        self._started = None

    def pause_writing(self) -> None:
        """The client reads slowly."""
        if self._started is not None:
            self._started.client_slow()

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._started is not None:
            self._started.client_ready()

    # --- httptools ---------------------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """A request begins."""
        self._target = b""
        self._fields, self._trailers = [], []
        self._head_bytes = 0
        self._in_body = False

    def on_url(self, url: bytes) -> None:
        """A piece of the target."""
        self._target += url
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head or of the trailer."""
        self._count(len(name) + len(value))
        fields = self._trailers if self._in_body else self._fields
        if len(fields) >= MAX_FIELDS:
            raise _TooLarge
        fields.append((name, value))

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            raise _TooLarge

    def on_headers_complete(self) -> None:
        """The head of a request is whole."""
        self._stop_timer()
        self._in_body = True
        request = Request(self._parser.get_method(), self._target, self._parser.get_http_version(), self._fields)
        found = self._checked(request)
        route = found if isinstance(found, Route) else None
        exchange = Exchange(self, request, route, keep=bool(self._parser.should_keep_alive()))  # type: ignore[arg-type]  # a refusal has no route
        self._receiving = exchange
        if isinstance(found, Refusal):
            self._receiving = None
            self._refused = (exchange, found)
        if self._started is None:
            self._start(exchange)
        else:
            self._queue.append(exchange)
            if len(self._queue) >= MAX_PIPELINED:
                self.pause()
        if request.first(b"expect") is not None and self._started is exchange:
            if isinstance(found, Route):
                self.write(_CONTINUE)
            else:
                self._refused = None
                exchange.refuse(found, b"")

    def on_body(self, body: bytes) -> None:
        """A piece of the request's body."""
        if self._receiving is not None:
            self._receiving.body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        receiving, self._receiving = self._receiving, None
        if receiving is not None:
            receiving.whole(self._trailers)
        refused, self._refused = self._refused, None
        if refused is not None:  # only now: a client that still sends would not read the answer
            refused[0].refuse(refused[1], b"")

    # --- who may ask ---------------------------------------------------------------------------------------------------------

    def _checked(self, request: Request) -> Route | Refusal:
        """The route of a request; a refusal of one that may not pass. DNS rebinding: 2025-03-26 to 2026-07-28 basic/transports."""
        rules = self._rules
        hosts = request.all(b"host")
        if rules.hosts and (len(hosts) != 1 or hosts[0].lower() not in rules.hosts):
            return Refusal(421, "host", "this listener does not go by that Host", "use the address that it was started with")
        origin = request.first(b"origin")
        if origin is not None and origin.lower() not in rules.origins and not (rules.loopback_origins and _is_loopback(origin)):
            return Refusal(403, "origin", "pages of that origin may not call here", "allow it with --allow-origin")
        if rules.token is not None and not hmac.compare_digest(request.first(b"witnessmark-token") or b"", rules.token):
            return Refusal(403, "token", "the token in Witnessmark-Token is missing or wrong", "send the token that the listener was given")
        if any(rules.mark in value for value in request.all(b"via")):
            return Refusal(508, "loop", "the request came back to where it had been", "give --upstream the server's own address")
        return self._find(request)

    # --- the exchanges' side (exchange.Client) -----------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Send bytes to the client."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def finished(self, *, keep: bool) -> None:
        """A response is whole: the next request of the connection, or its end."""
        self._started = None
        if not keep or self._closing or self._receiving is not None:
            # A request whose body is still on its way cannot be told from the next one: the connection ends.
            self._closing = True
            self._queue.clear()
            if self._transport is not None:
                self._transport.close()
            return
        if self._queue:
            self._start(self._queue.popleft())
            self.resume()
        else:
            self._wait_for_head()

    def abort(self) -> None:
        """End the connection as it stands."""
        self._started = None
        self._closing = True
        if self._transport is not None:
            self._transport.abort()

    def pause(self) -> None:
        """Take no more for now."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume(self) -> None:
        """Take more."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """The listener ends."""
        if self._transport is not None:
            self._transport.abort()

    # --- inner -----------------------------------------------------------------------------------------------------------------

    def _start(self, exchange: Exchange) -> None:
        self._started = exchange
        exchange.may_answer()

    def _bad(self, refusal: Refusal) -> None:
        """The bytes cannot be read any further: answer once, and end the connection."""
        if self._closing:
            return
        self._closing = True
        if self._started is not None and self._started is self._receiving:
            self._receiving = None
            self._started.refuse(refusal, b"")  # nothing of it was sent on: its body never became whole
        elif self._started is None:
            from witnessmark.adapters.http.head import response_head  # noqa: PLC0415 - only for what is broken
            from witnessmark.adapters.http.refusing import answer  # noqa: PLC0415

            status, reason, fields, text = answer(refusal, b"")
            self.write(response_head("1.1", status, reason, fields, "length", keep=False) + text)
        if self._transport is not None:
            self._transport.close()

    def _wait_for_head(self) -> None:
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(HEAD_S, self._head_late)

    def _head_late(self) -> None:
        self._closing = True
        if self._transport is not None:
            self._transport.close()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _TooLarge(Exception):
    """A head goes beyond its limit."""


def _is_loopback(origin: bytes) -> bool:
    host = origin.split(b"://", 1)[-1].rsplit(b":", 1)[0] if not origin.endswith(b"]") else origin.split(b"://", 1)[-1]
    return host.lower() in {b"localhost", b"127.0.0.1", b"[::1]"}
