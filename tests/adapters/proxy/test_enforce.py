"""`witnessmark proxy --mode enforce` in front of real processes: what reaches the server, what the client hears, what is recorded."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import contract_server
from cli.contract_bench import Bench
from contract_server import tool
from peers.raw_client import RawClient

ROOT = Path(__file__).parents[3]
PROXY = Path(sys.executable).with_name("witnessmark")
PYTHON = {1: ROOT / ".venv-mcp1" / "bin" / "python", 2: Path(sys.executable)}
CLIENT = ROOT / "tests" / "peers" / "programs" / "gated_client.py"

SEARCH = tool("search", query={"type": "string"})
RENAMED = tool("search", q={"type": "string"})


class Gated:
    """A server that is locked as it is, and what its proxy recorded."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.store = bench.folder / "evidence.db"
        self.serves(SEARCH)
        bench.locked()

    def serves(self, *tools: dict[str, Any], **members: Any) -> None:
        self.bench.serves(*tools, calls=True, **members)

    def command(self, *words: str) -> list[str]:
        return [str(PROXY), "proxy", "--store", str(self.store), "--mode", "enforce", *words, *self.bench.dashes]

    @property
    def called(self) -> list[dict[str, Any]]:
        path = Path(f"{self.bench.catalog}.calls")
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def verdict(self) -> dict[str, Any]:
        said = self.bench.says("judge", "--run", "last", "--store", str(self.store), "--format", "json")
        found: dict[str, Any] = json.loads(said.out)
        return found


@pytest.fixture
def gated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gated:
    monkeypatch.chdir(tmp_path)
    return Gated(Bench(tmp_path))


@contextmanager
def session(command: list[str]) -> Iterator[RawClient]:
    with RawClient(command) as client:
        params = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {"name": "c", "version": "1"}}
        client.tell({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        client.hear()
        client.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.tell({"jsonrpc": "2.0", "id": "l", "method": "tools/list"})
        client.hear()
        yield client


def call(client: RawClient, id_: int, name: str = "search", **arguments: Any) -> dict[str, Any]:
    client.tell({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
    heard: dict[str, Any] = client.hear()
    assert heard["id"] == id_
    return heard


def test_a_change_in_the_middle_of_a_session_stops_the_next_call_and_approving_lets_it_go(gated: Gated) -> None:
    with session(gated.command()) as client:
        assert "result" in call(client, 1, query="x")
        gated.serves(RENAMED)
        refused = call(client, 2, query="x")["error"]["data"]
        assert (refused["reason"], refused["old_caller"]) == ("drifted", "silent")
        # The command that the refusal names works as it stands.
        words = refused["approve"].split()
        assert words[:2] == ["witnessmark", "approve"]
        approved = gated.bench.says(*words[1:], "--yes", *gated.bench.dashes[2:])
        assert approved.code == 0, approved
        assert call(client, 3, q="x")["error"]["data"]["reason"] == "stale_client"
        client.tell({"jsonrpc": "2.0", "id": "again", "method": "tools/list"})
        assert client.hear()["result"]["tools"] == [RENAMED]
        assert "result" in call(client, 4, q="x")
        assert client.finish() == 0
    assert [each["arguments"] for each in gated.called] == [{"query": "x"}, {"q": "x"}]
    assert "refused_by_gate" not in json.dumps(gated.verdict()["reasons"])


def test_reverting_the_server_unblocks(gated: Gated) -> None:
    with session(gated.command()) as client:
        gated.serves(RENAMED)
        assert "error" in call(client, 1, query="x")
        gated.serves(SEARCH)
        assert "result" in call(client, 2, query="x")
        assert client.finish() == 0


def test_a_server_that_cannot_list_any_more_gets_no_call(gated: Gated, tmp_path: Path) -> None:
    policy = tmp_path / "gate.toml"
    policy.write_text('[gate]\nhold = "500ms"\n')
    with session(gated.command("--config", str(policy))) as client:
        gated.serves(SEARCH, hang=True)
        refused = call(client, 1, query="x")["error"]["data"]
        assert (refused["reason"], refused["sent"]) == ("cannot_list", False)
        assert client.finish() == 0
    assert gated.called == []


def test_a_policy_of_the_server_overrides_the_general_one(gated: Gated, tmp_path: Path) -> None:
    policy = tmp_path / "gate.toml"
    policy.write_text('[gate]\nrefusal = "error"\n[servers.tickets]\ncommand = ["x"]\n[servers.tickets.gate]\nrefusal = "is_error"\n')
    with session(gated.command("--config", str(policy))) as client:
        gated.serves(RENAMED)
        assert call(client, 1, query="x")["result"]["isError"] is True


def test_looking_on_with_a_lockfile_changes_no_byte_and_the_verdict_knows(gated: Gated) -> None:
    gated.serves(RENAMED)
    command = [*gated.command(), ""][:-1]
    command[command.index("enforce")] = "observe"
    command[command.index("observe") + 1 : command.index("observe") + 1] = ["--lockfile", "witnessmark.lock"]
    with session(command) as client:
        assert "result" in call(client, 1, query="x")
        assert client.finish() == 0
    assert len(gated.called) == 1
    verdict = gated.verdict()
    assert verdict["state"] == "stale_catalog"
    assert "contract_drifted" in json.dumps(verdict["reasons"])


@pytest.mark.parametrize(
    "spoil,words",
    [
        (lambda bench: bench.lockfile.unlink(), "there is no lockfile"),
        (lambda bench: bench.lockfile.write_text("{"), "is cut short"),
        (lambda bench: bench.lockfile.write_text(bench.lockfile.read_text().replace("tickets", "others")), "is not locked"),
    ],
    ids=["missing", "cut", "another server"],
)
def test_without_a_usable_lock_nothing_is_started(gated: Gated, spoil: Callable[[Bench], object], words: str) -> None:
    spoil(gated.bench)
    ran = subprocess.run(gated.command(), input=b"", capture_output=True, check=False)
    assert ran.returncode == 2
    assert words in ran.stderr.decode()
    assert ran.stdout == b""


def test_a_lockfile_that_breaks_while_a_session_runs_approves_nothing(gated: Gated) -> None:
    with session(gated.command()) as client:
        gated.bench.lockfile.write_text("<<<<<<< ours\n")
        assert call(client, 1, query="x")["error"]["data"]["reason"] == "unpinned"
        client.wait_for(b"no tool is approved", on="err")
    assert gated.called == []


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_what_was_refused_is_recorded_however_the_proxy_ends(gated: Gated, by: signal.Signals) -> None:
    with session(gated.command()) as client:
        gated.serves(RENAMED)
        call(client, 1, query="x")
        client.process.send_signal(by)
        client.wait()
    reasons = json.dumps(gated.verdict()["layers"]["catalog"])
    assert "RefusedByGate" in reasons


@pytest.mark.peers
@pytest.mark.parametrize("generation,mode", [(1, "legacy"), (2, "legacy")])
def test_an_sdk_client_reads_the_refusal(gated: Gated, not_run: Callable[[str], None], generation: int, mode: str, tmp_path: Path) -> None:
    if not PYTHON[generation].exists():
        not_run(f"the SDK of generation {generation} (make peers)")
    changed = tmp_path / "changed.json"
    contract_server.write(changed, RENAMED, calls=True)
    command = [str(PYTHON[generation]), str(CLIENT), mode, str(gated.bench.catalog), str(changed), *gated.command()]
    ran = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    names, first, second, shown = json.loads(ran.stdout)
    assert (names, first, second) == (["search"], ["result", "done"], ["error", 71_001, "drifted"])
    assert shown == [["query"]], "the client goes on being given the approved definition"
    assert len(gated.called) == 1
