"""Facts in the heads of HTTP exchanges: authorization challenges, refusals, lost sessions, streams.

Sources: basic/transports and basic/authorization of 2025-03-26 to 2026-07-28. A status belongs to the request of its own
exchange; a JSON-RPC body that follows answers it, and only where there is none does the status answer it.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from witnessmark.model.evidence import Fact, RequestAnswered, SessionChallenged, SessionOpened, SubscriptionEnded
from witnessmark.observe.calling import call_failed
from witnessmark.observe.channel import Channel
from witnessmark.observe.listing import list_failed
from witnessmark.observe.memory import Memory
from witnessmark.observe.pairing import OpenRequest, Part
from witnessmark.observe.redact import Purpose
from witnessmark.observe.session import refused
from witnessmark.wire.challenge import Challenge
from witnessmark.wire.httpfacts import ContentKind, request_facts, response_facts

_NO_CHALLENGE: Final = Challenge("")
_OK_MIN, _OK_MAX = 200, 299
_REFUSED_MIN, _BROKEN_MIN = 400, 500
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404
_NO_CONTENT: Final = frozenset({202, 204})
_NEGOTIATION: Final = frozenset({Part.INITIALIZE, Part.DISCOVER})
HTTP_BODY_NOT_JSON: Final = "HttpBodyNotJson"


def http_request(memory: Memory, channel: Channel, http: Mapping[str, Any]) -> None:
    """Notes session and version of a request's head."""
    facts = request_facts(http)
    channel.http_method = facts.method
    channel.session_sent = facts.session_id is not None
    channel.peer = memory.redact.hashed(Purpose.SESSION_ID, facts.session_id) if facts.session_id is not None else ""
    channel.headers_version = facts.protocol_version or ""


def http_response(memory: Memory, channel: Channel, http: Mapping[str, Any], *, body: bool, not_json: bool) -> list[Fact]:
    """The facts in a response's head. With `body` the request stays open: the message that follows answers it."""
    head = response_facts(http)
    status = head.status
    channel.status = status if status is not None and status >= _REFUSED_MIN else None
    if head.session_id is not None:
        channel.peer = memory.redact.hashed(Purpose.SESSION_ID, head.session_id)
    if status is None:
        return []
    facts: list[Fact] = []
    open_requests = list(channel.client.open.values())
    request = open_requests[0] if open_requests else _headless(channel)
    if _OK_MIN <= status <= _OK_MAX:
        if head.content is ContentKind.SSE and channel.http_method == "GET":
            channel.stream = True
            facts.append(_stream_opened(memory, channel))
        elif not body and status not in _NO_CONTENT and (not_json or head.content in {ContentKind.HTML, ContentKind.OTHER}):
            for each in open_requests:
                facts += _not_json(memory, channel, each, status)
        return facts
    challenge = head.challenges[0] if head.challenges else _NO_CHALLENGE
    insufficient = next((each for each in head.challenges if each.error == "insufficient_scope"), None)
    if status == _UNAUTHORIZED or (status == _FORBIDDEN and insufficient is not None):
        facts.append(_challenged(memory, channel, request, status, insufficient or challenge))
        memory.forget_acceptance()
    elif status == _NOT_FOUND and channel.session_sent and not request.modern and not body:
        facts.append(refused(memory.server, request, "lost", status=status))
    elif status == _FORBIDDEN:
        facts.append(refused(memory.server, request, "http", status=status))
        memory.forget_acceptance()
    elif status >= _REFUSED_MIN and not body and request.part in _NEGOTIATION:
        facts.append(refused(memory.server, request, "not_mcp" if head.content is ContentKind.HTML else "http", status=status))
    if status >= _REFUSED_MIN and not body:
        for each in open_requests:
            facts += _ended_by_status(memory, channel, each, status)
    return facts


def _headless(channel: Channel) -> OpenRequest:
    """Stands for an exchange without a request of JSON-RPC: a stream's GET, a session's DELETE, a notification's POST."""
    request = OpenRequest("", "", "", Part.OTHER, channel.name, channel.peer, "", modern=False)
    request.session_id = channel.session_sent
    return request


def _stream_opened(memory: Memory, channel: Channel) -> SessionOpened:
    return SessionOpened(
        server=memory.server, channel=channel.name, peer=channel.peer, transport=memory.transport, client=memory.client, listening=True
    )


def _challenged(memory: Memory, channel: Channel, request: OpenRequest, status: int, challenge: Challenge) -> SessionChallenged:
    redact = memory.redact
    return SessionChallenged(
        server=memory.server,
        channel=channel.name,
        peer=request.peer,
        id=request.id,
        method=request.method,
        tool=request.tool,
        kind="http",
        status=status,
        scheme=redact.word(challenge.scheme),
        error=redact.word(challenge.error),
        scopes=redact.scopes(challenge.scopes),
        resource=challenge.resource_metadata_origin or "",
    )


def _not_json(memory: Memory, channel: Channel, request: OpenRequest, status: int) -> list[Fact]:
    """An accepted exchange whose body is no JSON-RPC: a login page, a proxy's greeting."""
    channel.client.answer(request.token, 0)
    if request.part in _NEGOTIATION:
        return [refused(memory.server, request, "not_mcp", status=status)]
    if request.part is Part.CALL:
        return [call_failed(memory.server, request, "invalid", status=status, violation=HTTP_BODY_NOT_JSON)]
    if request.part is Part.LIST:
        return [list_failed(memory.server, request, "unreadable")]
    return []


def _ended_by_status(memory: Memory, channel: Channel, request: OpenRequest, status: int) -> list[Fact]:
    """What the status alone says of the exchange's request: refused (4xx), or nobody knows what became of it (5xx)."""
    server = memory.server
    channel.client.answer(request.token, 0)
    if request.part is Part.CALL:
        return [call_failed(server, request, "lost" if status >= _BROKEN_MIN else "error", status=status)]
    if request.part is Part.LIST:
        return [list_failed(server, request, "http")]
    if request.part is Part.SUBSCRIBE:
        return [SubscriptionEnded(server=server, channel=request.channel, peer=request.peer, id=request.id, how="error")]
    if request.part is Part.OTHER or request.part is Part.TASK:
        return [RequestAnswered(server=server, channel=request.channel, peer=request.peer, method=request.method, code=status)]
    return []
