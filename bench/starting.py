"""What it costs to start the command line: imports by the interpreter's own count, and the wall time of `witnessmark --version`."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Final

from bench.figures import Figure, at_most, figure
from bench.machine import ROOT
from bench.processes import run, witnessmark
from witnessmark import __version__

PART: Final = "start of the command line"
BUDGET: Final = at_most(100)

_LINE: Final = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| ( *)(\S+)")


def import_ms(module: str) -> float:
    """Milliseconds of importing a module and everything that it brings, in a new interpreter."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", f"import {module}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    # Packages on the way to the module are imported first, each with a line of its own.
    root = module.split(".", maxsplit=1)[0]
    lines = [found for found in map(_LINE.match, ran.stderr.splitlines()) if found]
    own = [int(found[2]) for found in lines if not found[3] and (found[4] == root or found[4].startswith(root + "."))]
    if not own:
        raise AssertionError(f"{module} does not appear in the interpreter's list of imports")
    return sum(own) / 1000


def measure(*, rounds: int) -> list[Figure]:
    """Imports and starts, interleaved; the bare interpreter beside them."""
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        taken.setdefault("import of witnessmark.cli.main, sum of -X importtime", []).append(import_ms("witnessmark.cli.main"))
        bare = run([sys.executable, "-c", "pass"])
        ours = run(witnessmark("--version"))
        if ours.code != 0 or ours.out.decode().strip() != f"witnessmark {__version__}":
            raise AssertionError(f"--version said {ours.out!r}")
        for name, ran in (("witnessmark --version", ours), ("python -c pass", bare)):
            taken.setdefault(f"{name}, wall", []).append(ran.wall_s * 1000)
            taken.setdefault(f"{name}, CPU", []).append(ran.cpu_s * 1000)
    budgeted = {"import of witnessmark.cli.main, sum of -X importtime", "witnessmark --version, wall"}
    return [figure(PART, name, values, "ms", budget=BUDGET if name in budgeted else None) for name, values in taken.items()]
