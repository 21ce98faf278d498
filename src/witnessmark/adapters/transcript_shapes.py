"""What of a message a redacted transcript keeps: a table by method, read by `transcript_redaction`.

KEEP: as it is. HIDE: values replaced, member names kept (the protocol's own). FREE: names replaced too, unless a served
contract declares them (they may be data: a map by e-mail address). A dictionary says it member by member; "*" is any other
member, and the items of an array are treated as the array is.
"""

from __future__ import annotations

from typing import Final, Literal

Action = Literal["keep", "hide", "free"]
KEEP: Final[Action] = "keep"
HIDE: Final[Action] = "hide"
FREE: Final[Action] = "free"
Shape = Action | dict[str, "Shape"]

_IDENTITY: Final[Shape] = {"name": KEEP, "version": KEEP, "*": HIDE}
_RELATED: Final[Shape] = {"taskId": HIDE, "*": HIDE}
META: Final[Shape] = {
    "progressToken": KEEP,
    "io.modelcontextprotocol/protocolVersion": KEEP,
    "io.modelcontextprotocol/clientInfo": _IDENTITY,
    "io.modelcontextprotocol/serverInfo": _IDENTITY,
    "io.modelcontextprotocol/clientCapabilities": KEEP,
    "io.modelcontextprotocol/subscriptionId": KEEP,
    "io.modelcontextprotocol/logLevel": KEEP,
    "io.modelcontextprotocol/related-task": _RELATED,
    "*": FREE,
}
_TASK_MEMBERS: Final[dict[str, Shape]] = {
    "taskId": HIDE,
    "status": KEEP,
    "ttl": KEEP,
    "ttlMs": KEEP,
    "pollInterval": KEEP,
    "pollIntervalMs": KEEP,
}
_ASKED: Final[Shape] = {"method": KEEP, "params": {"mode": KEEP, "*": FREE}, "*": HIDE}
"""A request inside a result (`inputRequests`): its method and mode decide whether a person must act."""

CALL_RESULT: Final[dict[str, Shape]] = {
    "_meta": META,
    "isError": KEEP,
    "resultType": KEEP,
    "content": {"type": KEEP, "*": HIDE},
    "structuredContent": FREE,
    "task": {**_TASK_MEMBERS, "*": HIDE},
    **_TASK_MEMBERS,
    "inputRequests": {"*": _ASKED},
    "result": {"_meta": META, "isError": KEEP, "content": {"type": KEEP, "*": HIDE}, "structuredContent": FREE, "*": HIDE},
    "error": {"code": KEEP, "message": HIDE, "*": FREE},
    "*": HIDE,
}

DEFAULT_PARAMS: Final[Shape] = {"_meta": META, "requestId": KEEP, "progressToken": KEEP, "taskId": HIDE, "*": FREE}

PARAMS: Final[dict[str, Shape]] = {
    "initialize": {"_meta": META, "protocolVersion": KEEP, "capabilities": KEEP, "clientInfo": _IDENTITY, "*": HIDE},
    "tools/list": {"_meta": META, "cursor": HIDE, "*": HIDE},
    "tools/call": {
        "_meta": META,
        "name": KEEP,
        "arguments": {"*": FREE},
        "task": {"ttl": KEEP, "*": HIDE},
        "requestState": HIDE,
        "inputResponses": {"*": FREE},
        "*": HIDE,
    },
    "subscriptions/listen": {"_meta": META, "notifications": KEEP, "*": HIDE},
    "notifications/subscriptions/acknowledged": {"_meta": META, "notifications": KEEP, "*": HIDE},
    "notifications/progress": {"_meta": META, "progressToken": KEEP, "progress": KEEP, "total": KEEP, "*": HIDE},
    "notifications/cancelled": {"_meta": META, "requestId": KEEP, "*": HIDE},
    "notifications/tasks/status": {"_meta": META, **_TASK_MEMBERS, "*": HIDE},
    "notifications/tasks": {"_meta": META, **CALL_RESULT},
    "tasks/get": {"_meta": META, "*": HIDE},
    "tasks/result": {"_meta": META, "*": HIDE},
    "tasks/cancel": {"_meta": META, "*": HIDE},
    "elicitation/create": {"_meta": META, "mode": KEEP, "*": FREE},
}

_CAPABILITIES: Final[dict[str, Shape]] = {"capabilities": KEEP, "serverInfo": _IDENTITY, "_meta": META}
RESULTS: Final[dict[str, Shape]] = {
    "initialize": {"protocolVersion": KEEP, **_CAPABILITIES, "*": HIDE},
    "server/discover": {"supportedVersions": KEEP, "resultType": KEEP, "ttlMs": KEEP, "cacheScope": KEEP, **_CAPABILITIES, "*": HIDE},
    "tools/list": {"_meta": META, "tools": KEEP, "nextCursor": HIDE, "ttlMs": KEEP, "cacheScope": KEEP, "resultType": KEEP, "*": HIDE},
}

ERROR: Final[Shape] = {
    "code": KEEP,
    "message": HIDE,
    "data": {
        "supported": KEEP,
        "requested": KEEP,
        "requiredCapabilities": KEEP,
        "elicitations": {"mode": KEEP, "*": HIDE},
        "*": FREE,
    },
    "*": HIDE,
}


def message_shape(params: Shape, result: Shape) -> Shape:
    """The shape of a whole message whose params and result have these shapes."""
    return {"jsonrpc": KEEP, "id": KEEP, "method": KEEP, "params": params, "result": result, "error": ERROR, "*": FREE}
