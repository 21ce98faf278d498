"""An MCP server without an SDK that writes down each execution before it answers: `counting.py FILE`."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

TOOL = {"name": "note", "description": "Write it down.", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
RESULTS: dict[str, Any] = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "counting", "version": "1"}},
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "noted"}]},
    "ping": {},
}


def main(path: str) -> None:
    noted = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] == "tools/call":
            os.write(noted, b"%d\n" % message["id"])
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]}
        os.write(1, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
