"""A demo server of ours: before it works, somebody must sign in at an address (2025-11-25, client/elicitation, error -32042)."""

from __future__ import annotations

from witnessmark.adapters.demo.servers.pipe import Message, Pipe, RpcError, tool

URL_ELICITATION_REQUIRED = -32042
READ_CALENDAR = tool("read_calendar", "Read a day of the calendar", day="string")


def listed(pipe: Pipe, params: Message) -> Message:
    """The one tool."""
    del pipe, params
    return {"tools": [READ_CALENDAR]}


def called(pipe: Pipe, params: Message) -> Message:
    """Refuse until somebody has signed in; nobody does here."""
    del pipe, params
    address = {"mode": "url", "elicitationId": "sign-in-1", "url": "https://calendar.example/sign-in", "message": "sign in first"}
    raise RpcError(URL_ELICITATION_REQUIRED, "sign in first", {"elicitations": [address]})


if __name__ == "__main__":
    Pipe("demo-gated", {"tools/list": listed, "tools/call": called}).serve()
