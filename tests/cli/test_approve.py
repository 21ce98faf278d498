"""`witnessmark approve` shows what changed, asks, and writes who, when, why and until when."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from cli.contract_bench import Bench
from contract_server import tool
from witnessmark.adapters import clock
from witnessmark.render.times import parse_rfc3339, rfc3339

OLD = (tool("search", "Old."), tool("close", "Old."))
NEW = (tool("search", "New."), tool("close", "New."))
DAY_US = 86_400_000_000


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USER", "ada")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    bench = Bench(tmp_path)
    bench.serves(*OLD)
    bench.locked()
    bench.serves(*NEW)
    return bench


def approval(bench: Bench, name: str = "search") -> dict[str, str]:
    found: dict[str, str] = bench.lock["servers"]["tickets"]["full"]["tools"][name]["approval"]
    return found


def test_it_shows_the_difference_and_writes_who_when_and_why(bench: Bench) -> None:
    done = bench.says("approve", "--server", "tickets", "--yes", "--why", "release 2")
    assert done.code == 0
    assert "[-Old-]{+New+}" in done.out
    found = approval(bench)
    assert (found["by"], found["why"]) == ("ada", "release 2")
    assert parse_rfc3339(found["when"]) is not None
    assert bench.says("check", "tickets").code == 0


def test_the_user_that_git_knows_is_who_approved(bench: Bench) -> None:
    subprocess.run(["git", "init", "-q"], cwd=bench.folder, check=True)
    subprocess.run(["git", "config", "user.name", "Grace"], cwd=bench.folder, check=True)
    assert bench.says("approve", "--server", "tickets", "--yes").code == 0
    assert approval(bench)["by"] == "Grace"


def test_without_a_terminal_it_refuses(bench: Bench) -> None:
    before = bench.lockfile.read_bytes()
    done = bench.says("approve", "--server", "tickets", input_text="y\n")
    assert done.code == 2
    assert "no terminal" in done.err
    assert bench.lockfile.read_bytes() == before


@pytest.mark.parametrize("answer,code", [("y", 0), ("n", 1)])
def test_on_a_terminal_it_asks(bench: Bench, answer: str, code: int) -> None:
    before = bench.lockfile.read_bytes()
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "witnessmark", "approve", "--server", "tickets"],
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True, cwd=bench.folder, check=False,
    )  # fmt: skip
    asked = os.read(ours, 4096).decode()
    os.close(ours)
    os.close(theirs)
    assert "Approve this for tickets?" in asked
    assert done.returncode == code
    assert (bench.lockfile.read_bytes() == before) == (code == 1)


def test_only_the_named_tools_are_approved(bench: Bench) -> None:
    assert bench.says("approve", "--server", "tickets", "--yes", "search").code == 0
    assert {each["tool"] for each in bench.difference()["changes"]} == {"close"}


def test_a_tool_that_nobody_knows_is_an_error(bench: Bench) -> None:
    done = bench.says("approve", "--server", "tickets", "--yes", "serch")
    assert done.code == 2
    assert "'serch'" in done.err
    assert "close, search" in done.err


def test_an_approval_that_has_ended_is_said_and_is_not_green(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bench.says("approve", "--server", "tickets", "--yes", "--until", "30d").code == 0
    assert bench.says("check", "tickets").code == 0
    now = clock.now_us()
    monkeypatch.setattr(clock, "now_us", lambda: now + 31 * DAY_US)
    done = bench.says("check", "tickets")
    assert done.code == 3
    assert "approval ended: close, search" in done.out
    assert bench.difference()["expired"] == ["close", "search"]
    assert bench.says("approve", "--server", "tickets", "--yes").code == 0
    assert bench.says("check", "tickets").code == 0


@pytest.mark.parametrize("until", ["2031-05-01", "2031-05-01T00:00:00Z", "2031-05-01T02:00:00+02:00"])
def test_until_is_a_day_or_a_time(bench: Bench, until: str) -> None:
    assert bench.says("approve", "--server", "tickets", "--yes", "--until", until).code == 0
    assert approval(bench)["until"] == "2031-05-01T00:00:00Z"


@pytest.mark.parametrize("until", ["soon", "2001-01-01", "-1d", ""])
def test_an_end_that_is_none_is_an_error(bench: Bench, until: str) -> None:
    before = bench.lockfile.read_bytes()
    assert bench.says("approve", "--server", "tickets", "--yes", "--until", until).code == 2
    assert bench.lockfile.read_bytes() == before


def test_an_end_edited_by_hand_that_cannot_be_read_is_not_green(bench: Bench) -> None:
    bench.serves(*OLD)
    text = bench.lockfile.read_text(encoding="utf-8").replace('"when"', '"until": "later", "when"')
    bench.lockfile.write_text(text, encoding="utf-8")
    assert bench.says("check", "tickets").code == 3


def test_nothing_to_approve_is_said(bench: Bench) -> None:
    bench.serves(*OLD)
    before = bench.lockfile.read_bytes()
    done = bench.says("approve", "--server", "tickets", "--yes")
    assert (done.code, done.out) == (0, "nothing to approve: the contract is what was approved\n")
    assert bench.lockfile.read_bytes() == before


def test_an_incomplete_capture_is_not_approved(bench: Bench) -> None:
    bench.serves(*NEW, endless=True)
    before = bench.lockfile.read_bytes()
    assert bench.says("approve", "--server", "tickets", "--yes").code == 3
    assert bench.lockfile.read_bytes() == before


def test_a_changed_command_is_approved_with_the_rest(bench: Bench) -> None:
    assert bench.says("approve", "--yes", *bench.dashes, "--more").code == 0
    assert bench.lock["servers"]["tickets"]["full"]["launch"]["command"][-1] == "--more"


def test_a_server_that_is_not_locked_is_not_approved(bench: Bench) -> None:
    done = bench.says("approve", "--server", "other", "--yes")
    assert done.code == 2
    assert "witnessmark lock other" in done.err


def test_times_are_whole_seconds(bench: Bench) -> None:
    bench.says("approve", "--server", "tickets", "--yes")
    assert approval(bench)["when"] == rfc3339(parse_rfc3339(approval(bench)["when"]) or 0)[:19] + "Z"
