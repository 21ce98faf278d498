"""Facts about responses: which request they answer, and what that says of the session, a list, a call, a task.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from witnessmark.model.evidence import Fact, PersonAnswered, RequestAnswered, ResponseUnpaired, Side, SubscriptionEnded
from witnessmark.observe.calling import call_answered, call_failed, outcome_of, small_code
from witnessmark.observe.channel import Channel
from witnessmark.observe.listing import list_failed, list_page
from witnessmark.observe.memory import Memory, note
from witnessmark.observe.pairing import OpenRequest, Part
from witnessmark.observe.session import (
    asks_for_url,
    challenged_by_url,
    is_url_challenge,
    negotiated_by_discover,
    negotiated_by_initialize,
    negotiated_by_use,
    refused,
    refused_by_code,
)
from witnessmark.observe.tasks import task_answered, task_refused
from witnessmark.observe.wirefaults import malformed
from witnessmark.wire.jsonrpc import Error, Invalid, Result
from witnessmark.wire.revisions import lookup

_BAD_REQUEST = 400
COMPARED_BYTES: Final = 4_096
"""Of a larger answer its size and both ends are compared, to tell a repetition from another answer to the same id."""


class Body(msgspec.Struct, frozen=True):
    """The frame of a response: its bytes where they were kept (None: too big), its size, whether a name stood twice in it."""

    data: bytes | None
    size: int
    repeated_names: bool = False

    @property
    def mark(self) -> int:
        """A number by which equal content is recognised within this process."""
        data = self.data
        if data is None:
            return hash((self.size, "too big to compare"))
        if self.size > COMPARED_BYTES:
            return hash((self.size, data[:COMPARED_BYTES], data[-COMPARED_BYTES:]))
        return hash(data)


def unpaired(memory: Memory, channel: Channel, side: Side, token: str | None, reason: str) -> ResponseUnpaired:
    """The fact of a response that no open request waits for."""
    return ResponseUnpaired(
        server=memory.server,
        channel=channel.name,
        peer=channel.peer,
        id=memory.redact.id(token) if token is not None else "",
        reason=reason,
        side=side,
    )


def answered_by_client(memory: Memory, channel: Channel, token: str, code: int | None, body: Body) -> list[Fact]:
    """The facts of a client's response to a server's request: counted, never taken for the other direction's."""
    request = channel.server.answer(token, body.mark)
    if request is None and not memory.stdio:
        for other in memory.channels.values():
            request = other.server.answer(token, body.mark)
            if request is not None:
                break
    if request is None:
        return [unpaired(memory, channel, "client", token, channel.server.why_unpaired(token, body.mark))]
    facts: list[Fact] = [_counted(memory, request, code, by="client")]
    if request.part is Part.PERSON:
        facts.append(PersonAnswered(server=memory.server, channel=request.channel, peer=request.peer, id=request.id))
    return facts


def _counted(memory: Memory, request: OpenRequest, code: int | None, *, by: Side = "server") -> RequestAnswered:
    return RequestAnswered(
        server=memory.server, channel=request.channel, peer=request.peer, method=request.method, code=small_code(code), by=by
    )


def answered_by_server(
    memory: Memory, channel: Channel, message: Result | Error | Invalid, body: Body, *, said_lost: bool = False
) -> list[Fact]:
    """The facts of a server's response; `said_lost`: its text says that a session is not known (the text is not kept)."""
    token = message.id
    if token is None:
        return _answered_without_id(memory, channel, message, body, said_lost=said_lost)
    lane = channel.client
    request = lane.answer(token, body.mark)
    if request is None and not memory.stdio:
        request = _answered_elsewhere(memory, channel, token, message, body)
    if request is None:
        return _answered_late(memory, channel, token, message, body)
    facts = _answer(memory, channel, request, message, body, said_lost=said_lost)
    if not memory.stdio:
        memory.note_answer(request.peer, token, body.mark)
    return facts


def _answered_late(memory: Memory, channel: Channel, token: str, message: Result | Error | Invalid, body: Body) -> list[Fact]:
    """A response that no open request waits for. That of a cancelled call still says what became of it, and is both."""
    reason = channel.client.why_unpaired(token, body.mark)
    where: Channel | None = channel
    if not memory.stdio and reason == "nobody":
        where = memory.cancelled_elsewhere(token, channel)
        if where is not None:
            reason = "late"
        elif _refused_exchange(channel, message) and channel.http_method:
            return []  # the body of a refusal that answers no request (a stream's GET, a session's DELETE)
        else:
            reason = memory.why_unpaired(channel.peer, token, body.mark)
    facts: list[Fact] = [unpaired(memory, channel, "server", token, reason)]
    request = where.client.cancelled.get(token) if where is not None and reason == "late" else None
    if where is not None and request is not None and request.part is Part.CALL:
        where.client.answer_late(token, body.mark)
        facts += _answer(memory, channel, request, message, body)
    return facts


def _refused_exchange(channel: Channel, message: Result | Error | Invalid) -> bool:
    """True for an error in an exchange that was refused as a whole."""
    return type(message) is Error and channel.status is not None and channel.status >= _BAD_REQUEST


def _answered_elsewhere(memory: Memory, channel: Channel, token: str, message: Result | Error | Invalid, body: Body) -> OpenRequest | None:
    """Over HTTP: an answer on another stream, or an error whose id is the server's own word in the exchange of one request."""
    found = memory.elsewhere(token, channel)
    if found is not None:
        found[0].client.answer(token, body.mark)
        if found[0].idle:
            memory.channels.pop(found[0].name, None)
        return found[1]
    only = channel.client.only_open()
    if only is not None and _refused_exchange(channel, message):
        # A common SDK's server answers refused exchanges with an id of its own ("server-error"): the exchange decides.
        channel.client.answer(only.token, body.mark)
        return only
    return None


def _answered_without_id(memory: Memory, channel: Channel, message: Result | Error | Invalid, body: Body, *, said_lost: bool) -> list[Fact]:
    """An error without an id answers the one request that is open, probably; surely where it is the exchange's own refusal,
    which answers every request of the exchange, or none (a stream's GET). An exchange that was not seen to begin may have
    had a request.
    """
    facts: list[Fact] = []
    if _refused_exchange(channel, message) and channel.http_method:
        for request in list(channel.client.open.values()):
            channel.client.answer(request.token, body.mark)
            facts += _answer(memory, channel, request, message, body, said_lost=said_lost)
        return facts
    only = channel.client.only_open() if type(message) is Error else None
    if only is not None:
        channel.client.answer(only.token, body.mark)
        facts = _answer(memory, channel, only, message, body, probable=True, said_lost=said_lost)
    facts.append(unpaired(memory, channel, "server", None, "null_id"))
    return facts


def _answer(
    memory: Memory,
    channel: Channel,
    request: OpenRequest,
    message: Result | Error | Invalid,
    body: Body,
    *,
    probable: bool = False,
    said_lost: bool = False,
) -> list[Fact]:
    if type(message) is Result:
        return _answer_with_result(memory, channel, request, message.result, body)
    if type(message) is Error:
        return _answer_with_error(memory, channel, request, message, body, probable=probable, said_lost=said_lost)
    assert type(message) is Invalid
    return _answer_with_invalid(memory, channel, request, message, body)


def _answer_with_result(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    part = request.part
    facts = _RESULTS[part](memory, channel, request, result, body)
    key = request.accept_key
    if key is not None and key not in memory.accepted:
        note(memory.accepted, key)
        if part is not Part.DISCOVER:
            facts.insert(0, negotiated_by_use(memory.server, request, memory.transport))
    return facts


def _call_result(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    outcome = outcome_of(result, request, lookup(request.version), whole=body.data is not None)
    answer = call_answered(memory.server, request, result, outcome, body.size, channel.status, memory.redact)
    if answer.task:
        memory.tasks.note(answer.task, request)
    if outcome.outcome == "input_required" and asks_for_url(result.get("inputRequests")):
        return [answer, challenged_by_url(memory.server, request)]
    return [answer]


def _list_result(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    del channel
    if body.data is None:
        return [list_failed(memory.server, request, "too_large")]
    repeated = body.data if body.repeated_names else None
    return [list_page(memory.server, request, result, body.size, memory.served, memory.redact, repeated)]


def _discovered(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    del channel, body
    if type(result) is not dict:
        return [refused(memory.server, request, "not_mcp")]
    return [negotiated_by_discover(memory.server, request, result, memory.redact, memory.transport)]


def _subscription_result(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    del channel, result, body
    return [SubscriptionEnded(server=memory.server, channel=request.channel, peer=request.peer, id=request.id, how="result")]


def _task_result(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    del channel, body
    call = memory.tasks.of(request.task, request) or request
    report = task_answered(memory.server, request, result, lookup(request.version), call, memory.redact)
    facts: list[Fact] = [report if report is not None else _counted(memory, request, None)]
    if type(result) is dict and asks_for_url(result.get("inputRequests")):
        facts.append(challenged_by_url(memory.server, call))
    return facts


def _other_result(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    del channel, result, body
    return [_counted(memory, request, None)]


def _initialized(memory: Memory, channel: Channel, request: OpenRequest, result: Any, body: Body) -> list[Fact]:
    del body
    if type(result) is not dict:
        return [refused(memory.server, request, "not_mcp")]
    request.peer = channel.peer  # over HTTP the session id comes with this very response
    version = result.get("protocolVersion")
    if type(version) is str:
        memory.note_version(channel, channel.peer, memory.redact.version(version))
    return [negotiated_by_initialize(memory.server, request, result, memory.redact, memory.transport)]


_RESULTS: Final = {
    Part.CALL: _call_result,
    Part.LIST: _list_result,
    Part.INITIALIZE: _initialized,
    Part.DISCOVER: _discovered,
    Part.SUBSCRIBE: _subscription_result,
    Part.TASK: _task_result,
    Part.OTHER: _other_result,
}


def _answer_with_error(
    memory: Memory, channel: Channel, request: OpenRequest, error: Error, body: Body, *, probable: bool, said_lost: bool
) -> list[Fact]:
    server, part, status = memory.server, request.part, channel.status
    facts: list[Fact] = []
    refusal = refused_by_code(server, request, error, status, memory.redact)
    lost = said_lost and request.session_id and not request.modern and status in (400, 404)
    if refusal is not None:
        facts.append(refusal)
        memory.forget_acceptance()
    elif lost:
        facts.append(refused(server, request, "lost", code=small_code(error.code), status=status))
    elif part in (Part.INITIALIZE, Part.DISCOVER):
        facts.append(refused(server, request, "error", code=small_code(error.code), status=status))
    if is_url_challenge(error):
        facts.append(challenged_by_url(server, request))
    if part is Part.CALL:
        facts.append(call_failed(server, request, "error", code=error.code, status=status, size=body.size, probable=probable))
    elif part is Part.LIST:
        facts.append(list_failed(server, request, "error", small_code(error.code)))
    elif part is Part.SUBSCRIBE:
        facts.append(SubscriptionEnded(server=server, channel=request.channel, peer=request.peer, id=request.id, how="error"))
    elif part is Part.TASK:
        report = task_refused(server, request, error.code)
        facts.append(report if report is not None else _counted(memory, request, error.code))
    elif part is Part.OTHER:
        facts.append(_counted(memory, request, error.code))
    return facts


def _answer_with_invalid(memory: Memory, channel: Channel, request: OpenRequest, message: Invalid, body: Body) -> list[Fact]:
    """An envelope that is neither result nor error, or both: it can be read in two ways and is never a success."""
    server, part = memory.server, request.part
    if part is Part.CALL:
        return [
            call_failed(
                server,
                request,
                "invalid",
                status=channel.status,
                violation=message.reason.value,
                size=body.size,
            )
        ]
    if part is Part.LIST:
        return [list_failed(server, request, "unreadable")]
    if part in (Part.INITIALIZE, Part.DISCOVER):
        return [refused(server, request, "not_mcp", status=channel.status)]
    if part is Part.SUBSCRIBE:
        return [SubscriptionEnded(server=server, channel=request.channel, peer=request.peer, id=request.id, how="error")]
    # It accepts nothing, and what it said of a task is lost.
    return [malformed(server, channel, "server", message.reason.value, fatal=True, size=body.size)]
