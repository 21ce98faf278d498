"""Imports go down only, the core imports nothing of the world, and the contracts that say so do notice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from project.repository import PACKAGE, PURE, ROOT

LINT = Path(sys.executable).with_name("lint-imports")


def lint_imports(source: Path) -> subprocess.CompletedProcess[str]:
    """Return what lint-imports says of the package in `source`, under the project's own contracts."""
    return subprocess.run(
        [LINT, "--no-cache", "--config", ROOT / "pyproject.toml"],
        cwd=source,
        env=os.environ | {"PYTHONPATH": str(source), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_source_keeps_every_contract() -> None:
    done = lint_imports(ROOT / "src")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    "victim,line,contract",
    [
        ("wire", "import socket", "does no I/O"),
        ("judges", "from time import monotonic", "does no I/O"),
        ("model", "import witnessmark.wire", "go down only"),
        ("render", "import witnessmark.adapters", "go down only"),
        ("observe", "import witnessmark.judges", "go down only"),
    ],
)
def test_an_import_against_the_direction_is_noticed(tmp_path: Path, victim: str, line: str, contract: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "witnessmark", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "witnessmark" / victim / "intruder.py").write_text(line + "\n", encoding="utf-8")
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    broken = [text for text in done.stdout.splitlines() if text.endswith("BROKEN")]
    assert any(contract in text for text in broken), done.stdout


def test_every_pure_part_is_under_contract() -> None:
    configuration = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    missing = [part for part in PURE if f'"witnessmark.{part.removesuffix(".py")}",' not in configuration]
    assert not missing
