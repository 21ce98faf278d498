"""Facts about notifications: change signals, progress, cancellation, subscriptions, tasks, the end of a handshake.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import math
from typing import Any

from witnessmark.model.evidence import (
    CallCancelled,
    CallProgress,
    CatalogChanged,
    Fact,
    SessionConfirmed,
    SubscriptionAcknowledged,
    SubscriptionEnded,
)
from witnessmark.observe.channel import Channel
from witnessmark.observe.listing import list_failed
from witnessmark.observe.memory import Memory
from witnessmark.observe.pairing import OpenRequest, Part
from witnessmark.observe.redact import Purpose
from witnessmark.observe.tasks import task_notified
from witnessmark.wire.jsonrpc import id_token
from witnessmark.wire.revisions import META_SUBSCRIPTION_ID, lookup

LIST_CHANGED = "notifications/tools/list_changed"


def notified_by_client(memory: Memory, channel: Channel, method: str, params: dict[str, Any]) -> list[Fact]:
    """The facts of a client's notification."""
    if method == "notifications/cancelled":
        return _cancelled_by_client(memory, channel, params)
    if method == "notifications/initialized":
        return [SessionConfirmed(server=memory.server, channel=channel.name, peer=channel.peer)]
    return []


def notified_by_server(memory: Memory, channel: Channel, method: str, params: dict[str, Any]) -> list[Fact]:
    """The facts of a server's notification."""
    if method == "notifications/progress":
        return _progress(memory, channel, params)
    if method == LIST_CHANGED:
        return [catalog_changed(memory, channel, params, malformed=False)]
    if method == "notifications/cancelled":
        return _cancelled_by_server(memory, channel, params)
    if method == "notifications/subscriptions/acknowledged":
        return _acknowledged(memory, channel, params)
    if method in {"notifications/tasks/status", "notifications/tasks"}:
        modern = method == "notifications/tasks"
        revision = None if modern else lookup(memory.version_of(channel))
        peer = "" if modern else channel.peer
        report = task_notified(memory.server, channel.name, peer, params, revision, memory.tasks, memory.redact)
        return [] if report is None else [report]
    return []


def _token_of(value: Any) -> str | None:
    """The id token of a decoded value, None for what can be no id."""
    return id_token(value) if type(value) is int or type(value) is str else None


def _subscription_of(params: dict[str, Any]) -> str | None:
    """The token of the listen request that a notification belongs to (2026-07-28 patterns/subscriptions)."""
    meta = params.get("_meta")
    return _token_of(meta.get(META_SUBSCRIPTION_ID)) if type(meta) is dict else None


def catalog_changed(memory: Memory, channel: Channel, params: dict[str, Any], *, malformed: bool) -> CatalogChanged:
    """The change signal, with the subscription that it came on."""
    token = _subscription_of(params)
    return CatalogChanged(
        server=memory.server,
        channel=channel.name,
        peer=channel.peer if token is None else "",
        subscription="" if token is None else memory.redact.id(token),
        malformed=malformed,
    )


def _progress(memory: Memory, channel: Channel, params: dict[str, Any]) -> list[Fact]:
    token = params.get("progressToken")
    return [
        CallProgress(
            server=memory.server,
            channel=channel.name,
            peer=channel.asked_by,
            token="" if token is None else memory.redact.hashed(Purpose.TOKEN, token),
            progress=_finite(params.get("progress")),
            total=_finite(params.get("total")),
        )
    ]


def _finite(value: Any) -> float | None:
    """The number as a finite double, None for anything else."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return None
    return None


def _cancelled_by_client(memory: Memory, channel: Channel, params: dict[str, Any]) -> list[Fact]:
    token = _token_of(params.get("requestId"))
    if token is None:
        return []
    request = channel.client.open.get(token)
    where = channel
    if request is None and not memory.stdio:
        found = memory.elsewhere(token, channel)
        if found is not None:
            where, request = found
    if request is None:
        return [_cancelled(memory, channel.name, channel.peer, token, "client")]
    if request.part is Part.INITIALIZE:
        return []  # basic/utilities/cancellation: initialize cannot be cancelled, so it stays open
    where.client.cancel(token)
    return _given_up(memory, request, "client")


def _given_up(memory: Memory, request: OpenRequest, by: str) -> list[Fact]:
    if request.part is Part.CALL:
        return [_cancelled(memory, request.channel, request.peer, request.token, by)]
    if request.part is Part.LIST:
        return [list_failed(memory.server, request, "cancelled")]
    if request.part is Part.SUBSCRIBE:
        return [SubscriptionEnded(server=memory.server, channel=request.channel, peer=request.peer, id=request.id, how="cancelled")]
    return []


def _cancelled(memory: Memory, channel: str, peer: str, token: str, by: str) -> CallCancelled:
    return CallCancelled(server=memory.server, channel=channel, peer=peer, id=memory.redact.id(token), by=by)


def _cancelled_by_server(memory: Memory, channel: Channel, params: dict[str, Any]) -> list[Fact]:
    """A server cancels its own requests, or (2026-07-28) ends a subscription by the id of the client's listen request."""
    token = _token_of(params.get("requestId"))
    if token is None:
        return []
    if channel.server.cancel(token) is not None:
        return []
    request = channel.client.open.get(token)
    if request is not None and request.part is Part.SUBSCRIBE:
        channel.client.cancel(token)
        return _given_up(memory, request, "server")
    return [_cancelled(memory, channel.name, channel.peer, token, "server")]


def _acknowledged(memory: Memory, channel: Channel, params: dict[str, Any]) -> list[Fact]:
    token = _subscription_of(params)
    if token is None:
        return []
    honoured = params.get("notifications")
    return [
        SubscriptionAcknowledged(
            server=memory.server,
            channel=channel.name,
            id=memory.redact.id(token),
            tools_list_changed=type(honoured) is dict and honoured.get("toolsListChanged") is True,
        )
    ]
