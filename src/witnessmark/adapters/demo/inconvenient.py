"""The inconvenient cases, live: in each of them a plain log looks better, or more final, than the truth."""

from __future__ import annotations

import asyncio
import secrets
import sys

from witnessmark.adapters.demo.destinations import file_exists, ledger_lines
from witnessmark.adapters.demo.host import connected
from witnessmark.adapters.demo.stage import WatchedRun

HEARTBEATS_SEEN = 2
"""Two prove that progress moves; the first alone could be the last."""
TICKET = "the printer is on fire"
OWNER = "Ada Lovelace"
DAY = "2026-11-30, a Monday"

INACTIVITY_S = 30.0
ABSOLUTE_S = 120.0
"""Wide enough that a busy machine, which delays every heartbeat, does not turn the scene into another one."""


def _ours(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"witnessmark.adapters.demo.servers.{module}", *arguments]


async def change_unread(run: WatchedRun) -> None:
    """The server renames an argument and says so; the client goes on with what it read before."""
    run.declare("tickets", "open_ticket", "write")
    run.declare("tickets", "assign_ticket", "write")
    async with connected(run, "tickets", _ours("renaming_server")) as host:
        await host.read_catalog()
        await host.call("open_ticket", {"title": TICKET})
        await host.call("assign_ticket", {"ticket": 1, "owner": OWNER})
    run.end()
    run.judge()


async def first_page_only(run: WatchedRun) -> None:
    """Three pages, and the client reads one."""
    run.declare("orders", "find_order", "read")
    run.declare("orders", "cancel_order", "write")
    async with connected(run, "orders", _ours("paged_server")) as host:
        await host.read_first_page()
        host.report_shown()
        await host.call("find_order", {"number": 7})
        await host.call("cancel_order", {"number": 7})
    run.end()
    run.judge()


async def killed_after_write(run: WatchedRun) -> None:
    """The server writes and is killed before it answers; then the ledger itself is asked."""
    ledger = run.folder / "ledger.txt"
    key = f"pay-{secrets.token_hex(4)}"
    run.declare("bank", "transfer", "destructive")
    run.expect("paid", "ledger")
    async with connected(run, "bank", _ours("dying_server", str(ledger))) as host:
        await host.read_catalog()
        await host.call("transfer", {"key": key, "amount": 100})
    run.judge()
    count = ledger_lines(ledger, key)
    for server, call in run.calls("transfer"):
        run.effect(server, call, count)
    run.outcome("paid", passed=count == 1)
    run.end()
    run.judge()


async def done_and_nothing_made(run: WatchedRun) -> None:
    """The tool says done; the file is not there."""
    report = run.folder / "published.md"
    run.declare("press", "publish_report", "write")
    run.expect("published", "file")
    async with connected(run, "press", _ours("hollow_server")) as host:
        await host.read_catalog()
        await host.call("publish_report", {"path": str(report)})
    count = file_exists(report)
    for server, call in run.calls("publish_report"):
        run.effect(server, call, count)
    run.outcome("published", passed=bool(count))
    run.end()
    run.judge()


async def sign_in_first(run: WatchedRun) -> None:
    """The server wants somebody to sign in at an address; nobody does."""
    run.declare("calendar", "read_calendar", "read")
    async with connected(run, "calendar", _ours("gated_server")) as host:
        await host.read_catalog()
        await host.call("read_calendar", {"day": DAY})
    run.end()
    run.judge()


async def long_call(run: WatchedRun) -> None:
    """A call that takes its time and says so; judged while it is open, ended afterwards."""
    ready = run.folder / "last-part"
    run.declare("index", "rebuild_index", "write", inactivity=INACTIVITY_S, absolute=ABSOLUTE_S)
    beats = 0
    enough = asyncio.Event()

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        del progress, total, message
        nonlocal beats
        beats += 1
        if beats >= HEARTBEATS_SEEN:
            enough.set()

    async with connected(run, "index", _ours("slow_server")) as host:
        await host.read_catalog()
        call = asyncio.create_task(host.call("rebuild_index", {"until": str(ready)}, on_progress))
        await enough.wait()
        run.judge()
        ready.touch()
        await call
    run.end()
