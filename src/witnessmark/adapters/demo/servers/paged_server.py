"""A demo server of ours: six tools on three pages. It does nothing wrong; a client that reads one page knows two of them."""

from __future__ import annotations

from witnessmark.adapters.demo.servers.pipe import Message, Pipe, text, tool

PAGE_TOOLS = 2
TOOLS = [
    tool("find_order", "Find an order by its number", number="integer"),
    tool("cancel_order", "Cancel an order, without a refund", number="integer"),
    tool("find_customer", "Find a customer by name", name="string"),
    tool("refund_order", "Refund an order in full", number="integer"),
    tool("find_parcel", "Find a parcel by order", number="integer"),
    tool("cancel_and_refund", "Cancel an order and refund it: the right way to undo one", number="integer"),
]


def listed(pipe: Pipe, params: Message) -> Message:
    """One page; the cursor is the next page's first place."""
    del pipe
    start = int(params.get("cursor") or 0)
    end = start + PAGE_TOOLS
    return {"tools": TOOLS[start:end], **({"nextCursor": str(end)} if end < len(TOOLS) else {})}


def called(pipe: Pipe, params: Message) -> Message:
    """Every call is answered; the demo is about the list."""
    del pipe
    return text(f"{params.get('name')}: done")


if __name__ == "__main__":
    Pipe("demo-paged", {"tools/list": listed, "tools/call": called}).serve()
