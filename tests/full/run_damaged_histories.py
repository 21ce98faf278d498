"""Judges damaged histories by the million: `run_damaged_histories.py [COUNT] [--seed N]`.

Two processes. Prints what became of the states; exits 1 with the smallest counterexamples where a damaged history was judged
greener than the whole one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from damaged import search

PROCESSES = 2
CHUNK = 25_000
"""Histories of one task: a few seconds of work, so that both processes end together."""


def main() -> int:
    parser = argparse.ArgumentParser(description="judge damaged histories: never greener than the whole one")
    parser.add_argument("count", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=20261201)
    options = parser.parse_args()
    chunks = [min(CHUNK, options.count - start) for start in range(0, options.count, CHUNK)]
    seeds = [options.seed * 1_000_003 + place for place in range(len(chunks))]
    began = time.monotonic()
    done = 0
    table: Counter[tuple[str, str]] = Counter()
    defects: list[str] = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for judged, pairs, found in pool.map(search, chunks, seeds):
            done += judged
            table.update(pairs)
            defects += found
    report: list[str] = []
    for state in sorted({before for before, _ in table}):
        after = ", ".join(f"{name} {count}" for (before, name), count in sorted(table.items()) if before == state)
        report.append(f"{state:>20} -> {after}")
    report.append(
        f"{done} damaged histories, seed {options.seed}, {time.monotonic() - began:.0f} s: {len(defects)} greener than the whole one"
    )
    sys.stdout.write("\n".join([*report, *defects[:5]]) + "\n")
    return 1 if defects or done < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
