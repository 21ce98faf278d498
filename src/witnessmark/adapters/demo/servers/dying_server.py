"""A demo server of ours: it is killed after it has written, and before it has answered. A retry would pay twice.

Its one argument on the command line is the file that it writes to: a ledger, one transfer a line.
"""

from __future__ import annotations

import os
import signal
import sys

from witnessmark.adapters.demo.servers.pipe import Message, Pipe, text, tool

TRANSFER = tool("transfer", "Transfer an amount; the key makes it one transfer", key="string", amount="integer")


def listed(pipe: Pipe, params: Message) -> Message:
    """The one tool."""
    del pipe, params
    return {"tools": [TRANSFER]}


def called(pipe: Pipe, params: Message) -> Message:
    """Write the transfer down, then die as a machine does that runs out of memory."""
    del pipe
    arguments = params.get("arguments", {})
    with open(sys.argv[1], "a", encoding="utf-8") as ledger:
        ledger.write(f"{arguments.get('key')} {arguments.get('amount')}\n")
        ledger.flush()
        os.fsync(ledger.fileno())
    os.kill(os.getpid(), signal.SIGKILL)
    return text("transferred")


if __name__ == "__main__":
    Pipe("demo-dying", {"tools/list": listed, "tools/call": called}).serve()
