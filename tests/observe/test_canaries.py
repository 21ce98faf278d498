"""No secret that a message, a header or a receipt can carry is in any fact."""

from __future__ import annotations

import base64
import json
from typing import Any

from observe_scene import MODERN, SUBSCRIPTION_MEMBER, redactor
from witnessmark.errors import InputError
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import Event, encode_fact
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import Record, Relay
from witnessmark.observe.transcript import read_transcript

CANARY = "canary-7f3a-sesame"
HEADER = {"witnessmark": "transcript/1", "transport": "http", "server": "tickets", "client": "agent"}
TOOL = {
    "name": "publish",
    "title": f"title {CANARY}",
    "description": f"description {CANARY}",
    "inputSchema": {
        "type": "object",
        "properties": {"slug": {"type": "string", "default": CANARY, "enum": [CANARY]}},
        "required": ["slug"],
    },
    "outputSchema": {"type": "object", "properties": {CANARY: {"const": CANARY}}},
    "annotations": {"title": CANARY},
    "_meta": {CANARY: CANARY},
}
_META = {
    **MODERN,
    "progressToken": CANARY,
    "traceparent": CANARY,
    "baggage": CANARY,
    CANARY: CANARY,
    "io.modelcontextprotocol/clientCapabilities": {CANARY + "!": {}},
}
_ASKED = {
    CANARY: {"method": CANARY, "params": {"mode": "url", "url": CANARY}},
    "b": {"method": "elicitation/create", "params": {"mode": "url", "url": CANARY}},
}

MESSAGES: list[tuple[str, Any]] = [
    (
        "client",
        {
            "id": 0,
            "method": "initialize",
            "params": {"protocolVersion": CANARY, "capabilities": {CANARY + "!": {}}, "clientInfo": {"name": "agent", "version": "1"}},
        },
    ),
    ("server", {"id": 0, "result": {"protocolVersion": CANARY, "capabilities": {"tools": {}}, "instructions": CANARY}}),
    ("client", {"id": CANARY, "method": "tools/list", "params": {"cursor": CANARY}}),
    (
        "server",
        {"id": CANARY, "result": {"tools": [TOOL, {"description": CANARY}], "nextCursor": CANARY, "cacheScope": CANARY, "ttlMs": CANARY}},
    ),
    (
        "client",
        {
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": "publish",
                "arguments": {"slug": CANARY, CANARY: 1},
                "requestState": CANARY,
                "inputResponses": {CANARY: CANARY},
                "_meta": _META,
            },
        },
    ),
    ("server", {"method": "notifications/progress", "params": {"progressToken": CANARY, "progress": 1, "message": CANARY}}),
    ("server", {"id": 1, "result": {"resultType": "input_required", "requestState": CANARY, "inputRequests": _ASKED}}),
    ("client", {"id": 2, "method": "tools/call", "params": {"name": "publish", "arguments": {"slug": CANARY}}}),
    ("server", {"id": 2, "result": {"content": [{"type": CANARY, "text": CANARY}], "structuredContent": {CANARY: CANARY}}}),
    ("client", {"id": 3, "method": "tools/call", "params": {"name": "publish", "arguments": {"slug": CANARY}}}),
    ("server", {"id": 3, "error": {"code": -32022, "message": CANARY, "data": {"supported": [CANARY], "requested": CANARY}}}),
    ("client", {"id": 4, "method": "tools/call", "params": {"name": "publish", "arguments": CANARY}}),
    ("server", {"id": 4, "result": {"resultType": CANARY, "task": {"taskId": CANARY, "status": CANARY, "statusMessage": CANARY}}}),
    ("client", {"id": 5, "method": "tasks/get", "params": {"taskId": CANARY}}),
    ("server", {"id": 5, "result": {"taskId": CANARY, "status": "completed", "result": {"content": CANARY}}}),
    ("client", {"id": 6, "method": CANARY, "params": {CANARY: CANARY}}),
    ("server", {"id": 6, "error": {"code": 1, "message": CANARY, "data": CANARY}}),
    (
        "client",
        {"id": CANARY + "2", "method": "subscriptions/listen", "params": {"_meta": _META, "notifications": {"toolsListChanged": True}}},
    ),
    (
        "server",
        {
            "method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": {SUBSCRIPTION_MEMBER: CANARY + "2"}, "notifications": {"toolsListChanged": True}},
        },
    ),
    ("server", {"method": "notifications/tools/list_changed", "params": {"_meta": {SUBSCRIPTION_MEMBER: CANARY + "2"}}}),
    ("client", {"method": "notifications/cancelled", "params": {"requestId": CANARY + "2", "reason": CANARY}}),
    ("server", {"method": CANARY, "params": {CANARY: CANARY}}),
    ("server", {"id": CANARY + "3", "method": "elicitation/create", "params": {"mode": "url", "url": CANARY, "message": CANARY}}),
    ("client", {"id": CANARY + "3", "result": {"action": CANARY}}),
    ("server", {"id": CANARY + "4", "result": {CANARY: CANARY}}),
]

BROKEN: list[tuple[str, bytes]] = [
    ("server", f"log line with {CANARY}\n".encode()),
    ("server", f'{{"jsonrpc":"2.0","id":"{CANARY}","result":\n'.encode()),
    ("server", f'{{"jsonrpc":"2.0","{CANARY}":1,"{CANARY}":2,"method":"x"}}\n'.encode()),
    ("server", f'{{"jsonrpc":"{CANARY}","id":null,"error":"{CANARY}"}}\n'.encode()),
    ("client", f"Content-Length: {CANARY}\r\n".encode()),
    ("client", f'{{"jsonrpc":"2.0","method":"{CANARY}'.encode()),
]

FRAMES: list[Any] = [
    {
        "from": "client",
        "http": {
            "method": CANARY,
            "path": f"/mcp?token={CANARY}",
            "headers": {
                "Authorization": f"Bearer {CANARY}",
                "Mcp-Session-Id": CANARY,
                "MCP-Protocol-Version": CANARY,
                "Mcp-Method": CANARY,
                "Mcp-Name": CANARY,
                "Mcp-Param-Key": CANARY,
                "Cookie": CANARY,
            },
        },
        "channel": "x1",
        "message": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "publish", "arguments": {}}},
    },
    {
        "from": "server",
        "http": {
            "status": 401,
            "headers": {
                "Set-Cookie": CANARY,
                "WWW-Authenticate": f'{CANARY} realm="{CANARY}", error="{CANARY}", error_description="{CANARY}", resource_metadata="https://user:{CANARY}@x.example/{CANARY}?{CANARY}"',
            },
        },
        "channel": "x1",
    },
    {"from": "host", "installed": {"source": "agent", "tools": [TOOL], "mapping": "exact"}},
    {"from": "operator", "declare": {"tool": "publish", "effect": "write", "operation_key": f"/{CANARY}", "note": CANARY}},
    {"from": "operator", "expect": {"outcome": "report", "verifier": {"kind": "file", "path": CANARY}}},
    {"from": "destination", "effect": {"call": CANARY, "operation_key": CANARY, "status": "applied", "note": CANARY}},
    {"from": "verifier", "outcome": {"outcome": "report", "status": "failed", "found": CANARY}},
    {"from": "operator", "approved": {"tools": [TOOL]}},
    {"from": "server", "raw": CANARY},
    {"from": CANARY, "message": CANARY},
    {"from": "operator", "declare": {"tool": "publish", "effect": CANARY}},
]

SPELLINGS = [
    CANARY.encode(),
    base64.b64encode(CANARY.encode()).rstrip(b"="),
    CANARY.encode().hex().encode(),
    json.dumps(CANARY)[1:-1].encode(),
]


def lines() -> list[tuple[str, bytes]]:
    return [(side, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n") for side, message in MESSAGES] + BROKEN


def assert_clean(data: bytes) -> None:
    for spelling in SPELLINGS:
        assert spelling not in data, data


def test_no_canary_of_a_pipe_is_in_any_entry() -> None:
    observer = Observer("tickets", redactor())
    observer.declare_key("publish", "/slug")
    relay = Relay(observer, Recorder("proxy", "s", "r"))
    kinds: set[str] = set()
    effects = list(relay.opened(0))
    for side, data in lines():
        effects += relay.receive(side, data, 1)  # type: ignore[arg-type]  # a Side
    effects += [*relay.eof("client", 2), *relay.exited(1, "server", 3), *relay.close(4)]
    for effect in effects:
        if isinstance(effect, Record):
            for entry in effect.entries:
                kinds.add(entry.kind)
                assert_clean(entry.data)
    assert len(kinds) >= 20, kinds


def test_no_canary_of_a_transcript_is_in_any_event() -> None:
    frames = [*FRAMES]
    frames += [{"from": side, "message": json.loads(data), "channel": "p"} for side, data in lines()[: len(MESSAGES)]]
    frames += [{"from": side, "raw": data.decode("utf-8", "replace"), "channel": "p"} for side, data in BROKEN]
    encoded = [json.dumps(HEADER).encode(), *(json.dumps({"at": 1, **frame}).encode() + b"\n" for frame in frames)]
    encoded.append(f'{{"at": 1, "from": "{CANARY}'.encode())
    events: list[Event] = list(read_transcript(encoded, "t.jsonl", redactor()))
    assert len({event.fact.KIND for event in events}) >= 22
    for event in events:
        assert_clean(encode_fact(event.fact))
        assert_clean(repr(event).encode())


def test_no_canary_is_in_an_error() -> None:
    for header in ({"witnessmark": CANARY}, {**HEADER, "transport": CANARY}, {**HEADER, "server": [CANARY]}):
        try:
            list(read_transcript([json.dumps(header).encode()], "t.jsonl"))
        except InputError as error:
            assert_clean(str(error).encode())
        else:
            raise AssertionError(header)


def test_equal_secrets_under_two_keys_do_not_meet() -> None:
    from witnessmark.observe.redact import Redactor

    def hashes(redact: Redactor) -> set[str]:
        observer = Observer("tickets", redact)
        facts = observer.message("0", "client", lines()[4][1])
        return {value for fact in facts for value in json.loads(encode_fact(fact)).values() if isinstance(value, str) and ":" in value}

    one, other = hashes(Redactor("k1", b"one")), hashes(Redactor("k1", b"two"))
    assert len(one) >= 3
    assert not one & other
