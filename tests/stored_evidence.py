"""A store with runs in it, written through the same doors as the observers use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.writer import SessionWriter
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import (
    CallAnswered,
    CallStarted,
    CatalogInstalled,
    EffectDeclared,
    EffectReported,
    Fact,
    ListPage,
    ListStarted,
    OutcomeDeclared,
    OutcomeReported,
    RunClosed,
    SessionClosed,
    SessionConfirmed,
    SessionNegotiated,
    SessionOffered,
    SessionOpened,
    ShownTool,
    ToolRef,
)

ZERO_US: Final = 1_790_000_000_000_000
"""2026-09-21T14:13:20Z: in the past of every machine that runs this suite."""
DIGEST: Final = "ab" * 32
HEALTHY: Final[tuple[Fact, ...]] = (
    SessionOpened(server="tickets", client="agent", listening=True),
    SessionOffered(server="tickets", id="1", method="initialize", version="2025-11-25", client="agent"),
    SessionNegotiated(
        server="tickets", id="1", method="initialize", version="2025-11-25", list_changed=True, capabilities=("tools", "tools.listChanged")
    ),
    SessionConfirmed(server="tickets"),
    ListStarted(server="tickets", id="2", version="2025-11-25"),
    ListPage(server="tickets", id="2", tools=(ToolRef("publish", DIGEST, DIGEST[:32], DIGEST[:32]),)),
    CatalogInstalled(
        server="tickets", source="agent", tools=(ShownTool("publish", "publish", DIGEST[:32]),), exact_names=True, continuous=True
    ),
    EffectDeclared(server="tickets", tool="publish", effect="write", inactivity_s=30.0, absolute_s=600.0),
    OutcomeDeclared(outcome="report", verifier="file", digest="sha256:" + DIGEST),
    CallStarted(server="tickets", id="3", tool="publish", version="2025-11-25"),
    CallAnswered(server="tickets", id="3"),
    EffectReported(server="tickets", call="3", status="applied", method="query", count=1),
    OutcomeReported(outcome="report", status="passed"),
)


def write_run(
    store: Path,
    run: str,
    *,
    facts: Sequence[Fact] = HEALTHY,
    server: str = "tickets",
    start_us: int = ZERO_US,
    closed: bool = True,
    session: str = "",
) -> None:
    """Write `facts` a second apart as one session of `run`; `closed` closes channel, run and session."""
    opened = open_store(store)
    try:
        writer = SessionWriter(opened, Recorder("proxy", session or f"{run}-s1", run), server=server, opened_us=start_us)
        now_us = start_us
        for fact in facts:
            writer.write([fact], now_us)
            now_us += 1_000_000
        if closed:
            writer.close(now_us, [SessionClosed(server=server, by="client", exit=0), RunClosed()])
    finally:
        opened.close()
