"""Where the benches ran: without it a figure says nothing."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
MEASURED: Final = ("src", "bench", "requirements")


def load() -> float:
    """The load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def describe(folder: Path) -> dict[str, Any]:
    """The machine, the programs and the revision; `folder` is where stores are written during the run."""
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "model": _model(),
        "memory_GiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "kernel": f"{platform.system()} {platform.release()}",
        "file_system": _file_system(folder),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "msgspec": version("msgspec"),
        "witnessmark": version("witnessmark"),
        "revision": _revision(),
        "load_before": load(),
    }


def _model() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def _file_system(folder: Path) -> str:
    """The kind of file system that holds `folder`: in memory, a store would cost nothing."""
    best, kind = "", "unknown"
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"unknown ({sys.platform})"
    for line in mounts:
        _, place, name = line.split()[:3]
        if folder.resolve().is_relative_to(place) and len(place) >= len(best):
            best, kind = place, name
    return kind


def _revision() -> str:
    """The revision of what is measured, and whether its files differ from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", *MEASURED)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head} with changes" if changed else head


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
