"""The facts of one HTTP request or response that may be kept, out of its method, status and headers.

Headers carry secrets (Authorization, cookies, Mcp-Param-*, a resource's URI in Mcp-Name). So nothing is returned but
what is named here; the session id alone is returned raw, for the caller to hash and forget.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from witnessmark.wire.challenge import Challenge, parse_challenges
from witnessmark.wire.revisions import is_version_shaped, method_name

MAX_SESSION_ID_CHARS: Final = 1024
"""Characters of a session id that are taken; longer ones are cut (both sides send the same one, so that they still join)."""

HTTP_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"})
OTHER_HTTP_METHOD: Final = "_OTHER"

_STATUS_RANGE: Final = range(100, 600)


class ContentKind(StrEnum):
    """What a body is said to be; NONE where there is no Content-Type."""

    NONE = "none"
    JSON = "json"
    SSE = "sse"
    HTML = "html"
    OTHER = "other"


class VersionHeader(StrEnum):
    """How the MCP-Protocol-Version header stood."""

    ABSENT = "absent"
    ONE = "one"
    SEVERAL = "several"
    MALFORMED = "malformed"


class RequestFacts(msgspec.Struct, frozen=True):
    """Of a request: `method` and `mcp_method` from closed lists; `protocol_version` only if it is shaped like one."""

    method: str
    session_id: str | None
    protocol_version: str | None
    version_header: VersionHeader
    mcp_method: str | None
    has_mcp_name: bool
    has_last_event_id: bool
    has_authorization: bool
    content: ContentKind


class ResponseFacts(msgspec.Struct, frozen=True):
    """Of a response: `status` is None where it was no HTTP status."""

    status: int | None
    session_id: str | None
    content: ContentKind
    challenges: tuple[Challenge, ...]


def request_facts(http: Mapping[str, Any]) -> RequestFacts:
    """The facts of `{"method", "path", "headers"}`; the path is not looked at; raises nothing."""
    headers = _lower(http.get("headers"))
    method = http.get("method")
    method = method.upper() if isinstance(method, str) else ""
    version, how = _version(headers.get("mcp-protocol-version", []))
    mcp_method = _first(headers, "mcp-method")
    return RequestFacts(
        method=method if method in HTTP_METHODS else OTHER_HTTP_METHOD,
        session_id=_session_id(headers),
        protocol_version=version,
        version_header=how,
        mcp_method=None if mcp_method is None else method_name(mcp_method),
        has_mcp_name="mcp-name" in headers,
        has_last_event_id="last-event-id" in headers,
        has_authorization="authorization" in headers,
        content=_content_kind(_first(headers, "content-type")),
    )


def response_facts(http: Mapping[str, Any]) -> ResponseFacts:
    """The facts of `{"status", "headers"}`; raises nothing."""
    headers = _lower(http.get("headers"))
    status = http.get("status")
    return ResponseFacts(
        status=status if type(status) is int and status in _STATUS_RANGE else None,
        session_id=_session_id(headers),
        content=_content_kind(_first(headers, "content-type")),
        challenges=parse_challenges(", ".join(headers.get("www-authenticate", []))),
    )


def is_http_request(http: Mapping[str, Any]) -> bool:
    """True for a request's object, False for a response's: a request has a method."""
    return "method" in http


def _lower(headers: object) -> dict[str, list[str]]:
    """Header fields by lower-case name, in their order: from an object (values: text or a list of it) or a list of pairs."""
    pairs: Iterable[Any] = ()
    if isinstance(headers, Mapping):
        pairs = headers.items()
    elif isinstance(headers, list):
        pairs = [pair for pair in headers if isinstance(pair, list | tuple) and len(pair) == len(("name", "value"))]
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        texts = value if isinstance(value, list) else [value]
        if isinstance(name, str):
            found.setdefault(name.strip().lower(), []).extend(text.strip() for text in texts if isinstance(text, str))
    return found


def _first(headers: Mapping[str, list[str]], name: str) -> str | None:
    values = headers.get(name)
    return values[0] if values else None


def _session_id(headers: Mapping[str, list[str]]) -> str | None:
    value = _first(headers, "mcp-session-id")
    return value[:MAX_SESSION_ID_CHARS] if value else None


def _version(values: list[str]) -> tuple[str | None, VersionHeader]:
    if not values:
        return None, VersionHeader.ABSENT
    if len(set(values)) > 1:
        return None, VersionHeader.SEVERAL
    if not is_version_shaped(values[0]):
        return None, VersionHeader.MALFORMED
    return values[0], VersionHeader.ONE


def _content_kind(value: str | None) -> ContentKind:
    if value is None:
        return ContentKind.NONE
    media = value.partition(";")[0].strip().lower()
    if media == "application/json" or media.endswith("+json"):
        return ContentKind.JSON
    if media == "text/event-stream":
        return ContentKind.SSE
    return ContentKind.HTML if media in {"text/html", "application/xhtml+xml"} else ContentKind.OTHER
