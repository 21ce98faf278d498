"""A scene for observer tests: one server, its messages in both directions, and the facts that they give."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from witnessmark.model.evidence import Fact, Side
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Redactor

KEY = b"a key for tests"
VERSION_MEMBER = "io.modelcontextprotocol/protocolVersion"
SUBSCRIPTION_MEMBER = "io.modelcontextprotocol/subscriptionId"
MODERN = {
    VERSION_MEMBER: "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1.0"},
}
TOOL: dict[str, Any] = {
    "name": "publish",
    "description": "Publish a page.",
    "inputSchema": {"type": "object", "properties": {"slug": {"type": "string"}, "key": {"type": "string"}}, "required": ["slug"]},
}
F = TypeVar("F", bound=Fact)


def redactor() -> Redactor:
    return Redactor("k1", KEY)


def text(message: Any) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode()


class Scene:
    def __init__(self, *, transport: str = "stdio", channel: str = "0") -> None:
        self.redact = redactor()
        self.observer = Observer("tickets", self.redact, transport=transport, client="agent")
        self.channel = channel
        self.facts: list[Fact] = []

    def say(self, side: Side, message: Any, channel: str | None = None) -> list[Fact]:
        facts = self.observer.message(channel or self.channel, side, text(message))
        self.facts += facts
        return facts

    def client(self, message: Any, channel: str | None = None) -> list[Fact]:
        return self.say("client", message, channel)

    def server(self, message: Any, channel: str | None = None) -> list[Fact]:
        return self.say("server", message, channel)

    def ask(self, id_: Any, method: str, params: dict[str, Any] | None = None, *, modern: bool = False) -> list[Fact]:
        params = dict(params or {})
        if modern:
            params["_meta"] = {**MODERN, **params.get("_meta", {})}
        return self.client({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})

    def call(self, id_: Any, arguments: Any = None, *, modern: bool = False, **params: Any) -> list[Fact]:
        return self.ask(id_, "tools/call", {"name": "publish", "arguments": arguments or {}, **params}, modern=modern)

    def answer(self, id_: Any, result: Any) -> list[Fact]:
        return self.server({"jsonrpc": "2.0", "id": id_, "result": result})

    def fail(self, id_: Any, code: int, data: Any = None, message: str = "no") -> list[Fact]:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        return self.server({"jsonrpc": "2.0", "id": id_, "error": error})

    def notify(self, side: Side, method: str, params: Any = None) -> list[Fact]:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        return self.say(side, message)

    def initialize(self, version: str = "2025-11-25", capabilities: Any = None) -> None:
        self.ask(0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "agent", "version": "1.0"}})
        shown = {"tools": {"listChanged": True}} if capabilities is None else capabilities
        self.answer(0, {"protocolVersion": version, "capabilities": shown, "serverInfo": {"name": "tickets", "version": "2.1"}})
        self.notify("client", "notifications/initialized")

    def serve(self, *tools: dict[str, Any], id_: Any = "list-1") -> list[Fact]:
        self.ask(id_, "tools/list")
        return self.answer(id_, {"tools": list(tools) or [TOOL]})


def only(facts: list[Fact], kind: type[F]) -> F:
    """The one fact of this kind."""
    found = [fact for fact in facts if isinstance(fact, kind)]
    assert len(found) == 1, facts
    return found[0]


def kinds(facts: list[Fact]) -> list[str]:
    return [fact.KIND for fact in facts]
