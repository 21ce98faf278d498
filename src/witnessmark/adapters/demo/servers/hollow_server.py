"""A demo server of ours: it says that the report is published, and makes nothing."""

from __future__ import annotations

from witnessmark.adapters.demo.servers.pipe import Message, Pipe, text, tool

PUBLISH = tool("publish_report", "Write the report to a file", path="string")


def listed(pipe: Pipe, params: Message) -> Message:
    """The one tool."""
    del pipe, params
    return {"tools": [PUBLISH]}


def called(pipe: Pipe, params: Message) -> Message:
    """Say that it is done."""
    del pipe, params
    return text("done: the report is published")


if __name__ == "__main__":
    Pipe("demo-hollow", {"tools/list": listed, "tools/call": called}).serve()
