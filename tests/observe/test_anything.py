"""Whatever two peers say to each other, the observer raises nothing and its facts can be stored and read again."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from observe_scene import MODERN, SUBSCRIPTION_MEMBER, TOOL, redactor
from witnessmark.model.evidence import Fact, Side, decode_fact, encode_fact
from witnessmark.observe.observer import Observer
from witnessmark.wire.revisions import KNOWN_METHODS

ids: st.SearchStrategy[Any] = st.sampled_from([0, 1, 2, "1", "a-1", "any words", None, 1.5, True, [], 10**30])
scalars: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, -1, 0.5, 10**400, "", "x", "\ud800", "2026-07-28", "2025-11-25", "task", "input_required", "complete"]
)
NAMES = (
    "_meta", "content", "tools", "nextCursor", "cursor", "resultType", "requestState", "inputRequests", "isError",
    "structuredContent", "task", "taskId", "status", "name", "arguments", "progressToken", "progress", "requestId",
    "notifications", "toolsListChanged", "ttlMs", "capabilities", "protocolVersion", "supportedVersions", "clientInfo",
    "result", "error", "code", "message", "data", "supported", "method", "params", "mode",
)  # fmt: skip
names = st.sampled_from([*NAMES, SUBSCRIPTION_MEMBER, *MODERN])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=4) | st.just([TOOL]) | st.just(MODERN),
    max_leaves=6,
)
methods = st.sampled_from([*sorted(KNOWN_METHODS), "vendor/x"])
objects = st.dictionaries(names, values, max_size=4)
messages = st.one_of(
    st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids, "method": methods}, optional={"params": objects | values}),
    st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "method": methods}, optional={"params": objects | values}),
    st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids}, optional={"result": objects | values, "error": objects | values}),
    values,
)
sides: st.SearchStrategy[Side] = st.sampled_from(["client", "server"])
heads = st.fixed_dictionaries(
    {
        "status": st.sampled_from([200, 202, 400, 401, 403, 404, 500, 302, "x", None]),
        "headers": st.dictionaries(
            st.sampled_from(["content-type", "www-authenticate", "mcp-session-id"]),
            st.sampled_from(["text/html", "text/event-stream", 'Bearer error="insufficient_scope"', "s"]),
        ),
    }
)
steps = st.lists(st.tuples(sides, st.lists(messages, max_size=2) | messages, st.sampled_from(["a", "b"]), st.none() | heads), max_size=8)


def stored(facts: list[Fact]) -> None:
    for fact in facts:
        assert decode_fact(fact.KIND, encode_fact(fact)) == fact


@settings(max_examples=150)
@given(steps, st.sampled_from(["stdio", "http"]))
def test_any_conversation_gives_facts_that_can_be_stored(conversation: list[tuple[Side, Any, str, Any]], transport: str) -> None:
    observer = Observer("tickets", redactor(), transport=transport)
    observer.declare_key("publish", "/x")
    for side, message, channel, head in conversation:
        if transport == "http" and head is not None:
            if side == "client":
                stored(observer.http_request(channel, {"method": "POST", **head}))
            else:
                stored(observer.http_response(channel, head, body=message is not None))
        stored(observer.message(channel, side, json.dumps(message).encode()))
        if transport == "http" and head is not None and side == "server":
            observer.http_done(channel)
    stored(observer.closed("a", "server", 1))


@settings(max_examples=100)
@given(st.lists(st.tuples(sides, st.binary(max_size=60)), max_size=5))
def test_any_bytes_give_facts_that_can_be_stored(lines: list[tuple[Side, bytes]]) -> None:
    observer = Observer("tickets", redactor())
    for side, data in lines:
        stored(observer.line("0", side, data))
        stored(observer.truncated("0", side, data, len(data)))
