"""The proxy wakes when a clock of an open call runs out: it says so, keeps it as evidence once, and cancels only where policy says so."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from peers.raw_client import RawClient
from witnessmark.adapters.store.location import open_store
from witnessmark.cli.main import cli
from witnessmark.model.evidence import CallCancelled, CallExpired, Fact

SERVER = Path(__file__).parents[2] / "peers" / "servers" / "patient.py"
CLOCKS = """
[tools."files/wait"]
effect = "EFFECT"
inactivity = "150ms"
absolute = "300ms"
"""
CANCEL = CLOCKS + '[policy]\non_deadline = "cancel"\n'
LATER = b"not answered within 0.3 s"


class Session:
    """A client in front of the patient server, with a call that it leaves open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "evidence.sqlite"
        self.client: RawClient | None = None

    def starts(self, text: str, *words: str, effect: str = "write", beats: bool = False) -> RawClient:
        (self.folder / "declared.toml").write_text(text.replace("EFFECT", effect), encoding="utf-8")
        proxy = [str(Path(sys.executable).with_name("witnessmark")), "proxy", "--store", str(self.store), "--run", "r"]
        command = [*proxy, "--config", "declared.toml", "--server", "files", *words, "--", sys.executable, str(SERVER)]
        self.client = RawClient([*command, *(["beats"] if beats else [])], cwd=self.folder)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.client.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        self.client.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.client.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        return self.client

    def calls(self, client: RawClient, id_: str | int = "call-7", **more: Any) -> None:
        client.tell({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": "wait", "arguments": {}, **more}})

    def releases(self) -> None:
        (self.folder / "release").touch()

    def heard(self) -> list[list[Any]]:
        return [json.loads(line) for line in (self.folder / "heard").read_text(encoding="utf-8").splitlines()]

    def facts(self, *kinds: type[Fact]) -> list[Fact]:
        store = open_store(self.store, write=False)
        found = [event.fact for event in store.events("r") if isinstance(event.fact, kinds)]
        store.close()
        return found

    def clocks(self) -> list[tuple[str, float]]:
        return [(fact.clock, fact.limit_s) for fact in self.facts(CallExpired) if isinstance(fact, CallExpired)]

    def state(self) -> str:
        done = CliRunner(env={"WITNESSMARK_STORE": str(self.store)}).invoke(cli, ["judge", "--run", "r", "--format", "json"])
        return str(json.loads(done.stdout)["state"])


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path)
    yield made
    if made.client is not None:
        made.client.__exit__(None, None, None)


def test_both_clocks_are_evidence_once_and_the_late_answer_still_passes(session: Session) -> None:
    client = session.starts(CLOCKS)
    session.calls(client, _meta={"progressToken": 1})
    client.wait_for(LATER, on="err")
    assert session.state() == "effect_unknown", "while the call is open, from the store alone"
    session.releases()
    assert client.hear()["id"] == "call-7"
    assert client.finish() == 0
    assert session.clocks() == [("inactivity", 0.15), ("absolute", 0.3)]
    assert client.err.count(b"no valid heartbeat for 0.15 s") == client.err.count(LATER) == 1
    assert not session.facts(CallCancelled)
    assert ["notifications/cancelled", "call-7"] not in session.heard()
    assert session.state() == "unproven", "the late answer is welcome"


def test_a_call_without_a_token_has_the_absolute_clock_alone(session: Session) -> None:
    client = session.starts(CLOCKS)
    session.calls(client)
    client.wait_for(LATER, on="err")
    session.releases()
    assert client.finish() == 0
    assert session.clocks() == [("absolute", 0.3)]


def test_a_heartbeat_that_does_not_increase_keeps_nothing_alive(session: Session) -> None:
    client = session.starts(CLOCKS, beats=True)
    session.calls(client, _meta={"progressToken": 1})
    client.wait_for(b"no valid heartbeat for 0.15 s", on="err")
    session.releases()
    assert client.finish() == 0


@pytest.mark.parametrize("id_", [7, "7", 'a "quoted" \u00e9'])
def test_with_cancel_the_request_is_cancelled_by_its_own_id_and_recorded_as_ours(session: Session, id_: str | int) -> None:
    client = session.starts(CANCEL)
    session.calls(client, id_)
    client.wait_for(LATER, on="err")
    client.ask({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})  # behind the cancellation, on the same pipe
    assert session.heard().count(["notifications/cancelled", id_]) == 1
    assert [fact.by for fact in session.facts(CallCancelled) if isinstance(fact, CallCancelled)] == ["witness"]
    assert session.state() == "effect_unknown", "cancelled is a wish, not an outcome"
    session.releases()
    assert client.hear()["id"] == id_, "this server answers all the same, and its answer passes"
    assert client.finish() == 0
    assert session.state() == "unproven"


def test_with_cancel_a_read_only_call_has_failed(session: Session) -> None:
    client = session.starts(CANCEL, effect="read")
    session.calls(client)
    client.wait_for(LATER, on="err")
    assert client.finish() == 0
    assert session.state() == "tool_failed"


def test_nothing_is_put_into_a_large_request_that_is_passing(session: Session) -> None:
    client = session.starts(CANCEL)
    session.calls(client, "call-7")
    large = 17 * 1024 * 1024
    start = b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"x":"'
    client.send(start + b"x" * large)
    client.wait_for(LATER, on="err")
    client.send(b'"}}\n')
    session.releases()
    client.wait_for(b"done")
    assert client.finish() == 0
    methods = [method for method, _ in session.heard()]
    assert methods.count("ping") == 1, "the large request came through whole"


def test_behind_the_gate_the_clocks_run_too(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(session.folder)
    locked = CliRunner().invoke(cli, ["lock", "--server", "files", "--", sys.executable, str(SERVER)])
    assert locked.exit_code == 0, locked.output
    (session.folder / "heard").unlink()
    client = session.starts(CANCEL, "--mode", "enforce")
    session.calls(client)
    client.wait_for(LATER, on="err")
    client.ask({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
    assert session.heard().count(["notifications/cancelled", "call-7"]) == 1
    assert [fact.by for fact in session.facts(CallCancelled) if isinstance(fact, CallCancelled)] == ["witness"]
    assert client.finish() == 0
    assert session.clocks() == [("absolute", 0.3)]
