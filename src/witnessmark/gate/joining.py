"""One page for clients that read page one only: the pages after the first are asked for by us, and the client gets all in one.

Policy (`join_pages`), off by default, recorded as a change of what the client is given. Where a page does not come the client
gets the server's first page as it was, cursor and all. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from witnessmark.gate.lists import own_params
from witnessmark.wire.jsonrpc import id_token

MAX_ASKED: Final = 1_024
"""First pages that may be open at once; SDK clients were seen with two."""


class Joined(NamedTuple):
    """A line for the client in place of the server's first page, and of how many pages it is made (0: it is the server's own)."""

    line: bytes
    pages: int


class _Join:
    """A first page that waits for the others."""

    __slots__ = ("began_us", "line", "message", "pages", "pending", "seen")

    def __init__(self, line: bytes, message: dict[str, Any], began_us: int) -> None:
        self.line = line
        self.message = message
        self.pages = 1
        self.pending = ""
        self.seen: set[str] = set()
        self.began_us = began_us


class Joins:
    """The client's open first pages and those that are being completed."""

    def __init__(self, prefix: str, max_pages: int) -> None:
        self._prefix = f"{prefix}page-"
        self._max_pages = max_pages
        self._asked: dict[str, None] = {}
        self._open: dict[str, _Join] = {}
        self._number = 0

    def asked(self, message: dict[str, Any]) -> None:
        """Note a list of the client's that begins a walk."""
        params, raw_id = message.get("params"), message.get("id")
        cursor = params.get("cursor") if type(params) is dict else None
        if message.get("method") == "tools/list" and cursor is None and (type(raw_id) is str or type(raw_id) is int):
            self._asked[id_token(raw_id)] = None
            if len(self._asked) > MAX_ASKED:
                del self._asked[next(iter(self._asked))]

    @property
    def waits(self) -> bool:
        """True while a first page may come, or others are on their way."""
        return bool(self._asked or self._open)

    def is_mine(self, raw_id: object) -> bool:
        """Whether an id is that of a page that was asked for here."""
        return type(raw_id) is str and raw_id.startswith(self._prefix)

    def first(self, line: bytes, message: Any, meta: dict[str, Any] | None, now_us: int) -> bytes | None:
        """The request for the second page, where this is a first page that has one; None where the line goes its usual way."""
        raw_id = message.get("id") if type(message) is dict and "method" not in message else None
        if not (type(raw_id) is str or type(raw_id) is int) or id_token(raw_id) not in self._asked:
            return None
        del self._asked[id_token(raw_id)]
        result = message.get("result")
        if type(result) is not dict or type(result.get("tools")) is not list or type(result.get("nextCursor")) is not str:
            return None
        return self._ask(_Join(line, message, now_us), result["nextCursor"], meta)

    def _ask(self, join: _Join, cursor: str, meta: dict[str, Any] | None) -> bytes:
        self._number += 1
        join.pending = f"{self._prefix}{self._number}"
        join.seen.add(cursor)
        self._open[join.pending] = join
        message = {"jsonrpc": "2.0", "id": join.pending, "method": "tools/list", "params": own_params(cursor, meta)}
        return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"

    def take(self, message: dict[str, Any], meta: dict[str, Any] | None) -> bytes | Joined | None:
        """A page that was asked for here: the next request, or what the client gets; None for a page that came too late."""
        join = self._open.pop(str(message.get("id")), None)
        if join is None:
            return None
        result = message.get("result")
        if type(result) is not dict or type(result.get("tools")) is not list:
            return Joined(join.line, 0)
        whole = join.message["result"]
        whole["tools"] = [*whole["tools"], *result["tools"]]
        join.pages += 1
        cursor = result.get("nextCursor")
        if cursor is None:
            del whole["nextCursor"]
            text = json.dumps(join.message, ensure_ascii=False, separators=(",", ":"))
            return Joined(text.encode("utf-8", "surrogatepass") + b"\n", join.pages)
        if type(cursor) is not str or cursor in join.seen or join.pages >= self._max_pages:
            return Joined(join.line, 0)
        return self._ask(join, cursor, meta)

    def late(self, limit_us: int, now_us: int) -> list[Joined]:
        """First pages that waited for longer than the limit: they go as they came."""
        found = [key for key, join in self._open.items() if now_us - join.began_us >= limit_us]
        return [Joined(self._open.pop(key).line, 0) for key in found]

    @property
    def began_us(self) -> int | None:
        """When the oldest of them began to wait."""
        return min((join.began_us for join in self._open.values()), default=None)
