"""A demo server of ours: a long call that reports progress and ends when a file appears, as a build waits for its last part."""

from __future__ import annotations

import os
import time

from witnessmark.adapters.demo.servers.pipe import Message, Pipe, text, tool

HEARTBEAT_S = 0.1
"""Far inside the inactivity window that the demo declares, so that a busy machine does not turn it into a stall."""
GIVE_UP_HEARTBEATS = 600
"""A minute: nobody is left behind if the demo is killed."""
REBUILD = tool("rebuild_index", "Rebuild the index; takes as long as it takes", until="string")


def listed(pipe: Pipe, params: Message) -> Message:
    """The one tool."""
    del pipe, params
    return {"tools": [REBUILD]}


def called(pipe: Pipe, params: Message) -> Message:
    """A heartbeat at a time, until the file is there."""
    token = params.get("_meta", {}).get("progressToken")
    last = params.get("arguments", {}).get("until", "")
    for beat in range(1, GIVE_UP_HEARTBEATS):
        if os.path.exists(last):
            break
        if token is not None:
            pipe.send({"method": "notifications/progress", "params": {"progressToken": token, "progress": beat}})
        time.sleep(HEARTBEAT_S)
    return text("the index is rebuilt")


if __name__ == "__main__":
    Pipe("demo-slow", {"tools/list": listed, "tools/call": called}).serve()
