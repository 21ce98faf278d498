from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from asking_scene import Scene
from witnessmark.adapters.server_entry import ServerEntry
from witnessmark.model.capture import Launch


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(scene: Scene) -> Path:
    folder = scene.folder / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("hello")
    (folder / "link").symlink_to("a.txt")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "First\n\nOperation-Key: k1")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Again\n\nOperation-Key: k2")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Again\n\nOperation-Key: k2")
    return folder


def test_commits_under_a_key_are_counted(scene: Scene, repository: Path) -> None:
    for key, expected in [("k1", ("applied", 1, "")), ("k2", ("applied", 2, "")), ("k", ("absent", 0, "")), ("--all", ("absent", 0, ""))]:
        assert scene.ask("git", key=key, repository="repo", branch="main") == expected
    assert scene.ask("git", key="k1", repository="repo", branch="none") == ("unknown", None, "unreachable")
    assert scene.ask("git", key="k1", repository="repo", branch="--all") == ("unknown", None, "unreachable")
    assert scene.ask("git", key="k1", repository="nowhere") == ("unknown", None, "unreachable")


def test_a_branch_holds_a_commit_and_a_file(scene: Scene, repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    digest = sha256(b"hello").hexdigest()
    assert scene.verify("git", repository="repo", commit="{c}", values={"c": head}) == ("passed", "")
    assert scene.verify("git", repository="repo", commit="0" * 40) == ("failed", "absent")
    assert scene.verify("git", repository="repo", commit="{c}", values={"c": "--help"}) == ("error", "bad_value")
    assert scene.verify("git", repository="repo", path="a.txt", sha256=digest) == ("passed", "")
    assert scene.verify("git", repository="repo", path="a.txt", sha256="0" * 64) == ("failed", "differs")
    assert scene.verify("git", repository="repo", path="{p}", values={"p": "*"}) == ("failed", "absent")
    assert scene.verify("git", repository="repo", path="link") == ("error", "unsafe_path")
    git(repository, "checkout", "-q", "-b", "side")
    git(repository, "commit", "-q", "--allow-empty", "-m", "side")
    side = git(repository, "rev-parse", "HEAD")
    assert scene.verify("git", repository="repo", branch="main", commit=side) == ("failed", "absent")


def test_a_hostile_repository_runs_nothing(scene: Scene, repository: Path) -> None:
    trap = scene.folder / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {scene.folder}/sprung\n")
    trap.chmod(0o755)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "gpg.program",
        "diff.external",
        "filter.x.smudge",
        "core.alternateRefsCommand",
    ):
        git(repository, "config", name, str(trap))
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "core.hooksPath", str(scene.folder))
    (repository / ".git/info/attributes").write_text("* filter=x diff=x\n")
    assert scene.ask("git", key="k2", repository="repo") == ("applied", 2, "")
    assert scene.verify("git", repository="repo", path="a.txt") == ("passed", "")
    assert not (scene.folder / "sprung").exists()


@pytest.fixture
def git_server(scene: Scene, repository: Path) -> None:
    launch = Launch(command=(sys.executable, "-m", "mcp_server_git", "--repository", str(repository)))
    scene.more = {"servers": {"git": ServerEntry("git", "stdio", False, launch)}, "read_tools": frozenset({"git/git_log", "git/none"})}


def test_a_real_server_is_read(scene: Scene, repository: Path, git_server: None) -> None:
    settings: dict[str, Any] = {"server": "git", "tool": "git_log", "arguments": {"repo_path": str(repository), "max_count": 10}}
    assert scene.ask("mcp", key="k1", **settings, contains="Operation-Key: {operation_key}") == ("applied", None, "")
    assert scene.ask("mcp", key="k9", **settings, contains="Operation-Key: {operation_key}") == ("absent", None, "")
    assert scene.verify("mcp", **settings, contains="Again") == ("passed", "")
    assert scene.verify("mcp", **settings, contains="Never") == ("failed", "absent")
    assert scene.verify("mcp", **settings) == ("error", "nothing_checked")


def test_only_a_declared_read_is_called_and_an_error_is_no_answer(scene: Scene, repository: Path, git_server: None) -> None:
    write: dict[str, Any] = {
        "server": "git",
        "tool": "git_create_branch",
        "arguments": {"repo_path": str(repository), "branch_name": "new"},
    }
    assert scene.ask("mcp", **write, contains="new") == ("unknown", None, "not_declared_read")
    assert "new" not in git(repository, "branch")
    assert scene.ask("mcp", server="other", tool="x", contains="x") == ("unknown", None, "bad_setting")
    status, _, reason = scene.ask("mcp", server="git", tool="git_log", arguments={"repo_path": "/nowhere"}, contains="x")
    assert (status, reason) in {("unknown", "crashed"), ("unknown", "not_understood")}
