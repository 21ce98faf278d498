"""Facts in the heads of HTTP exchanges: authorization challenges, refusals, lost sessions, streams.

Sources: basic/transports and basic/authorization of 2025-03-26 to 2026-07-28. A status belongs to the request of its own
exchange; a JSON-RPC body that follows answers it, and only where there is none does the status answer it.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from witnessmark.model.evidence import EvidenceGap, Fact, RequestAnswered, SessionChallenged, SessionOpened, SubscriptionEnded
from witnessmark.observe.calling import call_failed
from witnessmark.observe.channel import Channel
from witnessmark.observe.listing import list_failed
from witnessmark.observe.memory import Memory
from witnessmark.observe.pairing import OpenRequest, Part
from witnessmark.observe.redact import Purpose
from witnessmark.observe.session import refused
from witnessmark.wire.challenge import Challenge
from witnessmark.wire.httpfacts import ContentKind, ResponseFacts, request_facts, response_facts

_NO_CHALLENGE: Final = Challenge("")
_OK_MIN, _OK_MAX = 200, 299
_REFUSED_MIN, _BROKEN_MIN = 400, 500
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404
_NO_CONTENT: Final = frozenset({202, 204})
_NEGOTIATION: Final = frozenset({Part.INITIALIZE, Part.DISCOVER})
_DECIDING: Final = _NEGOTIATION | {Part.LIST, Part.CALL, Part.SUBSCRIBE}
"""What else is refused (a ping, a stream's GET, a metadata address) is counted and decides nothing (verdicts.md section 3)."""
HTTP_BODY_NOT_JSON: Final = "HttpBodyNotJson"
REQUEST_NOT_SEEN: Final = "request_not_seen"


def http_request(memory: Memory, channel: Channel, http: Mapping[str, Any]) -> None:
    """Notes session and version of a request's head."""
    facts = request_facts(http)
    channel.http_method = facts.method
    channel.session_sent = facts.session_id is not None
    channel.peer = memory.redact.hashed(Purpose.SESSION_ID, facts.session_id) if facts.session_id is not None else ""
    channel.asked_by = channel.peer
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
    if _OK_MIN <= status <= _OK_MAX:
        unreadable = not body and (not_json or head.content in {ContentKind.HTML, ContentKind.OTHER})
        return _accepted(memory, channel, status, head.content, unreadable=unreadable)
    return _refused(memory, channel, status, head, body=body)


def _accepted(memory: Memory, channel: Channel, status: int, content: ContentKind, *, unreadable: bool) -> list[Fact]:
    """The facts of a 2xx: a stream that can carry signals, or a body that nobody can read as an answer."""
    if content is ContentKind.SSE:
        if channel.http_method != "GET":
            return []
        channel.stream = True
        return [_stream_opened(memory, channel)]
    facts: list[Fact] = []
    if unreadable and status not in _NO_CONTENT:
        for request in list(channel.client.open.values()):
            facts += _not_json(memory, channel, request, status)
    return facts


def _refused(memory: Memory, channel: Channel, status: int, head: ResponseFacts, *, body: bool) -> list[Fact]:
    """The facts of a status that is no 2xx: challenge, lost session, refusal; and the requests that it ends by itself."""
    open_requests = list(channel.client.open.values())
    request = open_requests[0] if open_requests else _headless(channel)
    insufficient = next((each for each in head.challenges if each.error == "insufficient_scope"), None)
    facts: list[Fact] = []
    if status == _UNAUTHORIZED or (status == _FORBIDDEN and insufficient is not None):
        challenge = head.challenges[0] if head.challenges else _NO_CHALLENGE
        facts.append(_challenged(memory, channel, request, status, insufficient or challenge))
        memory.forget_acceptance()
    elif status == _NOT_FOUND and channel.session_sent and not request.modern and not body:
        if channel.http_method != "DELETE":  # the client ends the session: that it is gone is what it wants
            facts.append(refused(memory.server, request, "lost", status=status))
    elif (status == _FORBIDDEN and request.part in _DECIDING) or (status >= _REFUSED_MIN and not body and request.part in _NEGOTIATION):
        # A page for people in place of the answer to a negotiation: nobody there speaks the protocol.
        page = head.content is ContentKind.HTML and not body and request.part in _NEGOTIATION
        facts.append(refused(memory.server, request, "not_mcp" if page else "http", status=status))
        if status == _FORBIDDEN:
            memory.forget_acceptance()
    if status >= _REFUSED_MIN and not body:
        for each in open_requests:
            facts += _ended_by_status(memory, channel, each, status)
        if not open_requests and not channel.http_method:
            # What was refused here was not seen: it may have been a call.
            facts.append(EvidenceGap(server=memory.server, channel=channel.name, reason=REQUEST_NOT_SEEN, count=1))
    return facts


def _headless(channel: Channel) -> OpenRequest:
    """Stands for an exchange without a request of JSON-RPC: a stream's GET, a session's DELETE, a notification's POST.

    One that was not seen to begin may have been a call, and is refused and challenged like one.
    """
    method = "" if channel.http_method else "tools/call"
    request = OpenRequest("", "", method, Part.OTHER, channel.name, channel.peer, "", modern=False)
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


def says_session(value: Any, channel: Channel) -> bool:
    """True if a refused exchange's error text speaks of a session (404 always does); read here, kept nowhere.

    2025-03-26 to 2025-11-25 basic/transports: 404 for a session that is gone, 400 for a request without one.
    """
    if channel.status == 404:  # noqa: PLR2004 - Not Found
        return True
    if channel.status != 400 or type(value) is not dict or type(value.get("error")) is not dict:  # noqa: PLR2004 - Bad Request
        return False
    text = value["error"].get("message")
    return type(text) is str and "session" in text.lower()
