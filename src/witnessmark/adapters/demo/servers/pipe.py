"""The pipe of a demo server: one JSON-RPC message a line, the handshake of MCP 2025-11-25, and the tools that it is given."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, Final

Message = dict[str, Any]
Handler = Callable[["Pipe", Message], Message]
"""A method's `params` to its `result`; RpcError answers with an error instead."""

VERSION: Final = "2025-11-25"
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602


class RpcError(Exception):
    """An answer that is a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Message | None = None) -> None:
        super().__init__(message)
        self.error: Message = {"code": code, "message": message, **({} if data is None else {"data": data})}


class Pipe:
    """A server on standard input and output, until end of file. `later` is what to send after the answer that is being made."""

    def __init__(self, name: str, methods: dict[str, Handler], *, announces_changes: bool = False) -> None:
        self._methods = methods
        self._identity = {
            "protocolVersion": VERSION,
            "capabilities": {"tools": {"listChanged": True} if announces_changes else {}},
            "serverInfo": {"name": name, "version": "1"},
        }
        self.later: list[Message] = []

    def send(self, message: Message) -> None:
        """Write one message as one line."""
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def serve(self) -> None:
        """Answer every request in turn; notifications need none."""
        for line in sys.stdin:
            message = json.loads(line)
            if "method" not in message or "id" not in message:
                continue
            self.send({"id": message["id"], **self._answer(message)})
            while self.later:
                self.send(self.later.pop(0))

    def _answer(self, message: Message) -> Message:
        method, params = message["method"], message.get("params") or {}
        if method == "initialize":
            return {"result": self._identity}
        if method == "ping":
            return {"result": {}}
        handler = self._methods.get(method)
        if handler is None:
            return {"error": {"code": METHOD_NOT_FOUND, "message": f"no method {method}"}}
        try:
            return {"result": handler(self, params)}
        except RpcError as refusal:
            return {"error": refusal.error}


def tool(name: str, description: str, /, **properties: str) -> Message:
    """A tool's definition; `properties` are its arguments, all required, with their JSON type."""
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}, "required": list(properties)}
    return {"name": name, "description": description, "inputSchema": schema}


def text(said: str) -> Message:
    """A tool's result that says so."""
    return {"content": [{"type": "text", "text": said}]}
