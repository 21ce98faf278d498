"""Run benches and write what came out.

python -m bench all                     every bench; results under bench/results/
python -m bench pure proxy --long       some of them, with the million of calls
python -m bench page [--write]          the table of docs/performance.md from the committed results
python -m bench all --tiny              counts that only show that everything runs and every answer is right
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench import contracts, http, judging, page, proxy, pure, starting, storing
from bench.figures import FORMAT, Figure, Results, document
from bench.machine import describe, load

QUIET_LOAD: Final = 0.5
"""Load average above which figures of time say more about the neighbours than about us."""


class Options(argparse.Namespace):
    """What the command line asked for."""

    benches: list[str]
    tiny: bool
    long: bool
    write: bool
    rounds: int
    fastmcp: bool
    out: str
    dir: Path | None


def _pure(options: Options) -> list[Figure]:
    if options.tiny:
        return pure.measure(calls=50, rounds=1, verdicts=5, runs=pure.RUNS[:2])
    return pure.measure(calls=10_000, rounds=options.rounds, verdicts=2_000)


def _judge(options: Options) -> list[Figure]:
    if options.tiny:
        return judging.measure(lengths=(300, 900), rounds=1, folder=options.dir)
    return judging.measure(lengths=(100_000, 500_000, 1_000_000), rounds=max(1, options.rounds // 2), folder=options.dir)


def _proxy(options: Options) -> list[Figure]:
    if options.tiny:
        return proxy.measure(proxy.TINY, placements=("free",), fastmcp=False, folder=options.dir)
    amounts = proxy.Amounts(rounds=options.rounds, long_calls=1_000_000 if options.long else 100_000)
    return proxy.measure(amounts, fastmcp=options.fastmcp, folder=options.dir)


def _store(options: Options) -> list[Figure]:
    if options.tiny:
        return storing.measure(events=4_000, appended=1_000, rounds=1, folder=options.dir)
    return storing.measure(events=1_000_000, appended=40_000, rounds=options.rounds, folder=options.dir)


def _start(options: Options) -> list[Figure]:
    return starting.measure(rounds=1 if options.tiny else 4 * options.rounds)


def _contracts(options: Options) -> list[Figure]:
    if options.tiny:
        return contracts.measure(sizes=(100, 200, 400), digests=50, rounds=1, folder=options.dir)
    return contracts.measure(sizes=(100, 2_000, 10_000), digests=1_000, rounds=options.rounds, folder=options.dir)


def _http(options: Options) -> list[Figure]:
    amounts = http.TINY if options.tiny else http.Amounts(rounds=options.rounds)
    return http.measure(amounts, folder=options.dir)


BENCHES: Final[dict[str, Callable[[Options], list[Figure]]]] = {
    "pure": _pure,
    "start": _start,
    "proxy": _proxy,
    "store": _store,
    "judge": _judge,
    "contracts": _contracts,
    "http": _http,
}


def _options(words: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="+", choices=[*BENCHES, "all", "page"], metavar="BENCH", help=f"{', '.join(BENCHES)}, all or page")
    parser.add_argument("--tiny", action="store_true", help="small counts; the figures mean nothing")
    parser.add_argument("--long", action="store_true", help="1,000,000 calls through one proxy instead of 100,000")
    parser.add_argument("--write", action="store_true", help="with page: put the table into docs/performance.md")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default: 5)")
    parser.add_argument("--no-fastmcp", dest="fastmcp", action="store_false", help="leave the FastMCP proxy out")
    parser.add_argument("--out", default="", metavar="NAME", help="write bench/results/bench-NAME.json and .md (default: nothing)")
    parser.add_argument("--dir", type=Path, default=None, help="where stores and transcripts lie (default: the temporary directory)")
    return parser.parse_args(words, namespace=Options())


def main(words: Sequence[str]) -> int:
    """Run what was asked for; 0 where every budget is met, 1 where one is missed, and with --tiny always 0."""
    import tempfile

    options = _options(words)
    if "page" in options.benches:
        if options.write:
            page.write()
        print(page.table(), end="")
        return 0
    wanted = list(BENCHES) if "all" in options.benches else [name for name in BENCHES if name in options.benches]
    folder = options.dir or Path(tempfile.gettempdir())
    machine = describe(folder)
    figures: list[Figure] = []
    for name in wanted:
        before = time.monotonic()
        print(f"{name} ...", file=sys.stderr, flush=True)
        figures += BENCHES[name](options)
        print(f"{name}: {time.monotonic() - before:.0f} s, load average {load()}", file=sys.stderr, flush=True)
    machine["load_after"] = load()
    notes = [] if options.tiny else _notes(machine)
    results = Results(FORMAT, f"python -m bench {' '.join(words)}", machine, figures, notes)
    text = document(results)
    print(text)
    if options.out:
        page.RESULTS.mkdir(parents=True, exist_ok=True)
        (page.RESULTS / f"bench-{options.out}.json").write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
        (page.RESULTS / f"bench-{options.out}.md").write_text(text, encoding="utf-8")
    return 1 if not options.tiny and any(one.met is False for one in figures) else 0


def _notes(machine: dict[str, object]) -> list[str]:
    before = machine["load_before"]
    if isinstance(before, float) and before > QUIET_LOAD:
        return [f"**Others were at work on this machine** (load average {before} before the start): read ratios, not absolutes."]
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
