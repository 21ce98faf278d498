"""The demo, played once for real: official client, real servers, our proxy. It is a test of itself; this looks at what it left."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest

import witnessmark
from witnessmark.adapters.clock import now_us
from witnessmark.adapters.demo.destinations import KEY_TRAILER
from witnessmark.adapters.demo.inconvenient import DAY, OWNER, TICKET
from witnessmark.adapters.demo.proved_commit import PROMISED
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.stored_runs import evidence_of
from witnessmark.judges.judging import Ordered
from witnessmark.model.verdict import Verdict

pytestmark = pytest.mark.peers

AT_THE_END = {
    "demo-healthy": "healthy",
    "demo-changed-schema": "stale_catalog",
    "demo-first-page": "stale_catalog",
    "demo-killed-server": "healthy",
    "demo-false-success": "false_success",
    "demo-challenge": "needs_auth",
    # Judged as working while it was open; its call has ended since, and nobody declared what it promises.
    "demo-long-call": "unproven",
}
"""The state of each run when everything is over."""

RESULTS = ("ticket 1 is", "cancel_order: done", "the report is published", "sign in first", "calendar.example", "the index is rebuilt")
"""What our servers answer."""


class Left(NamedTuple):
    """What the demo left: how it ended, what it said, and the folders that it might have written to."""

    code: int
    out: str
    err: str
    kept: Path
    elsewhere: tuple[Path, ...]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    for name in ("mcp", "mcp-server-git", "mcp-server-time"):
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            pytest.skip(f"NOT RUN: the demo ({name} is not installed)")
    folder = tmp_path_factory.mktemp("demo")
    elsewhere = tuple(folder / name for name in ("home", "tmp", "cwd"))
    for place in elsewhere:
        place.mkdir()
    kept = folder / "kept"
    environment = {**os.environ, "HOME": str(elsewhere[0]), "XDG_STATE_HOME": str(elsewhere[0]), "TMPDIR": str(elsewhere[1])}
    command = [sys.executable, "-c", "from witnessmark.cli.main import main; main()", "demo", "--keep", str(kept)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=elsewhere[2], env=environment)
    return Left(done.returncode, done.stdout, done.stderr, kept, elsewhere)


def verdict_of(left: Left, run: str) -> Verdict:
    store = open_store(left.kept / "evidence.sqlite", write=False)
    try:
        now = now_us()
        return witnessmark.judge(Ordered(evidence_of(store, run, now)), as_of_us=now)
    finally:
        store.close()


def contents(left: Left) -> list[str]:
    """Every argument value and result of the demo that could have been kept, the generated operation keys among them."""
    log = ["git", "-C", str(left.kept / "healthy" / "repository"), "log", f"--format=%(trailers:key={KEY_TRAILER},valueonly)"]
    keys = subprocess.run(log, capture_output=True, text=True, check=True).stdout.split()
    ledger = (left.kept / "killed-server" / "ledger.txt").read_text(encoding="utf-8").splitlines()
    assert len(keys) == len(ledger) == 1
    paths = [str(left.kept / "healthy" / "repository"), "report.md", "published.md", "last-part"]
    return [TICKET, OWNER, DAY, *PROMISED.split("\n\n"), *RESULTS, *keys, ledger[0].split()[0], *paths]


def test_the_demo_passes_its_own_test_without_a_word_on_standard_error(left: Left) -> None:
    assert (left.code, left.err) == (0, ""), left.out
    assert "8 verdicts about 7 scenarios, each the expected one" in left.out


@pytest.mark.parametrize("run", AT_THE_END)
def test_each_run_can_be_judged_again_from_the_store(left: Left, run: str) -> None:
    verdict = verdict_of(left, run)
    assert (verdict.state, verdict.run_closed, verdict.log_closed) == (AT_THE_END[run], True, True)
    assert verdict.counts.gaps == 0


def test_the_healthy_run_rests_on_two_servers_and_two_effects_seen_by_their_destination(left: Left) -> None:
    verdict = verdict_of(left, "demo-healthy")
    # The two real servers start side by side: which of them lists its tools first is the machine's choice.
    assert sorted((catalog.server, catalog.verdict, catalog.grade) for catalog in verdict.catalogs) == [
        ("git", "converged", "exact"),
        ("time", "converged", "exact"),
    ]
    assert {call.tool: call.effect for call in verdict.calls if call.effect != "none"} == {"git_add": "applied", "git_commit": "applied"}
    assert verdict.counts.calls == 5
    assert {"receipt:destination", "receipt:host", "receipt:operator", "receipt:verifier"} < set(verdict.vantage)


def test_the_killed_server_is_reconciled_and_not_forgotten(left: Left) -> None:
    verdict = verdict_of(left, "demo-killed-server")
    assert [(call.tool, call.answer, call.effect) for call in verdict.calls] == [("transfer", "lost", "applied")]
    assert "lost_and_reconciled" in verdict.notes


def test_every_layer_of_the_healthy_run_is_shown_with_evidence_ids(left: Left) -> None:
    block = left.out.split("\n2. ")[0]
    for layer in ("session", "catalog", "request", "effect", "outcome"):
        assert re.search(rf"\[\+\] {layer} .*\n(?:\s+[^\[\n]*\n)*?\s+evidence \S+/\d+", block), layer


@pytest.mark.parametrize(
    "log,state,owner",
    [
        ("14 tools listed; 5", "healthy", "nobody"),
        ("2 tools listed; 2", "stale_catalog", "integration"),
        ("1 tool listed; 1", "effect_unknown", "operator"),
        ("1 tool listed; 1", "healthy", "nobody"),
        ("1 tool listed; 1", "false_success", "task owner"),
        ("1 tool listed; 1", "needs_auth", "credential"),
        ("1 tool listed; 1", "working", "nobody"),
    ],
)
def test_the_table_sets_a_plain_log_against_the_verdict(left: Left, log: str, state: str, owner: str) -> None:
    table = left.out.split("\nscenario ")[1]
    assert re.search(rf"^\S.*  {re.escape(log)} +{state} +{owner}  ", table, re.MULTILINE)


def test_what_is_said_fits_100_plain_columns(left: Left) -> None:
    text = left.out.split("The evidence is kept.")[0]
    assert [line for line in text.splitlines() if len(line) > 100] == []
    assert text.isascii()
    assert "\x1b" not in text


def test_it_names_the_commands_that_show_each_run_again(left: Left) -> None:
    for run in AT_THE_END:
        assert f"witnessmark show {run} --store {left.kept}/evidence.sqlite" in left.out


def test_no_argument_value_and_no_result_reaches_the_store(left: Left) -> None:
    files = sorted(left.kept.glob("evidence.sqlite*"))
    kept = b"".join(path.read_bytes() for path in files)
    assert b"git_commit" in kept, "tool names are kept: this reads the right files"
    found = [value for value in contents(left) if value.strip().encode() in kept]
    assert found == []


def test_nothing_is_written_outside_the_folder(left: Left) -> None:
    assert {place.name: [path.name for path in place.iterdir()] for place in left.elsewhere} == {"home": [], "tmp": [], "cwd": []}
