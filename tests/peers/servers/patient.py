"""A server whose call ends when the file `release` appears in its folder; it notes the methods that it hears in `heard`.

`beats` as its argument: it sends a heartbeat, always the same one, which is none.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

TOOL = {"name": "wait", "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}}}}
TICK_S = 0.02


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    open_call: dict[str, Any] | None = None
    waiting = b""
    while True:
        if select.select([0], [], [], TICK_S)[0]:
            data = os.read(0, 65536)
            if not data:
                return
            waiting += data
        *lines, waiting = waiting.split(b"\n")
        for line in lines:
            message = json.loads(line)
            with open("heard", "a", encoding="utf-8") as heard:
                heard.write(json.dumps([message["method"], message.get("params", {}).get("requestId")]) + "\n")
            if message["method"] == "initialize":
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}}
                send({"id": message["id"], "result": result})
            elif message["method"] == "tools/list":
                send({"id": message["id"], "result": {"tools": [TOOL]}})
            elif message["method"] == "tools/call":
                open_call = message
        if open_call is None:
            continue
        token = open_call["params"].get("_meta", {}).get("progressToken")
        if "beats" in sys.argv and token is not None:
            send({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
        if os.path.exists("release"):
            send({"id": open_call["id"], "result": {"content": [{"type": "text", "text": "done"}]}})
            open_call = None


if __name__ == "__main__":
    main()
