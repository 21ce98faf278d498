"""Where effects land: a destination counts what is there, under the key, and nothing else."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from witnessmark.adapters.demo.destinations import KEY_TRAILER, Repository, file_exists, ledger_lines
from witnessmark.errors import WorldError


@pytest.fixture
def repository(tmp_path: Path, not_run: Callable[[str], None]) -> Repository:
    if shutil.which("git") is None:
        not_run("git (not on PATH)")
    made = Repository(tmp_path / "repository", {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"})
    asyncio.run(made.make())
    return made


def commit(repository: Repository, key: str, text: str = "report") -> None:
    (repository.folder / "report.md").write_text(text, encoding="utf-8")
    asyncio.run(repository._git("add", "report.md"))
    asyncio.run(repository._git("commit", "--quiet", "--allow-empty", "--message", f"Report\n\n{KEY_TRAILER}: {key}"))


def test_git_counts_the_commits_under_one_key(repository: Repository) -> None:
    counts = [asyncio.run(repository.commits_under("key-1"))]
    for key in ("key-1", "key-10", "key-1"):
        commit(repository, key)
        counts.append(asyncio.run(repository.commits_under("key-1")))
    assert counts == [0, 1, 1, 2]


def test_git_hashes_what_was_committed_and_not_what_lies_there(repository: Repository) -> None:
    assert asyncio.run(repository.committed_digest("report.md")) == ""
    commit(repository, "key-1", "kept")
    (repository.folder / "report.md").write_text("changed since", encoding="utf-8")
    assert asyncio.run(repository.committed_digest("report.md")) == sha256(b"kept").hexdigest()


def test_git_knows_what_is_tracked(repository: Repository) -> None:
    (repository.folder / "report.md").write_text("there, and not added", encoding="utf-8")
    assert asyncio.run(repository.tracked("report.md")) == 0
    commit(repository, "key-1")
    assert asyncio.run(repository.tracked("report.md")) == 1


def test_git_that_fails_is_an_error_and_no_answer(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    outside = {"GIT_CEILING_DIRECTORIES": str(tmp_path), "GIT_DIR": str(tmp_path / "nothing")}
    with pytest.raises(WorldError, match="git log ended with"):
        asyncio.run(Repository(tmp_path / "nothing", outside).commits_under("key"))


def test_a_ledger_is_asked_by_its_key_alone(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.txt"
    assert ledger_lines(ledger, "pay-1") == 0
    ledger.write_text("pay-1 100\npay-10 5\nother pay-1\npay-1 100\n", encoding="utf-8")
    assert ledger_lines(ledger, "pay-1") == 2


def test_a_file_is_there_or_not(tmp_path: Path) -> None:
    assert file_exists(tmp_path / "report.md") == 0
    assert file_exists(tmp_path) == 0
    (tmp_path / "report.md").touch()
    assert file_exists(tmp_path / "report.md") == 1
