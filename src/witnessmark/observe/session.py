"""Facts about negotiation and authorization: offers, acceptances, refusals, challenges.

Sources: basic/lifecycle to 2025-11-25 (initialize), 2026-07-28 basic/versioning and server/discover (per-request `_meta`),
basic/authorization. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.model.evidence import Fact, SessionChallenged, SessionNegotiated, SessionOffered, SessionRefused
from witnessmark.observe.pairing import OpenRequest
from witnessmark.observe.redact import Redactor, text_digest
from witnessmark.wire.jsonrpc import Error
from witnessmark.wire.revisions import (
    CODE_HEADER_MISMATCH,
    CODE_MISSING_REQUIRED_CLIENT_CAPABILITY,
    CODE_UNSUPPORTED_PROTOCOL_VERSION,
    CODE_URL_ELICITATION_REQUIRED,
    META_CLIENT_CAPABILITIES,
    META_CLIENT_INFO,
    META_SERVER_INFO,
)

ELICITATION: Final = "elicitation/create"
MAX_CLIENT_NAME_CHARS: Final = 64

# 2026-07-28 basic, error codes: any request may be refused with them.
_REFUSALS: Final = {
    CODE_HEADER_MISMATCH: "header",
    CODE_MISSING_REQUIRED_CLIENT_CAPABILITY: "capability",
    CODE_UNSUPPORTED_PROTOCOL_VERSION: "version",
}
_URL_ELICITATION: Final = "url_elicitation"


def offered_by_initialize(server: str, request: OpenRequest, params: dict[str, Any], redact: Redactor, transport: str) -> SessionOffered:
    """The offer of an `initialize` request."""
    name, version = _identity(params.get("clientInfo"), redact)
    return SessionOffered(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        method=request.method,
        transport=transport,
        version=redact.version(params.get("protocolVersion")),
        era="legacy",
        client=name,
        client_version=version,
        capabilities=redact.flags(params.get("capabilities")),
    )


def offered_by_meta(server: str, request: OpenRequest, meta: dict[str, Any], redact: Redactor, transport: str) -> SessionOffered:
    """The offer that a request of 2026-07-28 carries in its `_meta`."""
    name, version = _identity(meta.get(META_CLIENT_INFO), redact)
    return SessionOffered(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        method=request.method,
        transport=transport,
        version=request.version,
        era="modern",
        client=name,
        client_version=version,
        capabilities=redact.flags(meta.get(META_CLIENT_CAPABILITIES)),
    )


def _identity(info: Any, redact: Redactor) -> tuple[str, str]:
    if type(info) is not dict:
        return "", ""
    return redact.name(info.get("name"), MAX_CLIENT_NAME_CHARS), redact.name(info.get("version"), MAX_CLIENT_NAME_CHARS)


def negotiated_by_initialize(server: str, request: OpenRequest, result: dict[str, Any], redact: Redactor, transport: str) -> Fact:
    """The acceptance in an `initialize` result; what names no version is a refusal by something that is not MCP."""
    version = result.get("protocolVersion")
    if type(version) is not str:
        return refused(server, request, "not_mcp")
    return SessionNegotiated(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        method=request.method,
        transport=transport,
        version=redact.version(version),
        era="legacy",
        list_changed=_list_changed(result.get("capabilities")),
        capabilities=redact.flags(result.get("capabilities")),
        server_version=_identity(result.get("serverInfo"), redact)[1],
        instructions=_instructions(result),
    )


def negotiated_by_discover(server: str, request: OpenRequest, result: dict[str, Any], redact: Redactor, transport: str) -> Fact:
    """The acceptance in a `server/discover` result. `version` is the one that was asked by, if the server speaks it."""
    supported = redact.versions(result.get("supportedVersions"))
    if not supported:
        return refused(server, request, "not_mcp")
    meta = result.get("_meta")
    return SessionNegotiated(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        method=request.method,
        transport=transport,
        version=request.version if request.version in supported else "",
        era="modern",
        list_changed=_list_changed(result.get("capabilities")),
        capabilities=redact.flags(result.get("capabilities")),
        supported=supported,
        server_version=_identity(meta.get(META_SERVER_INFO), redact)[1] if type(meta) is dict else "",
        instructions=_instructions(result),
    )


def negotiated_by_use(server: str, request: OpenRequest, transport: str) -> SessionNegotiated:
    """The acceptance that lies in a modern request's accepted answer: its version, and no word about capabilities."""
    return SessionNegotiated(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        method=request.method,
        transport=transport,
        version=request.version,
        era="modern",
    )


def _list_changed(capabilities: Any) -> bool | None:
    """What the shown capabilities say of tools.listChanged: absent inside them is False, no capabilities at all is None."""
    if type(capabilities) is not dict:
        return None
    tools = capabilities.get("tools")
    return type(tools) is dict and tools.get("listChanged") is True


def _instructions(result: dict[str, Any]) -> str:
    text = result.get("instructions")
    return text_digest(text) if type(text) is str and text else ""


def refused(
    server: str,
    request: OpenRequest,
    reason: str,
    *,
    code: int | None = None,
    status: int | None = None,
    data: Any = None,
    redact: Redactor | None = None,
) -> SessionRefused:
    """A refusal of this request; `data` is the error's, of which versions alone are read."""
    supported: tuple[str, ...] = ()
    requested = ""
    if type(data) is dict and redact is not None:
        supported = redact.versions(data.get("supported"))
        requested = redact.version(data.get("requested"))
    return SessionRefused(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        method=request.method,
        reason=reason,
        code=code,
        status=status,
        supported=supported,
        requested=requested or (request.version if reason == "version" else ""),
    )


def refused_by_code(server: str, request: OpenRequest, error: Error, status: int | None, redact: Redactor) -> SessionRefused | None:
    """The refusal that an error code of 2026-07-28 is on any request; None for every other code."""
    reason = _REFUSALS.get(error.code)
    if reason is None:
        return None
    return refused(server, request, reason, code=error.code, status=status, data=error.data, redact=redact)


def challenged_by_url(server: str, request: OpenRequest) -> SessionChallenged:
    """The challenge that sends a person to an address (2025-11-25 -32042; an elicitation of mode `url`)."""
    return SessionChallenged(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        method=request.method,
        tool=request.tool,
        kind=_URL_ELICITATION,
    )


def asks_for_url(input_requests: Any) -> bool:
    """True if any of the `inputRequests` of 2026-07-28 is an elicitation of mode `url`."""
    if type(input_requests) is not dict:
        return False
    return any(type(asked) is dict and is_url_elicitation(asked.get("method"), asked.get("params")) for asked in input_requests.values())


def is_url_elicitation(method: Any, params: Any) -> bool:
    """True for `elicitation/create` of mode `url` (client/elicitation, 2025-11-25 and later)."""
    return method == ELICITATION and type(params) is dict and params.get("mode") == "url"


def is_url_challenge(error: Error) -> bool:
    """True for the error that 2025-11-25 answers a request with while an address must be visited first."""
    return error.code == CODE_URL_ELICITATION_REQUIRED
