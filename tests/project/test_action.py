"""The composite action and the pre-commit hook do what they say, as far as that can be tried without GitHub."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.contract_bench import Bench
from contract_server import tool
from project.repository import ROOT

yaml = pytest.importorskip("yaml")


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    bench = Bench(tmp_path)
    bench.serves(tool("a"), tool("b"))
    bench.locked()
    git(bench, "init", "-q")
    git(bench, "add", "witnessmark.lock")
    git(bench, "commit", "-q", "-m", "base")
    shim = tmp_path / "runner" / "witnessmark" / "bin" / "witnessmark"
    shim.parent.mkdir(parents=True)
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m witnessmark "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    return bench


def git(bench: Bench, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words], cwd=bench.folder, check=True)


def run_check(bench: Bench, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The second step of the action, as a runner starts it."""
    given = {"SERVERS": "tickets", "FAIL_ON": "strict", "LOCKFILE": "witnessmark.lock", "REVISION": "", "SARIF": "", **inputs}
    environment = {**os.environ, **{f"WM_{name}": value for name, value in given.items()}}
    environment |= {"RUNNER_TEMP": str(bench.folder / "runner"), "GITHUB_STEP_SUMMARY": str(bench.folder / "summary.md")}
    script = read("action.yml")["runs"]["steps"][1]["run"]
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=bench.folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_action_is_green_where_nothing_changed(bench: Bench) -> None:
    done = run_check(bench)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_action_annotates_writes_the_summary_and_sarif_and_fails(bench: Bench) -> None:
    bench.serves(tool("a", "Other."), tool("b"))
    done = run_check(bench, SARIF="out.sarif")
    assert done.returncode == 1
    assert "file=witnessmark.lock,line=" in done.stdout
    assert "tickets (full): drift" in (bench.folder / "summary.md").read_text(encoding="utf-8")
    assert '"2.1.0"' in (bench.folder / "out.sarif").read_text(encoding="utf-8")


def test_in_the_action_a_change_cannot_approve_itself(bench: Bench) -> None:
    bench.serves(tool("a", "Other."), tool("b"))
    assert bench.says("approve", "--server", "tickets", "--yes").code == 0
    git(bench, "commit", "-q", "-a", "-m", "approves itself")
    assert run_check(bench).returncode == 0
    assert run_check(bench, REVISION="HEAD~1").returncode == 1


@pytest.mark.parametrize("servers", ["tickets; touch hacked", "$(touch hacked)", "tickets `touch hacked`", "*"])
def test_an_input_of_the_action_is_no_command(bench: Bench, servers: str) -> None:
    assert run_check(bench, SERVERS=servers).returncode == 2
    assert not (bench.folder / "hacked").exists()


def test_no_input_is_written_into_a_script() -> None:
    for step in read("action.yml")["runs"]["steps"]:
        assert "${{" not in step["run"]


def test_every_input_of_the_action_is_on_its_page() -> None:
    page = (ROOT / "docs" / "howto" / "ci.md").read_text(encoding="utf-8")
    assert [name for name in read("action.yml")["inputs"] if f"| `{name}` |" not in page] == []


def test_the_hook_checks_what_its_arguments_name(bench: Bench) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    program, *words = shlex.split(hook["entry"])
    assert (program, hook["pass_filenames"]) == ("witnessmark", False)
    assert bench.says(*words).code == 2, "it starts nothing that nobody named"
    assert bench.says(*words, "tickets").code == 0
    bench.serves(tool("a"))
    assert bench.says(*words, "tickets").code == 1
