"""Where the repository is and what it tracks: shared by the tests of the project itself."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "src" / "witnessmark"
PURE: Final = ("errors.py", "model", "wire", "observe", "state", "judges", "contract", "rules", "render")
"""The parts without I/O, clock, chance and threads (CONTRIBUTING.md, "Where things go")."""


def tracked_files() -> list[Path]:
    """Return the files that a clone would have; an empty list where git cannot say (a source archive)."""
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    paths = (ROOT / name for name in listing.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


def source_files() -> list[Path]:
    """Return every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def pure_files() -> list[Path]:
    """Return every Python file of the pure core."""
    return [path for path in source_files() if path.relative_to(PACKAGE).parts[0] in PURE]
