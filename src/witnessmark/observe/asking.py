"""Facts about requests as they leave: negotiation, lists, calls, subscriptions; all others are noted as open only.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.model.evidence import Fact, PersonAsked, SubscriptionAsked
from witnessmark.observe.calling import call_of_unread_arguments, call_started
from witnessmark.observe.channel import Channel
from witnessmark.observe.listing import list_started
from witnessmark.observe.memory import Memory, note
from witnessmark.observe.pairing import OpenRequest, Part
from witnessmark.observe.session import ELICITATION, challenged_by_url, is_url_elicitation, offered_by_initialize, offered_by_meta
from witnessmark.observe.tasks import task_of
from witnessmark.observe.wirefaults import DUPLICATE_REQUEST_ID, malformed
from witnessmark.wire.revisions import META_CLIENT_INFO, META_PROGRESS_TOKEN, META_PROTOCOL_VERSION

_PARTS: Final = {
    "tools/call": Part.CALL,
    "tools/list": Part.LIST,
    "initialize": Part.INITIALIZE,
    "server/discover": Part.DISCOVER,
    "subscriptions/listen": Part.SUBSCRIBE,
    "tasks/get": Part.TASK,
    "tasks/result": Part.TASK,
    "tasks/cancel": Part.TASK,
    "tasks/update": Part.TASK,
}


_NO_META: Final[dict[str, Any]] = {}


def asked_by_client(
    memory: Memory, channel: Channel, token: str, method: str, params: dict[str, Any], size: int, *, whole: bool
) -> list[Fact]:
    """The facts of a client's request. `whole` is False where the frame was too big for its params to be read."""
    redact = memory.redact
    part = _PARTS.get(method, Part.OTHER)
    given = params.get("_meta")
    meta: dict[str, Any] = given if type(given) is dict else _NO_META
    modern = META_PROTOCOL_VERSION in meta and part is not Part.INITIALIZE
    if modern:
        version = redact.version(meta[META_PROTOCOL_VERSION])
        peer = ""  # 2026-07-28 basic: a connection is no session, so nothing is keyed by it
    else:
        version = memory.version_of(channel)
        peer = channel.peer
    request = OpenRequest(token, redact.id(token), redact.method(method), part, channel.name, peer, version, modern=modern)
    request.session_id = channel.session_sent
    channel.asked_by = peer
    facts: list[Fact] = []
    if channel.client.ask(request) or (not modern and memory.in_flight(token, channel, peer)):
        # Two requests share one id: their answers cannot be told apart (basic: ids are unique while in flight).
        facts.append(malformed(memory.server, channel, "client", DUPLICATE_REQUEST_ID, fatal=True, size=size))
    if modern:
        _note_offer(memory, channel, request, meta, facts)
    if part is Part.OTHER:
        return facts
    if part is Part.CALL:
        name = params.get("name")
        request.tool = redact.name(name)
        key = memory.keys.get(name) if memory.keys and type(name) is str else None
        if whole:
            facts.append(call_started(memory.server, request, params, size, memory.served, key, redact))
        else:
            given_token = meta.get(META_PROGRESS_TOKEN)
            facts.append(call_of_unread_arguments(memory.server, request, given_token, size, redact, keyed=key is not None))
    elif part is Part.LIST:
        facts.append(list_started(memory.server, request, params, redact))
    elif part is Part.INITIALIZE:
        facts.append(offered_by_initialize(memory.server, request, params, redact, memory.transport))
    elif part is Part.SUBSCRIBE:
        asked = params.get("notifications")
        facts.append(
            SubscriptionAsked(
                server=memory.server,
                channel=channel.name,
                peer=peer,
                id=request.id,
                tools_list_changed=type(asked) is dict and asked.get("toolsListChanged") is True,
            )
        )
    elif part is Part.TASK:
        request.task = task_of(params, redact)
    return facts


def _note_offer(memory: Memory, channel: Channel, request: OpenRequest, meta: dict[str, Any], facts: list[Fact]) -> None:
    """Adds the offer that lies in a modern request: for each discover, and once for each version and client."""
    info = meta.get(META_CLIENT_INFO)
    client = memory.redact.name(info.get("name")) if type(info) is dict else ""
    key = (channel.name if memory.stdio else "", request.version, client)
    request.accept_key = key
    if request.part is Part.DISCOVER or key not in memory.offered:
        note(memory.offered, key)
        facts.append(offered_by_meta(memory.server, request, meta, memory.redact, memory.transport))


def asked_by_server(memory: Memory, channel: Channel, token: str, method: str, params: dict[str, Any]) -> list[Fact]:
    """The facts of a server's request (sampling, elicitation, roots, ping; to 2025-11-25): one that asks for a person."""
    redact = memory.redact
    person = method == ELICITATION
    request = OpenRequest(
        token,
        redact.id(token),
        redact.method(method),
        Part.PERSON if person else Part.OTHER,
        channel.name,
        channel.peer,
        memory.version_of(channel),
        modern=False,
    )
    channel.server.ask(request)
    facts: list[Fact] = []
    if person:
        facts.append(PersonAsked(server=memory.server, channel=channel.name, peer=channel.peer, id=request.id))
    if is_url_elicitation(method, params):
        facts.append(challenged_by_url(memory.server, request))
    return facts
