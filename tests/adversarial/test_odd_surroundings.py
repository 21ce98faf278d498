"""What a shell can do to a command: closed streams, names that are too long, files that are too deep. One line and exit 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stored_evidence import write_run

COMMAND = f"{sys.executable} -m witnessmark"


@pytest.mark.parametrize(
    "line",
    [
        "judge - <&-",
        "receipt effect --run r <&-",
        "export r >&-",
        f"runs --store /tmp/{'x' * 5000}",
        "judge deep.toml --policy deep.toml",
    ],
    ids=lambda line: line[:20],
)
def test_an_odd_place_to_work_in_is_said_in_one_line(line: str, tmp_path: Path) -> None:
    write_run(tmp_path / "s.db", "r")
    (tmp_path / "deep.toml").write_text("x = " + "[" * 100_000)
    done = subprocess.run(
        f"{COMMAND} {line}", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "WITNESSMARK_STORE": str(tmp_path / "s.db")},
    )  # fmt: skip
    assert done.returncode == 2
    assert "defect" not in done.stderr
    assert done.stderr.startswith("witnessmark: error: ")
