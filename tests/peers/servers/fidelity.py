"""An MCP server without an SDK that does everything a proxy may spoil: `fidelity.py DIRECTORY`.

Seven tools in pages of three, members that no SDK knows, numbers that decoders change, an error with data, progress,
cancellation, a list that changes, a death in mid-call. Every byte that it reads goes to DIRECTORY/read, every execution to
DIRECTORY/executed. It speaks both eras and sends nothing that depends on time or chance, so that two sessions can be compared
byte by byte.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

PAGE = 3
BIG = 2**53 + 1


def tool(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "title": f"The tool {name}",
        "description": f"{name}: naïve ☃ \U0001f600",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "x-vendor": 1.0}}, "$comment": "kept"},
        "annotations": {"readOnlyHint": False, "x-vendor-hint": [1, 1.0, None]},
        "x-unknown": {"big": BIG, "one": 1.0},
        "_meta": {"com.example/owner": "team"},
    }


class Server:
    def __init__(self, directory: Path) -> None:
        self.tools = [tool(name) for name in ("echo", "fail", "steps", "sleep", "grow", "die", "seventh")]
        self.executed = (directory / "executed").open("a", buffering=1)
        self.sleeping: list[Any] = []
        self.subscription: Any = None

    def send(self, message: dict[str, Any]) -> None:
        # Spaces as an SDK does not write them, and characters both plain and escaped.
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=message.get("id", 0) in {1, 3}, separators=(" , ", ": "))
        data = text.encode() + b"\n"
        while data:
            data = data[os.write(1, data) :]

    def answer(self, request: dict[str, Any], result: dict[str, Any]) -> None:
        if "io.modelcontextprotocol/protocolVersion" in request.get("params", {}).get("_meta", {}):
            result = {"resultType": "complete", **result}
        self.send({"id": request["id"], "result": result})

    def notify_changed(self) -> None:
        params = {} if self.subscription is None else {"params": {"_meta": {"io.modelcontextprotocol/subscriptionId": self.subscription}}}
        self.send({"method": "notifications/tools/list_changed", **params})

    def handle(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message["method"]:
            case "initialize":
                info = {"name": "fidelity", "version": "1", "x-build": 1.0}
                capabilities = {"tools": {"listChanged": True}, "experimental": {"x": {}}}
                self.answer(message, {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": info})
            case "server/discover":
                capabilities = {"tools": {"listChanged": True}}
                self.answer(
                    message, {"supportedVersions": ["2026-07-28"], "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private"}
                )
            case "subscriptions/listen":
                self.subscription = message["id"]
                meta = {"io.modelcontextprotocol/subscriptionId": message["id"]}
                self.send(
                    {
                        "method": "notifications/subscriptions/acknowledged",
                        "params": {"_meta": meta, "notifications": {"toolsListChanged": True}},
                    }
                )
            case "tools/list":
                start = int(params.get("cursor", "page-0").removeprefix("page-"))
                page = {"tools": self.tools[start : start + PAGE], "x-page": start}
                if start + PAGE < len(self.tools):
                    page["nextCursor"] = f"page-{start + PAGE}"
                self.answer(message, page)
            case "tools/call":
                self.executed.write(params["name"] + "\n")
                self.call(message, params)
            case "notifications/cancelled" if params["requestId"] in self.sleeping:
                self.send({"method": "notifications/message", "params": {"level": "info", "data": {"cancelled": params["requestId"]}}})
            case _:
                pass

    def call(self, message: dict[str, Any], params: dict[str, Any]) -> None:
        token = params.get("_meta", {}).get("progressToken")
        match params["name"]:
            case "fail":
                self.send(
                    {"id": message["id"], "error": {"code": -32050, "message": "no", "data": {"why": "test", "big": BIG, "one": 1.0}}}
                )
            case "steps":
                for step in (1, 2.5, 3):
                    self.send(
                        {"method": "notifications/progress", "params": {"progressToken": token, "progress": step, "total": 3, "x": step}}
                    )
                self.answer(message, {"content": []})
            case "sleep":
                self.sleeping.append(message["id"])
            case "grow":
                self.tools.append(tool("grown"))
                os.write(1, b"a line of junk, as servers print\n\n")
                self.notify_changed()
                self.answer(message, {"content": []})
            case "die":
                os.write(1, b'{"jsonrpc": "2.0", "id": ')
                os._exit(9)
            case _:
                content = [{"type": "text", "text": json.dumps(params)}]
                self.answer(
                    message,
                    {"content": content, "structuredContent": {"big": BIG, "one": 1.0, "none": None}, "_meta": params.get("_meta", {})},
                )


def main(directory: Path) -> None:
    server = Server(directory)
    with (directory / "read").open("ab", buffering=0) as read:
        for line in sys.stdin.buffer:
            read.write(line)
            server.handle(json.loads(line))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
