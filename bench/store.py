"""What the evidence store costs: latency and rate of appends, the price of durability, bytes an event, opening and reading.

    python bench/store.py [--events 1000000] [--out bench/results/store.json]

Everything is measured in one run on one file system, so the ratios hold where the figures do not. Prints a table and JSON;
writes nothing unless told to.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import Durability, SessionKey
from witnessmark.adapters.store.sqlite import SqliteStore
from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import CallAnswered, CallProgress, CallStarted

START_US = 1_790_000_000_000_000
KEY_ID = "k0123abcd:"


def endless_calls(recorder: Recorder) -> Iterator[Entry]:
    """Events as a proxy records them: a call with arguments, token and key, two heartbeats, its answer; ids of real length."""
    for number in itertools.count():
        at_us = START_US + number * 1000
        hashed = KEY_ID + f"{number:032x}"
        started = CallStarted(
            server="tickets", id=str(number), tool="publish_report", arguments=hashed, token=hashed, key=hashed, size_bytes=312
        )
        yield recorder.record(started, at_us)
        for step in (0.5, 1.0):
            yield recorder.record(CallProgress(server="tickets", token=hashed, progress=step), at_us + 300)
        yield recorder.record(CallAnswered(server="tickets", id=str(number), size_bytes=1024), at_us + 600)


def take(calls: Iterator[Entry], count: int) -> list[Entry]:
    return list(itertools.islice(calls, count))


def opened(folder: str, name: str, durability: Durability) -> tuple[SqliteStore, SessionKey, Iterator[Entry]]:
    store = open_store(Path(folder) / f"{name}.sqlite", durability=durability)
    recorder = Recorder("proxy:tickets", "s1", "run-1")
    return (
        store,
        store.open_session(source="proxy:tickets", session="s1", run="run-1", server="tickets", opened_us=START_US),
        endless_calls(recorder),
    )


def append_figures(folder: str, durability: Durability, batch: int, events: int) -> dict[str, Any]:
    store, key, calls = opened(folder, f"{durability}-{batch}", durability)
    store.append(key, take(calls, 1))
    batches = [take(calls, batch) for _ in range(events // batch)]
    taken_ns: list[int] = []
    for entries in batches:
        before = time.perf_counter_ns()
        store.append(key, entries)
        taken_ns.append(time.perf_counter_ns() - before)
    store.close()
    ordered = sorted(taken_ns)
    return {
        "durability": durability,
        "batch": batch,
        "events_per_s": round(batch * len(taken_ns) / (sum(taken_ns) / 1e9)),
        "append_p50_us": round(statistics.median(ordered) / 1000, 1),
        "append_p99_us": round(ordered[len(ordered) * 99 // 100] / 1000, 1),
    }


def spread_figures(folder: str, sessions: int, events: int) -> dict[str, Any]:
    """Sessions that grow side by side split each other's pages: the worst case of bytes an event."""
    store = open_store(Path(folder) / "spread.sqlite")
    kept = []
    for number in range(sessions):
        recorder = Recorder("proxy:tickets", f"s{number}", f"run-{number}")
        key = store.open_session(source=recorder.source, session=recorder.session, run=recorder.run, server="tickets", opened_us=START_US)
        kept.append((key, endless_calls(recorder)))
    data_bytes = 0
    for _ in range(events // sessions // 4):
        for key, calls in kept:
            entries = take(calls, 4)
            data_bytes += sum(len(entry.data) for entry in entries)
            store.append(key, entries)
    store.close()
    size = (Path(folder) / "spread.sqlite").stat().st_size
    return {"sessions": sessions, "bytes_per_event": round(size / events, 1), "data_bytes_per_event": round(data_bytes / events, 1)}


def large_store_figures(folder: str, events: int) -> dict[str, Any]:
    """A store of many events, and one run of 400 in it: what opening and reading cost then."""
    store, key, calls = opened(folder, "large", "process")
    before = time.perf_counter()
    sustained = 0
    data_bytes = 0
    while sustained < events:
        entries = take(calls, min(1000, events - sustained))
        data_bytes += sum(len(entry.data) for entry in entries)
        store.append(key, entries)
        sustained += len(entries)
    filled_s = time.perf_counter() - before
    small = Recorder("proxy:tickets", "small", "small")
    small_key = store.open_session(source="proxy:tickets", session="small", run="small", server="tickets", opened_us=START_US)
    store.append(small_key, take(endless_calls(small), 400))
    store.close()
    path = Path(folder) / "large.sqlite"

    def open_only() -> None:
        open_store(path).close()

    def read_small() -> None:
        reader = open_store(path, write=False)
        assert sum(1 for _ in reader.events("small")) == 400
        reader.close()

    def list_runs() -> None:
        reader = open_store(path, write=False)
        assert len(reader.runs(START_US)) == 2
        reader.close()

    figures = {
        "events": events,
        "filled_events_per_s_with_recording": round(events / filled_s),
        "bytes_per_event": round(path.stat().st_size / (events + 400), 1),
        "data_bytes_per_event": round(data_bytes / events, 1),
        "open_ms": best_ms(open_only),
        "read_run_of_400_ms": best_ms(read_small),
        "list_runs_ms": best_ms(list_runs),
    }
    reader = open_store(path, write=False)
    before = time.perf_counter()
    read = sum(1 for _ in reader.events("run-1"))
    figures["read_events_per_s"] = round(read / (time.perf_counter() - before))
    figures |= deletion_figures(path)
    return figures


def deletion_figures(path: Path) -> dict[str, Any]:
    """How long a deletion takes, and how long it makes another writer wait."""
    recorder = Recorder("proxy:tickets", "beside", "beside")
    waited_ns: list[int] = []
    done = threading.Event()

    def go_on_writing() -> None:
        calls = endless_calls(recorder)
        writer = open_store(path)
        key = writer.open_session(source=recorder.source, session=recorder.session, run=recorder.run, server="tickets", opened_us=START_US)
        while not done.is_set():
            entries = take(calls, 1)
            before = time.perf_counter_ns()
            writer.append(key, entries)
            waited_ns.append(time.perf_counter_ns() - before)
            done.wait(0.001)
        writer.close()

    beside = threading.Thread(target=go_on_writing)
    beside.start()
    store = open_store(path)
    before = time.perf_counter()
    store.delete_run("run-1", START_US + 10**15)
    taken_s = time.perf_counter() - before
    done.set()
    beside.join()
    store.close()
    return {
        "delete_run_s": round(taken_s, 2),
        "longest_wait_beside_delete_ms": round(max(waited_ns) / 1e6, 1),
        "appends_beside_delete": len(waited_ns),
    }


def best_ms(measured: Callable[[], None], rounds: int = 7) -> float:
    taken = []
    for _ in range(rounds):
        before = time.perf_counter()
        measured()
        taken.append(time.perf_counter() - before)
    return round(statistics.median(taken) * 1000, 2)


def measure(events: int, appended: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="witnessmark-bench-") as folder:
        appends = []
        for batch in (1, 16, 1000):
            for durability in ("process", "power"):
                # One fsync each: fewer of them say the same.
                count = max(batch * 20, appended // 10 if durability == "power" and batch == 1 else appended)
                appends.append(append_figures(folder, durability, batch, count))
        return {
            "bench": "store",
            "machine": {
                "system": f"{platform.system()} {platform.machine()}",
                "cores": os.cpu_count(),
                "load_1min": round(os.getloadavg()[0], 1),
                "python": platform.python_version(),
                "sqlite": sqlite3.sqlite_version,
            },
            "append": appends,
            "spread": spread_figures(folder, 8, 40_000),
            "large": large_store_figures(folder, events),
        }


def shown(figures: dict[str, Any]) -> str:
    lines = ["durability  events a commit   events/s   p50 us    p99 us"]
    lines += [
        f"{row['durability']:10s} {row['batch']:16d} {row['events_per_s']:10,d} {row['append_p50_us']:8,.1f} {row['append_p99_us']:9,.1f}"
        for row in figures["append"]
    ]
    lines.append("")
    for part in ("spread", "large"):
        lines += [f"{part + ' ' + name.replace('_', ' '):45s} {value:>12,}" for name, value in figures[part].items()]
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=1_000_000, help="events in the large store")
    options.add_argument("--appended", type=int, default=40_000, help="events appended for each figure")
    options.add_argument("--out", type=Path, help="write the figures as JSON")
    given = options.parse_args()
    figures = measure(given.events, given.appended)
    print(shown(figures))
    text = json.dumps(figures, indent=2) + "\n"
    print("\n" + text, end="")
    if given.out is not None:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(text)
        print(f"written to {given.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
