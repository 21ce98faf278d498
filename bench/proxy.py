"""`witnessmark proxy` beside a direct connection, `cat` and the FastMCP proxy: same client, same server, interleaved rounds."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

from bench.figures import Budget, Figure, at_least, at_most, figure, percentile
from bench.machine import ROOT
from bench.processes import witnessmark
from bench.raw_client import RawClient
from witnessmark.adapters.store.location import open_store
from witnessmark.model.evidence import CallAnswered, CallStarted

Placement = Literal["pinned", "free"]

DIRECT: Final = "direct"
OURS: Final = "witnessmark"
POWER: Final = "witnessmark, durability power"
FASTMCP: Final = "FastMCP proxy"

FASTMCP_PYTHON: Final = ROOT / ".venv-fastmcp" / "bin" / "python"

ADDED_BUDGET: Final = at_most(120)
SHARE_BUDGET: Final = at_most(1 / 12)
LARGE_BUDGET: Final = at_most(1.5)
RATE_BUDGET: Final = at_least(9_000)
MEMORY_BUDGET: Final = at_most(45)
FLAT_BUDGET: Final = at_most(1.0)
START_BUDGET: Final = at_most(100)

SMALL_BYTES: Final = 100
FASTMCP_LIMIT_S: Final = 1.0
"""How long one series of the slowest target may take: it gives some hundred calls in that time."""


class Amounts(NamedTuple):
    """How much is measured."""

    rounds: int = 5
    starts: int = 3
    small: int = 3000
    middle: int = 500
    large: int = 40
    flying: int = 6000
    series_s: float = 4.0
    long_calls: int = 100_000


TINY: Final = Amounts(rounds=1, starts=1, small=20, middle=5, large=3, flying=80, series_s=5.0, long_calls=400)


class Series(NamedTuple):
    """One kind of call: its name, its size, whether only the answer has that size, and how often."""

    name: str
    size: int
    sized: bool
    times: int


class Measured(NamedTuple):
    """What one target gave in one round."""

    start_ms: float
    latency_us: dict[str, list[float]]
    rate: dict[int, float]
    cpu_us: float | None
    peak_mib: float | None


def series_of(amounts: Amounts) -> list[Series]:
    return [
        Series("100 B", SMALL_BYTES, sized=False, times=amounts.small),
        Series("10 kB", 10_000, sized=False, times=amounts.middle),
        Series("1 MB answer", 1_000_000, sized=True, times=amounts.large),
        Series("1 MB request and answer", 1_000_000, sized=False, times=amounts.large),
    ]


FLIGHTS: Final = (1, 16, 64)


class _Targets:
    """The command of each target, every proxy with a store of its own in each round."""

    def __init__(self, folder: Path, *, fastmcp: bool) -> None:
        self.echo = [sys.executable, str(ROOT / "bench" / "echo_server.py")]
        self.folder = folder
        self.stores = 0
        self.names = [DIRECT, "cat", OURS, POWER, *([FASTMCP] if fastmcp else [])]

    def command(self, name: str) -> tuple[list[str], Path | None]:
        """The command line and the store that it writes, if any."""
        if name == DIRECT:
            return self.echo, None
        if name == "cat":
            return ["sh", "-c", 'cat | "$@" | cat', "sh", *self.echo], None
        if name == FASTMCP:
            return [str(FASTMCP_PYTHON), str(ROOT / "bench" / "programs" / "fastmcp_proxy.py"), *self.echo], None
        self.stores += 1
        store = self.folder / f"evidence-{self.stores}.sqlite"
        durability = ["--durability", "power"] if name == POWER else []
        return witnessmark("proxy", "--server", "bench", *durability, "--store", str(store), "--", *self.echo), store


def check_store(store: Path, calls: int) -> tuple[int, int]:
    """Events and bytes of the store; AssertionError unless each call and its answer stand in it exactly once."""
    opened = open_store(store, write=False)
    try:
        (run,) = opened.runs(time.time_ns() // 1000)
        started = answered = events = 0
        for event in opened.events(run.run):
            events += 1
            started += isinstance(event.fact, CallStarted)
            answered += isinstance(event.fact, CallAnswered)
    finally:
        opened.close()
    if (started, answered) != (calls, calls):
        raise AssertionError(f"{calls} calls were made, {started} stand in the evidence, {answered} answers")
    return events, sum(file.stat().st_size for file in store.parent.glob(store.name + "*"))


def _cores(placement: Placement) -> list[int] | None:
    """Where everything but the client runs; pinned, the client has the first core for itself."""
    if placement == "free":
        return None
    return sorted(os.sched_getaffinity(0))[1:] if len(os.sched_getaffinity(0)) > 1 else None


@contextmanager
def _placed(placement: Placement) -> Iterator[list[int] | None]:
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    before = os.sched_getaffinity(0)
    others = _cores(placement)
    if others is not None:
        os.sched_setaffinity(0, {min(before)})
    try:
        yield others
    finally:
        os.sched_setaffinity(0, before)


def one_round(targets: _Targets, name: str, amounts: Amounts, cores: Sequence[int] | None) -> Measured:
    """Start the target, call it in every way, end it; its evidence is checked where it writes some."""
    starts = []
    for _ in range(amounts.starts - 1):
        command, store = targets.command(name)
        with RawClient(command, cores=cores) as client:
            starts.append(client.begin())
            client.end()
        if store is not None:
            check_store(store, 0)
    command, store = targets.command(name)
    limit_s = FASTMCP_LIMIT_S if name == FASTMCP else amounts.series_s
    with RawClient(command, cores=cores) as client:
        starts.append(client.begin())
        client.round_trips(min(50, amounts.small), SMALL_BYTES, limit_s)  # the first calls meet cold caches everywhere
        latency: dict[str, list[float]] = {}
        cpu_us = None
        for one in series_of(amounts):
            before_s = client.cpu_s()
            latency[one.name] = client.round_trips(one.times, one.size, limit_s, sized=one.sized)
            after_s = client.cpu_s()
            if one.size == SMALL_BYTES and before_s is not None and after_s is not None:
                cpu_us = (after_s - before_s) * 1e6 / len(latency[one.name])
        rate = {flight: client.throughput(amounts.flying, flight, SMALL_BYTES, limit_s) for flight in FLIGHTS}
        memory = client.memory()
        code = client.end()
        calls = client.calls
    if code != 0:
        raise AssertionError(f"{name} ended with exit code {code}")
    if store is not None:
        check_store(store, calls)
    return Measured(statistics.median(starts), latency, rate, cpu_us, memory.peak if memory is not None else None)


Rounds = dict[str, list[Measured]]


def _p(measured: Measured, series: str, share: float) -> float:
    return percentile(sorted(measured.latency_us[series]), share)


class _Table:
    """Collects the figures of one placement."""

    def __init__(self, rounds: Rounds, placement: Placement) -> None:
        self.rounds = rounds
        self.part = f"stdio proxy, {placement}"
        self.figures: list[Figure] = []
        self.others = [name for name in rounds if name != DIRECT]

    def add(self, what: str, values: Sequence[float], unit: str, budget: Budget | None = None, note: str = "") -> None:
        self.figures.append(figure(self.part, what, values, unit, budget=budget, note=note))

    def against(
        self, what: str, unit: str, of: Callable[[Measured, Measured], float], budget: Budget | None = None
    ) -> dict[str, list[float]]:
        """Add what each proxy is against the direct connection of the same round; ours bears the budget."""
        found: dict[str, list[float]] = {}
        for name in self.others:
            found[name] = [of(one, base) for one, base in zip(self.rounds[name], self.rounds[DIRECT], strict=True)]
            self.add(f"{what}, {name}", found[name], unit, budget if name == OURS else None)
        return found

    def latency(self, series: str) -> None:
        for name, measured in self.rounds.items():
            calls = min(len(one.latency_us[series]) for one in measured)
            tails = ", ".join(f"p{share} {statistics.median(_p(one, series, share / 100) for one in measured):,.0f}" for share in (95, 99))
            p50 = [_p(one, series, 0.5) for one in measured]
            self.add(f"{series}, {name}, p50", p50, "us", note=f"{tails}; {calls} calls a round")

    def added(self) -> None:
        added = self.against("100 B, added p50", "us", lambda one, base: _p(one, "100 B", 0.5) - _p(base, "100 B", 0.5), ADDED_BUDGET)
        if FASTMCP in added:
            shares = [ours / theirs for ours, theirs in zip(added[OURS], added[FASTMCP], strict=True)]
            self.add("100 B, added p50 as a share of what FastMCP adds", shares, "times", SHARE_BUDGET)

    def times_direct(self, series: str) -> None:
        budget = LARGE_BUDGET if series == "1 MB answer" else None
        self.against(f"{series}, over direct", "times", lambda one, base: _p(one, series, 0.5) / _p(base, series, 0.5), budget)

    def rates(self) -> None:
        for flight in FLIGHTS:
            for name, measured in self.rounds.items():
                budget = RATE_BUDGET if (name, flight) == (OURS, 16) else None
                self.add(f"{flight} in flight, {name}", [one.rate[flight] for one in measured], "calls/s", budget)

    def starts(self) -> None:
        for name, measured in self.rounds.items():
            self.add(f"start to the first answer, {name}", [one.start_ms for one in measured], "ms")
        self.against("start over direct", "ms", lambda one, base: one.start_ms - base.start_ms, START_BUDGET)

    def resources(self) -> None:
        """CPU time and memory of the proxy's own process; of the pipe only the shell would be seen."""
        for name in [name for name in self.others if name != "cat"]:
            spent = [one.cpu_us for one in self.rounds[name] if one.cpu_us is not None]
            if spent:
                self.add(f"100 B, CPU time a call, {name}", spent, "us", note="the proxy's process alone")
            peaks = [one.peak_mib for one in self.rounds[name] if one.peak_mib is not None]
            if peaks:
                self.add(f"peak memory, {name}", peaks, "MiB", MEMORY_BUDGET if name == OURS else None)


def _figures(rounds: Rounds, placement: Placement) -> list[Figure]:
    """Every target's figures, and what they are against the direct connection of the same round."""
    table = _Table(rounds, placement)
    kinds = list(rounds[DIRECT][0].latency_us)
    for series in kinds:
        table.latency(series)
    table.added()
    for series in kinds[1:]:
        table.times_direct(series)
    table.rates()
    table.starts()
    table.resources()
    return table.figures


def long_run(targets: _Targets, calls: int) -> list[Figure]:
    """Many calls through one proxy: memory at its end against the fifth part, disk for each call."""
    part = f"stdio proxy, {calls:,} calls in one session"
    command, store = targets.command(OURS)
    assert store is not None
    with RawClient(command) as client:
        client.begin()
        steps, rates, peaks = 10, [], []
        for _ in range(steps):
            rates.append(client.throughput(calls // steps, 16, SMALL_BYTES, 600))
            seen = client.memory()
            if seen is not None:
                peaks.append(seen.peak)
        if client.end() != 0:
            raise AssertionError("the proxy did not end well")
    events, size = check_store(store, client.calls)
    figures = [
        figure(part, "16 in flight", rates, "calls/s", budget=RATE_BUDGET, note="each tenth of the calls is a round"),
        figure(part, "disk for each call", [size / client.calls], "B"),
        figure(part, "disk for each event", [size / events], "B", budget=at_most(450)),
    ]
    if peaks:
        figures += [
            figure(part, "peak memory", [peaks[-1]], "MiB", budget=MEMORY_BUDGET),
            figure(part, "growth of the peak over the last four fifths", [peaks[-1] - peaks[1]], "MiB", budget=FLAT_BUDGET),
        ]
    return figures


def measure(
    amounts: Amounts, *, placements: Sequence[Placement] = ("pinned", "free"), fastmcp: bool = True, folder: Path | None = None
) -> list[Figure]:
    """All figures of the proxy. FileNotFoundError where FastMCP is wanted and `make peer-fastmcp` did not make it."""
    if fastmcp and not FASTMCP_PYTHON.exists():
        raise FileNotFoundError(f"{FASTMCP_PYTHON.relative_to(ROOT)} is missing: run `make peer-fastmcp`, or say --no-fastmcp")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="witnessmark-bench-", dir=folder) as place:
        targets = _Targets(Path(place), fastmcp=fastmcp)
        for placement in placements:
            rounds: Rounds = {name: [] for name in targets.names}
            with _placed(placement) as cores:
                for number in range(amounts.rounds):
                    # Each round begins with another target: what one leaves in the caches is not always the same one's gain.
                    turn = number % len(targets.names)
                    for name in targets.names[turn:] + targets.names[:turn]:
                        rounds[name].append(one_round(targets, name, amounts, cores))
            figures += _figures(rounds, placement)
        figures += long_run(targets, amounts.long_calls)
    return figures
