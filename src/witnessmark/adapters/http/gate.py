"""The gate over HTTP: which request goes on, which waits, which is answered here; lists of ours as exchanges of our own.

The decisions are those of gate/session.py. A held request is an exchange that has not been sent; a list of ours is a POST with the
fields of the client's newest request, whose answer nobody else sees.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from witnessmark.adapters.clock import now_us
from witnessmark.adapters.http.events import EventSplitter
from witnessmark.adapters.http.head import Field, Request, request_head
from witnessmark.gate.answers import Step
from witnessmark.gate.session import GateSession
from witnessmark.gate.withholding import MAX_LIST_BYTES
from witnessmark.model.evidence import Fact
from witnessmark.wire.jsonrpc import id_token

if TYPE_CHECKING:
    from witnessmark.adapters.http.route import Route
    from witnessmark.adapters.http.upstream import Upstream

_OWN: Final = frozenset(
    {b"content-length", b"content-type", b"transfer-encoding", b"accept-encoding", b"mcp-method", b"mcp-name", b"accept",
     b"last-event-id", b"mcp-protocol-version"}
)  # fmt: skip
"""Fields of the client's request that a list of ours says by itself."""


class _Id(msgspec.Struct):
    id: int | str | None = None
    method: str = ""


_decode = msgspec.json.Decoder(_Id).decode


class Waiting(Protocol):
    """An exchange whose request waits for the gate."""

    def let_through(self) -> None:
        """Send the request on."""

    def answered_here(self, body: bytes) -> None:
        """Answer it with this message; nothing is sent on."""


class SessionGate:
    """The gate of one client session. `tell` records facts; `gate` holds the decisions."""

    def __init__(self, gate: GateSession, route: Callable[[], Route], tell: Callable[[list[Fact]], None]) -> None:
        self.gate = gate
        self._route = route
        self._tell = tell
        self._waiting: dict[int, tuple[bytes, Waiting]] = {}
        self._request: Request | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._own: set[_OwnList] = set()

    # --- requests ------------------------------------------------------------------------------------------------------

    def request(self, channel: str, request: Request, body: bytes, exchange: Waiting) -> None:
        """Decide about a request that is whole: it is sent on now, later or never; `exchange` hears which."""
        version = request.first(b"mcp-protocol-version") or b""
        session = request.first(b"mcp-session-id")
        self._request = request
        self.gate.at(channel, version=version.decode("latin-1") if session is not None or version else "")
        self._waiting[id(body)] = (body, exchange)
        self._carry(self.gate.client_line(body, now_us()))

    def gone(self, exchange: Waiting) -> None:
        """The client gave a request up: if it waits, it never leaves."""
        for key, (body, waiting) in list(self._waiting.items()):
            if waiting is exchange:
                del self._waiting[key]
                self._carry(self.gate.forget(body, now_us()))

    # --- answers -------------------------------------------------------------------------------------------------------

    def answer(self, body: bytes) -> bytes:
        """The message that the client gets in place of the server's; empty where it is ours alone."""
        if self.gate.mine(body):
            self._carry(self.gate.own_answer(body, now_us()))
            return b""
        step = self.gate.server_line(body, [], now_us())
        found = b""
        rest = []
        for forward in step.out:
            if forward.to == "client" and not found:
                found = forward.data
            else:
                rest.append(forward)
        self._carry(Step(step.facts, rest))
        return found.removesuffix(b"\n") if found is not body else body

    @property
    def looks(self) -> bool:
        """True while an answer may come that has to be looked at whole."""
        return self.gate.lists_waited_for

    # --- carrying out ----------------------------------------------------------------------------------------------------

    def _carry(self, step: Step) -> None:
        if step.facts:
            self._tell(step.facts)
        for forward in step.out:
            waiting = self._waiting.pop(id(forward.data), None)
            if forward.to == "client":
                self._answered(forward.data)
            elif waiting is not None:
                waiting[1].let_through()
            else:
                self._list(forward.data)
        for key, (body, exchange) in list(self._waiting.items()):
            if not self.gate.holds(body):  # what has no id is answered by nobody: its exchange ends all the same
                del self._waiting[key]
                exchange.answered_here(b"")
        self._plan()

    def _answered(self, data: bytes) -> None:
        """An answer of ours: to the oldest request that waits with its id."""
        wanted = _ids(data)
        for key, (body, waiting) in list(self._waiting.items()):
            if wanted & _ids(body):
                del self._waiting[key]
                waiting.answered_here(data)
                return

    def _list(self, data: bytes) -> None:
        request = self._request
        if request is None:
            return
        own = _OwnList(self, self._route(), data)
        self._own.add(own)
        own.begin(request)

    def listed(self, own: _OwnList, answer: bytes) -> None:
        """A list of ours was answered, or ended with an error of ours in place of an answer."""
        self._own.discard(own)
        if answer:
            self._carry(self.gate.own_answer(answer, now_us()))

    def _plan(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due_us = self.gate.due_us
        if due_us is not None:
            self._timer = asyncio.get_running_loop().call_later(max(0.0, (due_us - now_us()) / 1e6), self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._carry(self.gate.wake(now_us()))

    def locks_changed(self, step: Step) -> None:
        """The lockfile was read anew."""
        self._carry(step)

    def end(self) -> None:
        """The session is over: what waits never leaves."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for own in list(self._own):
            own.abort()
        self._tell(self.gate.ended(now_us()).facts)


def _ids(data: bytes) -> set[str]:
    """The id tokens of a message, or of the members of a batch."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):
        text = data.lstrip()
        found = msgspec.json.decode(text, type=list[_Id]) if text[:1] == b"[" else [_decode(text)]
        return {id_token(each.id) for each in found if each.id is not None}
    return set()


class _OwnList:
    """One request of ours, and what it is answered with."""

    def __init__(self, gate: SessionGate, route: Route, data: bytes) -> None:
        self._gate = gate
        self._route = route
        self._data = data.rstrip(b"\n")
        self._id = _decode(self._data).id
        self._upstream: Upstream | None = None
        self._status = 0
        self._events: EventSplitter | None = None
        self._pieces: list[bytes] = []
        self._size = 0
        self._over = False
        self._task: asyncio.Task[None] | None = None

    def begin(self, request: Request) -> None:
        """Send it with the fields of that request of the client's."""
        version = request.first(b"mcp-protocol-version")
        fields = [each for each in self._route.fields(request) if each[0].lower() not in _OWN]
        fields += [(b"Content-Type", b"application/json"), (b"Accept", b"application/json, text/event-stream")]
        if version is not None:
            fields.append((b"MCP-Protocol-Version", version))
        if b"_meta" in self._data:
            fields.append((b"Mcp-Method", b"tools/list"))  # 2026-07-28 basic/transports: the field repeats the method
        fields.append((b"Content-Length", b"%d" % len(self._data)))
        own = Request(b"POST", request.target, "1.1", fields)
        data = request_head(own, self._route.target(request), self._route.host, fields) + self._data
        upstream = self._route.pool.idle()
        if upstream is not None:
            self._sent(upstream, data)
        else:
            self._task = asyncio.get_running_loop().create_task(self._connect(data))

    async def _connect(self, data: bytes) -> None:
        try:
            upstream = await self._route.pool.connect()
        except (OSError, TimeoutError):
            self._end(self._error())
            return
        self._sent(upstream, data)

    def _sent(self, upstream: Upstream, data: bytes) -> None:
        self._upstream = upstream
        upstream.begin(self, b"POST", data)

    def abort(self) -> None:
        """Nobody waits for it any more."""
        self._over = True
        if self._task is not None:
            self._task.cancel()
        if self._upstream is not None:
            self._upstream.abort()

    def _error(self) -> bytes:
        return msgspec.json.encode({"jsonrpc": "2.0", "id": self._id, "error": {"code": -32603, "message": "the list was not answered"}})

    def _end(self, answer: bytes) -> None:
        if not self._over:
            self._over = True
            self._gate.listed(self, answer)

    # --- upstream.Listener -----------------------------------------------------------------------------------------------

    def head(self, status: int, reason: bytes, fields: list[Field]) -> None:
        """The head of the answer."""
        del reason
        self._status = status
        kind = next((value for name, value in fields if name.lower() == b"content-type"), b"")
        self._events = EventSplitter() if kind.lower().startswith(b"text/event-stream") else None

    def piece(self, data: bytes) -> None:
        """A piece of it."""
        self._size += len(data)
        if self._size > MAX_LIST_BYTES:
            if self._upstream is not None:
                self._upstream.abort()
            self._end(self._error())
        elif self._events is None:
            self._pieces.append(data)
        else:
            for block in self._events.feed(data):
                if block.data and self._gate.gate.mine(block.data):
                    self._end(block.data)

    def done(self, trailers: list[Field]) -> None:
        """It is whole. What was accepted only (202) is answered on another stream, or not at all."""
        del trailers
        body = b"".join(self._pieces)
        if self._events is None and body and self._gate.gate.mine(body):
            self._end(body)
        elif self._status != 202 or self._events is not None:  # noqa: PLR2004 - Accepted
            self._end(self._error())

    def lost(self, why: str) -> None:
        """The connection ended."""
        del why
        self._end(self._error())

    def pause(self) -> None:
        """Nothing more is sent anyway."""

    def resume(self) -> None:
        """Nothing more is sent anyway."""
