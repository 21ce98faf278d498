"""Lists of our own on the client's connection: one at a time, every page, ids that cannot collide, never for the client to see.

Specification: server/tools and server/utilities/pagination (all revisions); 2026-07-28 basic: every request carries the
client's own `_meta`. Pure: no I/O, no clock, no chance: `prefix` comes from outside.
"""

from __future__ import annotations

import json
from collections import deque
from typing import Any, Final

from witnessmark.gate.view import View
from witnessmark.model.evidence import Fact, GateListed, ListFailed, ListPage, ListStarted
from witnessmark.observe.listing import list_page
from witnessmark.observe.pairing import OpenRequest, Part
from witnessmark.observe.redact import Purpose, Redactor
from witnessmark.observe.served import ServedTools
from witnessmark.state.walk import Walk, WalkPhase
from witnessmark.wire.jsonrpc import id_token
from witnessmark.wire.revisions import META_PROGRESS_TOKEN, META_TRACEPARENT, META_TRACESTATE

MINUTE_US: Final = 60_000_000
MAX_DIFFERS: Final = 64
"""Tools that a fact names one by one; more are counted in the verdict's own comparison."""
_OWN_TO_THE_CALL: Final = frozenset({META_PROGRESS_TOKEN, META_TRACEPARENT, META_TRACESTATE})


def own_params(cursor: str | None, meta: dict[str, Any] | None) -> dict[str, Any]:
    """The parameters of a list of ours: the cursor, and on 2026-07-28 the client's own `_meta` without what belongs to its call."""
    params: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
    if meta is not None:
        params["_meta"] = {name: value for name, value in meta.items() if name not in _OWN_TO_THE_CALL}
    return params


class Budget:
    """How many lists without a waiting call may begin within a minute."""

    def __init__(self, per_minute: int) -> None:
        self._limit = per_minute
        self._begun: deque[int] = deque()

    def next_us(self, now_us: int) -> int:
        """The instant from which the next one may begin."""
        while self._begun and self._begun[0] <= now_us - MINUTE_US:
            self._begun.popleft()
        return now_us if len(self._begun) < self._limit else self._begun[0] + MINUTE_US

    def spend(self, now_us: int) -> None:
        """One begins."""
        self._begun.append(now_us)


class OwnList:
    """One list of ours under way."""

    __slots__ = ("pages", "pending", "request", "started_us", "trigger", "walk")

    def __init__(self, trigger: str, started_us: int) -> None:
        self.trigger = trigger
        self.started_us = started_us
        self.pending = ""
        self.pages = 0
        self.walk: Walk | None = None
        self.request: OpenRequest | None = None

    @property
    def started(self) -> int:
        """The position in the catalog's history at which it began."""
        return self.walk.started.n if self.walk is not None else 0


class Ended:
    """How a list of ours ended: complete, or the reason why not."""

    __slots__ = ("digest", "list", "reason")

    def __init__(self, own: OwnList, reason: str, digest: str) -> None:
        self.list = own
        self.reason = reason
        self.digest = digest

    @property
    def complete(self) -> bool:
        """True where every page came."""
        return not self.reason


class OwnLists:
    """Asks for pages and takes them. `known` holds the contracts that are seen, as for any traversal."""

    def __init__(self, server: str, prefix: str, redact: Redactor, view: View, known: ServedTools, max_pages: int) -> None:
        self._server = server
        self._prefix = prefix
        self._mark = prefix.encode()
        self._redact = redact
        self._view = view
        self._known = known
        self._max_pages = max_pages
        self._number = 0
        self.current: OwnList | None = None

    def mine(self, line: bytes) -> bool:
        """Whether a line of the server's may answer us; decided by bytes, so that other lines cost nothing."""
        return self._mark in line

    def is_mine(self, raw_id: object) -> bool:
        """Whether an id is one of ours."""
        return type(raw_id) is str and raw_id.startswith(self._prefix)

    def begin(
        self, trigger: str, channel: str, peer: str, version: str, meta: dict[str, Any] | None, now_us: int
    ) -> tuple[list[Fact], bytes]:
        """Begin a list: what to record, and the line to send."""
        own = self.current = OwnList(trigger, now_us)
        own.request = self._request(channel, peer, version, modern=meta is not None)
        return self._ask(own, None, meta, now_us)

    def abandon(self, reason: str) -> list[Fact]:
        """Give the list up; its late pages are ours still, and change nothing."""
        own = self.current
        if own is None:
            return []
        self.current = None
        if own.walk is not None and own.walk.open:
            own.walk.break_off("PageUnanswered", own.walk.last)
        return [self._listed(own, reason, "")]

    def _request(self, channel: str, peer: str, version: str, *, modern: bool) -> OpenRequest:
        self._number += 1
        token = id_token(f"{self._prefix}{self._number}")
        return OpenRequest(token, self._redact.id(token), "tools/list", Part.LIST, channel, peer, version, modern=modern)

    def _ask(self, own: OwnList, cursor: str | None, meta: dict[str, Any] | None, now_us: int) -> tuple[list[Fact], bytes]:
        request = own.request
        assert request is not None
        own.pending = f"{self._prefix}{self._number}"
        started = ListStarted(
            server=self._server,
            channel=request.channel,
            peer=request.peer,
            id=request.id,
            cursor=None if cursor is None else self._redact.hashed(Purpose.CURSOR, cursor),
            version=request.version,
        )
        if own.walk is None:
            own.walk = self._view.begin(started, now_us)
        else:
            self._view.ask(own.walk, started, now_us)
        params = own_params(cursor, meta)
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": own.pending, "method": "tools/list"}
        if params:
            message["params"] = params
        recorded = ListStarted(
            server=self._server,
            channel=request.channel,
            peer=request.peer,
            id=request.id,
            cursor=started.cursor,
            version=request.version,
            origin="witness",
            trigger=own.trigger,
        )
        return [recorded], _line(message)

    def take(
        self, message: dict[str, Any], size: int, repeated_names: bytes | None, meta: dict[str, Any] | None, now_us: int
    ) -> tuple[list[Fact], bytes, Ended | None]:
        """An answer to one of ours: what to record, the next line to send (empty if none), and how the list ended if it did."""
        own = self.current
        if own is None or own.request is None or message.get("id") != own.pending:
            return [], b"", None  # to a list that was given up
        if "error" in message:
            return self._end(own, "error")
        page = list_page(self._server, own.request, message.get("result"), size, self._known, self._redact, repeated_names)
        own.pages += 1
        self._view.take(page, now_us)
        if not isinstance(page, ListPage):
            return self._end(own, page.reason if isinstance(page, ListFailed) else "unreadable")
        assert own.walk is not None
        if own.walk.phase is WalkPhase.COMPLETE:
            return self._end(own, "")
        if own.walk.phase is WalkPhase.BROKEN:
            return self._end(own, own.walk.reason)
        if own.pages >= self._max_pages:
            return self._end(own, "TooManyPages")
        cursor = message["result"]["nextCursor"]
        if type(cursor) is not str:
            return self._end(own, "unreadable")
        own.request = self._request(own.request.channel, own.request.peer, own.request.version, modern=own.request.modern)
        facts, line = self._ask(own, cursor, meta, now_us)
        return facts, line, None

    def _end(self, own: OwnList, reason: str) -> tuple[list[Fact], bytes, Ended | None]:
        self.current = None
        walk = own.walk
        if reason and walk is not None and walk.open:
            walk.break_off(reason, walk.last)
        digest = walk.digest.removeprefix("sha256:") if not reason and walk is not None else ""
        return [], b"", Ended(own, reason, digest)

    def _listed(self, own: OwnList, reason: str, digest: str, differs: tuple[str, ...] = ()) -> GateListed:
        request = own.request
        return GateListed(
            server=self._server,
            channel=request.channel if request is not None else "0",
            peer=request.peer if request is not None else "",
            trigger=own.trigger,
            complete=not reason,
            reason=reason,
            pages=own.pages,
            tools=len(own.walk.tools) if own.walk is not None else 0,
            digest=digest,
            differs=differs[:MAX_DIFFERS],
        )

    def listed(self, ended: Ended, differs: tuple[str, ...]) -> GateListed:
        """The fact of a list that ended; `differs`: tools whose contract is not the one that the client was last given."""
        return self._listed(ended.list, ended.reason, ended.digest, differs)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
