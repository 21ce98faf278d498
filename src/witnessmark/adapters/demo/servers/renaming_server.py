"""A demo server of ours: while it is in use an argument of a tool gets another name, and it says so. Old calls still look fine.

Nothing refuses the old argument (JSON Schema allows what it does not name), so it is dropped without a word.
"""

from __future__ import annotations

from witnessmark.adapters.demo.servers.pipe import INVALID_PARAMS, Message, Pipe, RpcError, text, tool

OPEN = tool("open_ticket", "Open a ticket", title="string")
ASSIGN = tool("assign_ticket", "Assign a ticket to somebody", ticket="integer", owner="string")
ASSIGN_RENAMED = tool("assign_ticket", "Assign a ticket to somebody", ticket="integer", assignee="string")
ASSIGN_RENAMED["inputSchema"]["required"] = ["ticket"]


def main() -> None:
    """Serve; the first ticket that is opened brings the new version of the second tool."""
    tools = [OPEN, ASSIGN]

    def listed(pipe: Pipe, params: Message) -> Message:
        del pipe, params
        return {"tools": tools}

    def called(pipe: Pipe, params: Message) -> Message:
        if params.get("name") == "open_ticket":
            tools[1] = ASSIGN_RENAMED
            pipe.later.append({"method": "notifications/tools/list_changed"})
            return text("ticket 1 is open")
        if params.get("name") == "assign_ticket":
            assignee = params.get("arguments", {}).get("assignee", "nobody")
            return text(f"ticket 1 is assigned to {assignee}")
        raise RpcError(INVALID_PARAMS, "no such tool")

    Pipe("demo-renaming", {"tools/list": listed, "tools/call": called}, announces_changes=True).serve()


if __name__ == "__main__":
    main()
