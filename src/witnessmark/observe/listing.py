"""Facts about `tools/list`: what was asked, what a page held, and why there was none.

Source: server/tools and server/utilities/pagination of every revision; 2026-07-28 server/utilities/caching for ttlMs and
cacheScope. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

from witnessmark.model.evidence import Fact, ListFailed, ListPage, ListStarted, ToolRef
from witnessmark.observe.pairing import OpenRequest
from witnessmark.observe.redact import Purpose, Redactor
from witnessmark.observe.served import ServedTools

MAX_TOOLS_PER_PAGE: Final = 10_000
"""Tools of one page that are recorded; a page of more is recorded as too large, so that no page passes half-read."""

MAX_TTL_MS: Final = 2**53 - 1

_CACHE_SCOPES: Final = frozenset({"public", "private"})


def list_started(server: str, request: OpenRequest, params: dict[str, Any], redact: Redactor) -> ListStarted:
    """The start of one page's request. A cursor of null is no cursor, as both SDKs read it; "" is one."""
    cursor = params.get("cursor")
    return ListStarted(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        cursor=None if cursor is None else redact.hashed(Purpose.CURSOR, cursor),
        version=request.version,
        origin="client",
    )


def list_failed(server: str, request: OpenRequest, reason: str, code: int | None = None) -> ListFailed:
    """The end of a page's request without a page; `reason`: error | unreadable | http | too_large | input_required | cancelled."""
    return ListFailed(server=server, channel=request.channel, peer=request.peer, id=request.id, code=code, reason=reason)


def list_page(
    server: str, request: OpenRequest, result: Any, size: int, served: ServedTools, redact: Redactor, repeated_names: bytes | None
) -> Fact:
    """The page in a `tools/list` result, or why it is none.

    `repeated_names` is the frame's text where the decoder found a member name twice in it: then the tools that hold one
    are looked for, and only they have no contract.
    """
    if type(result) is not dict:
        return list_failed(server, request, "unreadable")
    if result.get("resultType", "complete") == "input_required":
        return list_failed(server, request, "input_required")
    tools = result.get("tools")
    if type(tools) is not list or result.get("resultType", "complete") != "complete":
        return list_failed(server, request, "unreadable")
    if len(tools) > MAX_TOOLS_PER_PAGE:
        return list_failed(server, request, "too_large")
    doubtful = tools_with_repeated_names(repeated_names, len(tools)) if repeated_names is not None else frozenset()
    refs: list[ToolRef] = []
    ambiguous: list[str] = []
    for index, tool in enumerate(tools):
        taken = served.take(tool, redact, ambiguous=index in doubtful)
        if type(taken) is ToolRef:
            refs.append(taken)
        else:
            ambiguous.append(taken or f"#{index}")  # type: ignore[arg-type]  # a str: mypy does not narrow by type()
    next_cursor = result.get("nextCursor")
    scope = result.get("cacheScope")
    return ListPage(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        next=None if next_cursor is None else redact.hashed(Purpose.CURSOR, next_cursor),
        next_null=next_cursor is None and "nextCursor" in result,
        tools=tuple(refs),
        ambiguous=tuple(ambiguous),
        ttl_ms=_ttl_ms(result.get("ttlMs")),
        cache_scope=scope if type(scope) is str and scope in _CACHE_SCOPES else "",
        size_bytes=size,
    )


def _ttl_ms(value: Any) -> int | None:
    """The hint in whole milliseconds; a negative one counts as 0 (2026-07-28 server/utilities/caching); None if none was given."""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return min(max(int(value), 0), MAX_TTL_MS)
    return None


class _Repeated(dict[str, Any]):
    """An object in which a member name stands twice."""


def _repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else _Repeated(made)


def tools_with_repeated_names(text: bytes, count: int) -> frozenset[int]:
    """The indexes of the tools that hold a repeated name; all of them where one stands outside any tool."""
    everything = frozenset(range(count))
    try:
        message = json.loads(text, object_pairs_hook=_repeated)
    except (ValueError, RecursionError):
        return everything
    if not isinstance(message, dict) or not isinstance(message.get("result"), dict) or type(message["result"].get("tools")) is not list:
        return everything
    tools = message["result"].pop("tools")
    return everything if _holds_repeated(message) else frozenset(index for index, tool in enumerate(tools) if _holds_repeated(tool))


def _holds_repeated(value: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(value, _Repeated) or any(_holds_repeated(member) for member in value.values())
    return isinstance(value, list) and any(_holds_repeated(item) for item in value)
