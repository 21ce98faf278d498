"""The evidence store's figures (bench/store.py) under the budgets, and `witnessmark show` of one run beyond its imports."""

from __future__ import annotations

import io
import json
import statistics
import tempfile
import time
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any, Final

from bench import store
from bench.figures import Figure, at_least, at_most, figure
from bench.processes import run, witnessmark
from witnessmark.cli.main import cli

PART: Final = "evidence store"
RUN: Final = "run-1"  # as bench/store.py names it
RUN_EVENTS: Final = 400
"""Events of the run that is shown: a session of an agent with a hundred calls."""


def _said(path: str) -> dict[str, Any]:
    """What `witnessmark show` says about the run, asked for inside this process, whose imports are done after the first time."""
    out = io.StringIO()
    with redirect_stdout(out), suppress(SystemExit):
        cli.main(["show", RUN, "--store", path, "--format", "json"])
    document: dict[str, Any] = json.loads(out.getvalue())
    if document["run"] != RUN or document["counts"]["calls"] != RUN_EVENTS // 4:
        raise AssertionError(f"shown: {document['run']}, {document['counts']}")
    return document


def _show(folder: Path, rounds: int) -> list[Figure]:
    """`witnessmark show` of a run: beyond its imports, and as a user waits for it."""
    opened, key, calls = store.opened(str(folder), "shown", "process")
    opened.append(key, store.take(calls, RUN_EVENTS))
    opened.close()
    path = str(folder / "shown.sqlite")
    _said(path)
    beyond: list[float] = []
    whole: list[float] = []
    for _ in range(rounds):
        before = time.perf_counter()
        _said(path)
        beyond.append((time.perf_counter() - before) * 1000)
        shown = run(witnessmark("show", RUN, "--store", path, "--format", "json"))
        if json.loads(shown.out)["run"] != RUN:
            raise AssertionError(f"shown: {shown.out[:200]!r}")
        whole.append(shown.wall_s * 1000)
    name = f"witnessmark show, run of {RUN_EVENTS} events"
    return [figure(PART, f"{name}, beyond imports", beyond, "ms", budget=at_most(30)), figure(PART, f"{name}, whole process", whole, "ms")]


def measure(*, events: int, appended: int, rounds: int, folder: Path | None = None) -> list[Figure]:
    """Figures of appends in every batch and durability (median over rounds), of one large store, and of `show`."""
    runs = [store.measure(events if number == 0 else min(events, appended), appended) for number in range(rounds)]
    figures: list[Figure] = []
    for index, row in enumerate(runs[0]["append"]):
        name = f"append, {row['batch']} events a commit, durability {row['durability']}"
        rates = [one["append"][index]["events_per_s"] for one in runs]
        tail = statistics.median(one["append"][index]["append_p99_us"] for one in runs)
        figures += [
            figure(PART, name, rates, "events/s"),
            figure(PART, f"{name}, p50", [one["append"][index]["append_p50_us"] for one in runs], "us", note=f"p99 {tail:,.0f}"),
        ]
    large = runs[0]["large"]
    held = f"{large['events']:,} events"
    spread = [one["spread"]["bytes_per_event"] for one in runs]
    disk = at_most(450)
    rows = [
        (f"sustained, recording included, {held}", large["filled_events_per_s_with_recording"], "events/s", at_least(25_000)),
        (f"disk for each event, {held}", large["bytes_per_event"], "B", disk),
        (f"open a store of {held}, median of 7", large["open_ms"], "ms", at_most(50)),
        (f"read a run of 400 events out of {held}, median of 7", large["read_run_of_400_ms"], "ms", None),
        (f"list the runs of {held}, median of 7", large["list_runs_ms"], "ms", None),
        ("read back in order", large["read_events_per_s"], "events/s", None),
        (f"delete a run of {held}", large["delete_run_s"], "s", None),
        ("longest wait of another writer beside that", large["longest_wait_beside_delete_ms"], "ms", None),
    ]
    figures += [figure(PART, name, [value], unit, budget=budget) for name, value, unit, budget in rows]
    figures.append(figure(PART, "disk for each event, eight sessions side by side", spread, "B", budget=disk))
    with tempfile.TemporaryDirectory(prefix="witnessmark-bench-", dir=folder) as place:
        figures += _show(Path(place), rounds)
    return figures
