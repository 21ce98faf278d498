"""`receipt`: who says it, to which run, and what comes of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stored_evidence import HEALTHY, write_run
from witnessmark.adapters.receipts import report_effect, report_installed, report_outcome
from witnessmark.adapters.store.location import open_store
from witnessmark.cli.main import cli
from witnessmark.errors import InputError


def now_us() -> int:
    """This moment: a session is live for 30 s, and a suite takes longer than that to come to a test."""
    return time.time_ns() // 1000


EFFECT = '{"call": 3, "status": "applied", "method": "query", "count": 1}'
OUTCOME = '{"outcome": "report", "status": "passed", "strength": "deterministic"}'
Run = Callable[..., Result]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "evidence.sqlite"


@pytest.fixture
def run(store: Path) -> Run:
    def invoke(*words: str, input: str = "", **environment: str) -> Result:  # noqa: A002 - click's own word
        return CliRunner(env={"WITNESSMARK_STORE": str(store), **environment}).invoke(cli, list(words), input=input)

    return invoke


def live(store: Path, run: str = "r", *, facts: int = 11, server: str = "tickets") -> None:
    """Write a run whose call was answered a moment ago, its observer still at work."""
    write_run(store, run, facts=HEALTHY[:facts], server=server, closed=False, start_us=time.time_ns() // 1000 - facts * 1_000_000)


def verdict(run: Run, name: str = "r") -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run("judge", "--run", name, "--format", "json").stdout)
    return document


def test_receipts_from_outside_the_run_prove_effect_and_outcome(run: Run, store: Path) -> None:
    live(store)
    assert verdict(run)["state"] == "unproven"
    assert run("receipt", "effect", input=EFFECT).stdout.startswith("effect.reported kept as receipt-")
    assert run("receipt", "outcome", input=OUTCOME).exit_code == 0
    document = verdict(run)
    assert document["state"] == "healthy"
    assert any(one.startswith("receipt-") for one in document["layers"]["effect"]["conditions"][0]["evidence"])


def test_nothing_about_a_closed_run_holds_since_later_than_its_close(run: Run, store: Path) -> None:
    live(store)
    for kind, words in (("effect", EFFECT), ("outcome", OUTCOME), ("close", "")):
        assert run("receipt", kind, input=words).exit_code == 0
    first, again = verdict(run), verdict(run)
    assert (first["state"], first["as_of"], first["since"]) == ("healthy", again["as_of"], again["since"])
    since = [one["last_transition"] for layer in again["layers"].values() for one in layer["conditions"]]
    assert max(again["since"], *filter(None, since)) <= again["as_of"]


@pytest.mark.parametrize(
    "words,environment",
    [((), {"WITNESSMARK_RUN": "r"}), (("--self-reported",), {}), (("--run", "r"), {"WITNESSMARK_RUN": "other"})],
    ids=["inside the run", "by its own word", "inside another run"],
)
def test_receipts_that_the_agent_could_have_brought_never_turn_green(
    run: Run, store: Path, words: tuple[str, ...], environment: dict[str, str]
) -> None:
    live(store)
    for kind, text in (("effect", EFFECT), ("outcome", OUTCOME)):
        done = run("receipt", kind, *words, "--format", "json", input=text, **environment)
        assert json.loads(done.stdout)["self_reported"] is True
    document = verdict(run)
    assert document["state"] == "unproven"
    assert {reason["code"] for reason in document["reasons"]} == {"effect_self_reported", "outcome_self_reported"}


def test_a_receipt_that_says_itself_that_it_is_self_reported_is_believed(run: Run, store: Path) -> None:
    live(store)
    text = EFFECT.replace("{", '{"self_reported": true, ', 1)
    assert json.loads(run("receipt", "effect", "--format", "json", input=text).stdout)["self_reported"] is True


@pytest.mark.parametrize(
    "kind,text", [("declare", '{"tool": "publish", "effect": "read"}'), ("expect", "{}"), ("accept", "{}"), ("close", "")]
)
def test_the_operators_words_are_refused_inside_a_run(run: Run, store: Path, kind: str, text: str) -> None:
    live(store)
    done = run("receipt", kind, input=text, WITNESSMARK_RUN="r")
    assert done.exit_code == 2
    assert "is the operator's to say" in done.stderr
    assert run("show", "r", "--events").stdout.count("\n") == 11


def test_a_declaration_an_expectation_and_the_close_are_kept(run: Run, store: Path) -> None:
    live(store, facts=7)
    assert run("receipt", "declare", input='{"tool": "publish", "effect": "write", "operation_key": "/key"}').exit_code == 0
    assert run("receipt", "expect", input='{"outcome": "report", "verifier": {"kind": "file"}}').exit_code == 0
    assert run("receipt", "close").exit_code == 0
    kinds = [line.split()[2] for line in run("show", "r", "--events").stdout.splitlines()]
    assert {"effect.declared", "outcome.declared", "run.closed"} <= set(kinds)
    assert verdict(run)["run_closed"] is True


def test_an_accepted_unknown_effect_ends_the_alarm_and_never_turns_green(run: Run, store: Path) -> None:
    write_run(store, "r", facts=HEALTHY[:10], start_us=now_us() - 60_000_000)
    assert verdict(run)["state"] == "effect_unknown"
    assert run("receipt", "accept", "--run", "r", input='{"call": 3, "who": "Ada Lovelace"}').exit_code == 0
    assert verdict(run)["state"] == "unproven"
    assert "Lovelace" not in run("export", "r").stdout


def test_an_installed_report_names_tools_by_the_clients_own_ways(run: Run, store: Path) -> None:
    live(store, facts=6)
    report = {"source": "my-host", "tools": [{"name": "mcp__tickets__publish", "description": "", "inputSchema": {"type": "object"}}]}
    assert run("receipt", "installed", input=json.dumps(report)).exit_code == 0
    installed = [json.loads(line) for line in run("export", "r").stdout.splitlines() if "catalog.installed" in line]
    assert installed[0]["data"]["tools"][0][:2] == ["mcp__tickets__publish", "publish"]


def test_a_report_does_not_pass_for_the_model_tap(run: Run, store: Path) -> None:
    live(store, facts=6)
    report = {"source": "anthropic-messages", "tools": [{"name": "publish", "description": "", "input_schema": {"type": "object"}}]}
    assert run("receipt", "installed", input=json.dumps(report)).exit_code == 0
    installed = [json.loads(line) for line in run("export", "r").stdout.splitlines() if "catalog.installed" in line]
    assert "observed" not in installed[0]["data"]


# --- to which run ----------------------------------------------------------------------------------------------------


def test_the_run_is_the_one_live_run_of_the_server(run: Run, store: Path) -> None:
    live(store, "mine")
    live(store, "other", server="search")
    write_run(store, "done")
    done = run("receipt", "effect", "--server", "tickets", "--format", "json", input=EFFECT)
    assert json.loads(done.stdout)["run"] == "mine"


def test_several_live_runs_are_listed(run: Run, store: Path) -> None:
    live(store, "one")
    live(store, "two")
    done = run("receipt", "effect", input=EFFECT)
    assert done.exit_code == 2
    assert "2 runs are live" in done.stderr
    assert "one (tickets)" in done.stderr
    assert "two (tickets)" in done.stderr


def test_no_live_run_is_said(run: Run, store: Path) -> None:
    write_run(store, "done")
    done = run("receipt", "effect", "--server", "tickets", input=EFFECT)
    assert done.exit_code == 2
    assert "no run of server 'tickets' is live" in done.stderr
    assert "--run" in done.stderr


def test_a_server_that_the_run_does_not_use_is_named(run: Run, store: Path) -> None:
    live(store)
    done = run("receipt", "effect", "--run", "r", "--server", "tikets", input=EFFECT)
    assert done.exit_code == 2
    assert "run r has no server 'tikets'" in done.stderr
    assert "its servers: tickets" in done.stderr


def test_a_run_of_several_servers_asks_for_one_where_it_matters(run: Run, store: Path) -> None:
    live(store)
    write_run(store, "r", facts=HEALTHY[:1], server="search", closed=False, session="r-s2", start_us=now_us())
    done = run("receipt", "effect", "--run", "r", input=EFFECT)
    assert done.exit_code == 2
    assert "name one with --server: search, tickets" in done.stderr
    assert run("receipt", "outcome", "--run", "r", input=OUTCOME).exit_code == 0


# --- what it says ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind,text,words",
    [
        ("effect", "", "standard input: is empty"),
        ("effect", "done", "standard input: "),
        ("effect", "[]", "standard input: "),
        ("effect", '{"call": 3, "status": "done"}', "at /status"),
        ("effect", '{"call": 3, "status": "applied", "count": "1"}', "at /count"),
        ("effect", '{"status": "applied"}', "names neither a call nor an operation key"),
        ("outcome", '{"status": "passed"}', "`outcome`"),
        ("outcome", '{"outcome": "r", "status": "passed", "strength": "strong"}', "at /strength"),
        ("installed", '{"source": "x"}', "neither tools nor a digest"),
        ("declare", '{"tool": "x", "inactivity": -1}', "at /inactivity"),
        ("expect", '{"outcome": "x", "verifier": "file"}', "at /verifier"),
        ("accept", '{"who": "Ada"}', "names neither or both"),
    ],
)
def test_what_is_no_receipt_is_refused_with_its_place_and_nothing_is_kept(run: Run, store: Path, kind: str, text: str, words: str) -> None:
    live(store)
    done = run("receipt", kind, input=text)
    assert done.exit_code == 2
    assert words in done.stderr
    assert "hint: " in done.stderr
    assert run("show", "r", "--events").stdout.count("\n") == 11


def test_a_receipt_makes_no_store_where_none_is(run: Run, store: Path) -> None:
    done = run("receipt", "effect", "--run", "r", input=EFFECT)
    assert done.exit_code == 2
    assert "there is no evidence store" in done.stderr
    assert not store.exists()


# --- the library -----------------------------------------------------------------------------------------------------


def test_the_library_brings_the_same_receipts(run: Run, store: Path) -> None:
    live(store)
    with_store = open_store(store)
    try:
        report_installed(with_store, "r", "tickets", {"source": "lib", "digest": "sha256:" + "0" * 64})
        assert report_effect(with_store, "r", "tickets", json.loads(EFFECT), independent=False).self_reported
        assert not report_effect(with_store, "r", "tickets", json.loads(EFFECT), independent=True).self_reported
        report_outcome(with_store, "r", json.loads(OUTCOME), independent=True)
        with pytest.raises(InputError, match="/status"):
            report_outcome(with_store, "r", {"outcome": "x", "status": "fine"}, independent=True)
    finally:
        with_store.close()
    assert run("show", "r", "--events").stdout.count("receipt-") == 8


# --- privacy ---------------------------------------------------------------------------------------------------------

CANARY = "canary-9d41-do-not-keep"


def test_what_a_receipt_carries_beside_its_members_reaches_nothing(run: Run, store: Path) -> None:
    live(store)
    texts = {
        "effect": {"operation_key": CANARY, "status": "applied", "note": CANARY, "call": 3},
        "outcome": {"outcome": "report", "status": "failed", "expected": CANARY, "found": CANARY},
        "installed": {"source": "x", "tools": [{"name": "publish", "description": CANARY, "inputSchema": {"default": CANARY}}]},
        "accept": {"who": CANARY, "operation_key": CANARY},
        "declare": {"tool": "publish", "why": CANARY},
        "expect": {"outcome": "more", "verifier": {"kind": "file", "path": CANARY}},
    }
    outputs = []
    for kind, members in texts.items():
        done = run("receipt", kind, input=json.dumps(members))
        assert done.exit_code == 0, done.output
        outputs.append(done.output)
    looks = ("show r", "show r --events", "show r --format json", "export r", "judge --run r", "runs")
    outputs += [run(*words.split()).output for words in looks]
    assert not any(CANARY in output for output in outputs)
    for file in store.parent.iterdir():
        assert CANARY.encode() not in file.read_bytes(), file.name
