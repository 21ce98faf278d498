"""A test that could not run is never mistaken for one that passed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from project.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import pytest

def test_that_runs():
    pass

def test_that_cannot(not_run):
    not_run("a server that is not here")

def test_of_another_kind():
    pytest.skip("third-party files are not here")
"""


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Return what pytest says of PROGRAM under the project's conftest."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_program.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "options,code",
    [
        ([], 0),
        (["--not-run-fails"], 1),
        (["--not-run-fails", "-k", "not cannot"], 0),
    ],
)
def test_what_could_not_run_fails_the_command_only_when_asked(tmp_path: Path, options: list[str], code: int) -> None:
    done = run_pytest(tmp_path, *options)
    assert done.returncode == code, done.stdout
    assert ("NOT RUN: a server that is not here" in done.stdout) == ("-k" not in options)
    assert " passed" in done.stdout.splitlines()[-1]
