"""`runs`, `show`, `export`, `verify`, `keys` over a store."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stored_evidence import ZERO_US, write_run
from witnessmark.adapters.keys import KeyFile, keys_path
from witnessmark.cli.main import cli
from witnessmark.model.evidence import SessionOpened

Run = Callable[..., Result]


def now_us() -> int:
    """This moment: a session is live for 30 s, and a suite takes longer than that to come to a test."""
    return time.time_ns() // 1000


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "evidence.sqlite"


@pytest.fixture
def run(store: Path) -> Run:
    def invoke(*words: str, input: str | None = None) -> Result:  # noqa: A002 - click's own word for it
        return CliRunner(env={"WITNESSMARK_STORE": str(store)}).invoke(cli, list(words), input=input)

    return invoke


def test_runs_are_listed_newest_first_with_what_they_used(run: Run, store: Path) -> None:
    write_run(store, "older")
    write_run(store, "newer", server="search", start_us=ZERO_US + 10_000_000)
    write_run(store, "cut-off", closed=False, start_us=ZERO_US - 10_000_000)
    documents = json.loads(run("runs", "--format", "json").stdout)
    assert [(one["run"], one["servers"], one["closed"], one["live"]) for one in documents] == [
        ("newer", ["search"], True, False),
        ("older", ["tickets"], True, False),
        ("cut-off", ["tickets"], False, False),
    ]
    text = run("runs").stdout
    assert [line.split()[0:2] for line in text.splitlines()] == [
        ["run", "log"],
        ["newer", "closed"],
        ["older", "closed"],
        ["cut-off", "cut"],
    ]
    assert "older" not in run("runs", "--server", "search").stdout


def test_a_deleted_run_is_gone_and_its_deletion_is_on_record(run: Run, store: Path) -> None:
    write_run(store, "one")
    write_run(store, "two", start_us=ZERO_US + 1)
    done = run("runs", "delete", "one")
    assert done.exit_code == 0
    assert done.stdout.startswith("dropped one: 16 events of 1 sessions")
    assert [one["run"] for one in json.loads(run("runs", "--format", "json").stdout)] == ["two"]
    assert run("runs", "--dropped").stdout.startswith("dropped one:")


def test_a_mistyped_name_deletes_nothing(run: Run, store: Path) -> None:
    write_run(store, "one")
    done = run("runs", "delete", "one", "tow")
    assert done.exit_code == 2
    assert "no run 'tow'" in done.stderr
    assert "one" in run("runs").stdout


def test_a_run_that_is_observed_is_not_deleted(run: Run, store: Path) -> None:
    write_run(store, "live", start_us=now_us(), facts=[SessionOpened(server="tickets")], closed=False)
    done = run("runs", "delete", "live")
    assert done.exit_code == 2
    assert "is being observed" in done.stderr


def test_retention_drops_by_age_and_says_what(run: Run, store: Path) -> None:
    write_run(store, "old", start_us=now_us() - 40 * 86_400_000_000)
    write_run(store, "young", start_us=now_us() - 86_400_000_000)
    assert run("runs", "retain", "--max-age", "30d").stdout.startswith("dropped old: ")
    assert [one["run"] for one in json.loads(run("runs", "--format", "json").stdout)] == ["young"]
    assert run("runs", "retain", "--max-age", "30d").stdout == "nothing to delete\n"


@pytest.mark.parametrize("age", ["30 days", "-1", "", "1e9", "30x"])
def test_an_age_without_a_known_unit_is_refused(run: Run, store: Path, age: str) -> None:
    write_run(store, "one")
    done = run("runs", "retain", f"--max-age={age}")
    assert done.exit_code == 2
    assert '"30s", "10m", "2h", "1d"' in done.stderr
    assert "one" in run("runs").stdout


@pytest.mark.parametrize("given,found", [("alpha-1", "alpha-1"), ("b", "beta-1"), ("last", "beta-1")])
def test_a_run_is_found_by_id_by_beginning_or_as_the_last(run: Run, store: Path, given: str, found: str) -> None:
    write_run(store, "alpha-1")
    write_run(store, "alpha-2", start_us=ZERO_US + 1)
    write_run(store, "beta-1", start_us=ZERO_US + 2)
    done = run("export", given)
    assert {json.loads(line)["subject"] for line in done.stdout.splitlines()} == {found}


@pytest.mark.parametrize("command", ["show", "export"])
def test_a_beginning_of_two_runs_names_both(run: Run, store: Path, command: str) -> None:
    write_run(store, "alpha-1")
    write_run(store, "alpha-2")
    done = run(command, "al")
    assert done.exit_code == 2
    assert "alpha-1" in done.stderr
    assert "alpha-2" in done.stderr
    assert done.stdout == ""


def test_events_of_a_run_are_listed_with_their_ids(run: Run, store: Path) -> None:
    write_run(store, "r")
    lines = run("show", "r", "--events").stdout.splitlines()
    assert len(lines) == 16
    assert lines[0].startswith("2026-09-21T14:13:20.000000Z  r-s1/0  session.opened  {")
    assert json.loads(run("show", "r", "--events", "--format", "json").stdout.splitlines()[0])["id"] == "r-s1/0"


# --- verify ----------------------------------------------------------------------------------------------------------


def exported(run: Run, tmp_path: Path, change: Callable[[list[str]], list[str]] = lambda lines: lines) -> Path:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(change(run("export", "r").stdout.splitlines(keepends=True))))
    return file


def edited(lines: list[str], index: int, **members: object) -> list[str]:
    document = json.loads(lines[index])
    document.update(members)
    return [*lines[:index], json.dumps(document) + "\n", *lines[index + 1 :]]


DAMAGE: dict[str, tuple[Callable[[list[str]], list[str]], int, str]] = {
    "nothing": (lambda lines: lines, 0, "intact"),
    "an event delivered twice": (lambda lines: [*lines, lines[3]], 0, "intact"),
    "another order of arrival": (lambda lines: lines[::-1], 0, "intact"),
    "a hole": (lambda lines: lines[:4] + lines[5:], 1, "event 5: 1 event before this one missing"),
    "two holes side by side": (lambda lines: lines[:4] + lines[6:], 1, "event 6: 2 events before this one missing"),
    "the first event gone": (lambda lines: lines[1:], 1, "event 1: 1 event before this one missing"),
    "a changed value": (
        lambda lines: edited(lines, 10, data={"server": "tickets", "id": "3", "outcome": "tool_error"}),
        1,
        "event 10: its content does not match its hash",
    ),
    "a changed time": (
        lambda lines: edited(lines, 4, time="2026-09-21T14:13:24.000001Z"),
        1,
        "event 4: its content does not match its hash",
    ),
    "a changed hash": (lambda lines: edited(lines, 4, hash="0" * 64), 1, "event 5: names a previous hash"),
    "the close cut off": (lambda lines: lines[:-1], 1, "16 events were attested, 15 are here"),
    "a whole session gone": (lambda lines: [line for line in lines if '"r-s1/' not in line], 1, "attested, none is here"),
    "half a last line": (lambda lines: [*lines[:-1], lines[-1][:50]], 1, "the last line is cut"),
    "a second event under one number": (
        lambda lines: [*lines, edited(lines, 4, data={"server": "other"})[4]],
        1,
        "event 4: a different event under a number that is given",
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_verify_finds(run: Run, store: Path, tmp_path: Path, what: str) -> None:
    change, code, words = DAMAGE[what]
    write_run(store, "r")
    file = exported(run, tmp_path, change)
    done = run("verify", str(file))
    assert (done.exit_code, words in done.stdout) == (code, True), done.output
    document = json.loads(run("verify", str(file), "--format", "json").stdout)
    assert document["exit"] == code


def test_verify_takes_the_word_of_who_holds_the_log(run: Run, store: Path, tmp_path: Path) -> None:
    write_run(store, "r", closed=False)
    whole = exported(run, tmp_path)
    done = run("verify", str(whole))
    assert done.exit_code == 3
    lines = whole.read_text().splitlines(keepends=True)
    assert "witnessmark.evidence.checkpoint" in {json.loads(line)["type"] for line in lines}
    kept = [line for line in lines if json.loads(line)["id"] != "r-s1/12"]
    whole.write_text("".join(kept))
    done = run("verify", str(whole))
    assert done.exit_code == 1
    assert "13 events were attested, 12 are here" in done.stdout


def test_verify_reads_standard_input(run: Run, store: Path) -> None:
    write_run(store, "r")
    done = run("verify", "-", input=run("export", "r").stdout)
    assert done.exit_code == 0, done.output


# --- keys ------------------------------------------------------------------------------------------------------------


def test_keys_are_listed_rotated_and_forgotten_without_their_secrets(run: Run, store: Path) -> None:
    file = KeyFile(keys_path(store))
    first = file.active(now_us())
    assert f"{first.id}" in run("keys").stdout
    rotated = json.loads(run("keys", "rotate", "--format", "json").stdout)["keys"]
    assert [one["active"] for one in rotated] == [False, True]
    second = file.keys()[-1]
    for key in (first, second):
        for shown in (run("keys").output, run("keys", "--format", "json").output):
            assert key.secret.hex() not in shown
            assert str(key.secret) not in shown
    assert run("keys", "forget", second.id).exit_code == 2
    assert run("keys", "forget", first.id).exit_code == 0
    left = file.keys()
    assert [key.id for key in left] == [second.id]
