"""A server whose catalog is what a file says now, and what a test needs to lock and check it.

`python contract_server.py FILE`: FILE is JSON, a `tools/list` result with `instructions` and `pages` (sizes) beside `tools`;
`fail_page` is the number of the page that is answered with an error. With a client that declares capabilities `tools_full` counts.
With `calls` every tool can be called: each call is a line of FILE.calls. `hang` keeps `tools/list` unanswered.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

PROGRAM = str(Path(__file__).absolute())


def tool(name: str, description: str = "Does it.", **properties: Any) -> dict[str, Any]:
    """A tool whose parameters are given as schemas."""
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}}


def command(catalog: Path) -> list[str]:
    """What starts the server with that file as its catalog."""
    return [sys.executable, "-S", "-E", PROGRAM, str(catalog)]


def write(catalog: Path, *tools: dict[str, Any], **members: Any) -> None:
    """Write the catalog; the next start of the server serves it."""
    catalog.write_text(json.dumps({"tools": tools, **members}), encoding="utf-8")


def serve(path: str) -> None:
    """Answer until the input ends."""
    started = os.environ.get("STARTED")
    if started:
        with open(started, "a", encoding="utf-8") as record:
            record.write("started\n")
    full = False
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        held = json.loads(Path(path).read_text(encoding="utf-8"))
        if message["method"] == "initialize":
            full = bool(message["params"]["capabilities"])
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}}
            result["serverInfo"] = {"name": "changing", "version": held.get("version", "1")}
            if "instructions" in held:
                result["instructions"] = held["instructions"]
        elif message["method"] == "tools/list" and held.get("hang"):
            continue
        elif message["method"] == "tools/list":
            tools = held["tools_full"] if full and "tools_full" in held else held["tools"]
            at = int(message.get("params", {}).get("cursor", 0))
            if held.get("fail_page") == at:
                say(message, error={"code": -32603, "message": "no"})
                continue
            size = held.get("page_size", len(tools) or 1)
            result = {"tools": tools[at * size : (at + 1) * size]}
            if held.get("endless") or (at + 1) * size < len(tools):
                result["nextCursor"] = str(at + 1)
        elif message["method"] == "tools/call" and held.get("calls"):
            with open(f"{path}.calls", "a", encoding="utf-8") as record:
                record.write(json.dumps(message["params"]) + "\n")
            result = {"content": [{"type": "text", "text": "done"}]}
        else:
            say(message, error={"code": -32601, "message": "no"})
            continue
        say(message, result=result)


def say(message: dict[str, Any], **answer: Any) -> None:
    """Write one answer."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
