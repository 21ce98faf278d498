"""Starting programs to measure: which command, on which core, and what it cost in time and memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.machine import ROOT

SAMPLE_S: Final = 0.05
"""How often a process's memory is looked at. The high-water mark itself is the kernel's, so nothing is missed between two looks
but what comes after the last one."""

_VM: Final = re.compile(rb"^(VmHWM|VmRSS):\s+(\d+) kB", re.MULTILINE)


def witnessmark(*words: str) -> list[str]:
    """The command line of this environment, as a user starts it."""
    script = Path(sys.executable).parent / "witnessmark"
    start = [str(script)] if script.exists() else [sys.executable, "-c", "from witnessmark.cli.main import main; main()"]
    return [*start, *words]


class Memory(NamedTuple):
    """Resident memory in MiB: the highest ever, and now."""

    peak: float
    now: float


def memory_of(pid: int) -> Memory | None:
    """The memory of a process that has not ended; None where it has, or where there is no /proc."""
    try:
        found = dict(_VM.findall(Path(f"/proc/{pid}/status").read_bytes()))
    except OSError:
        return None
    if b"VmHWM" not in found:
        return None
    return Memory(int(found[b"VmHWM"]) / 1024, int(found[b"VmRSS"]) / 1024)


def cpu_s_of(pid: int) -> float | None:
    """Seconds of CPU time that a live process has used, in steps of the kernel's clock tick; None as for memory_of."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pin(cores: Sequence[int] | None) -> Callable[[], None] | None:
    """What a child does before its program starts, so that it runs on these cores only; None for any core."""
    if cores is None:
        return None
    wanted = set(cores)
    return lambda: os.sched_setaffinity(0, wanted)


class Ran(NamedTuple):
    """A program that ran to its end."""

    code: int
    wall_s: float
    cpu_s: float
    peak_mib: float
    samples: list[float]
    out: bytes


def run(command: Sequence[str], *, sampled: bool = False, env: dict[str, str] | None = None) -> Ran:
    """Run to the end; with `sampled`, its memory is looked at every SAMPLE_S (else peak and samples are empty)."""
    samples: list[float] = []
    peak = 0.0
    # A file takes the output: a full pipe would stop the program that is measured.
    with tempfile.TemporaryFile() as out:
        before = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, cwd=ROOT, env=env)
        while True:
            seen = memory_of(process.pid) if sampled else None
            ended, status, usage = os.wait4(process.pid, os.WNOHANG if sampled else 0)
            if ended:
                break
            if seen is not None:
                samples.append(seen.now)
                peak = max(peak, seen.peak)
            time.sleep(SAMPLE_S)
        wall = time.perf_counter() - before
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return Ran(process.returncode, wall, usage.ru_utime + usage.ru_stime, peak, samples, out.read())
