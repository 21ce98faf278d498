"""Real servers are locked and checked: PyPI and npm, bare and full clients."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.contract_bench import Bench

pytestmark = pytest.mark.peers

NPM = Path(__file__).parents[2] / ".peers" / "npm" / "node_modules" / "@modelcontextprotocol"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return Bench(tmp_path)


def npm_server(name: str, not_run: Callable[[str], None]) -> list[str]:
    program = NPM / name / "dist" / "index.js"
    if shutil.which("node") is None or not program.exists():
        not_run("npm servers (make peers, Node.js)")
    return ["node", str(program)]


@pytest.mark.parametrize("module,tool", [("mcp_server_git", "git_status"), ("mcp_server_time", "convert_time")])
def test_a_server_from_pypi_is_locked_and_unchanged(bench: Bench, module: str, tool: str) -> None:
    server = ["--server", "real", "--", sys.executable, "-m", module]
    assert bench.says("lock", *server).code == 0
    assert tool in bench.lock["servers"]["real"]["full"]["tools"]
    assert bench.says("check", *server).code == 0
    before = bench.lockfile.read_bytes()
    assert bench.says("lock", *server).code == 0
    assert bench.lockfile.read_bytes() == before


def test_an_argument_that_changes_what_the_model_is_told_is_drift(bench: Bench) -> None:
    server = ["--server", "time", "--", sys.executable, "-m", "mcp_server_time", "--local-timezone"]
    assert bench.says("lock", *server, "Europe/Berlin").code == 0
    done = bench.says("check", "--format", "json", *server, "Asia/Tokyo")
    assert done.code == 1
    kinds = {each["kind"] for each in json.loads(done.out)["changes"]}
    assert "launch-changed" in kinds
    assert any(kind.startswith(("description", "default")) for kind in kinds)


def test_a_server_from_npm_is_locked_and_unchanged(bench: Bench, not_run: Callable[[str], None]) -> None:
    server = ["--server", "files", "--", *npm_server("server-filesystem", not_run), str(bench.folder)]
    assert bench.says("lock", *server).code == 0
    assert "read_text_file" in bench.lock["servers"]["files"]["full"]["tools"]
    assert bench.says("check", *server).code == 0


def test_a_server_shows_more_to_a_full_client_and_each_has_its_lock(bench: Bench, not_run: Callable[[str], None]) -> None:
    server = ["--server", "everything", "--", *npm_server("server-everything", not_run)]
    assert bench.says("lock", "--profile", "both", *server).code == 0
    profiles = bench.lock["servers"]["everything"]
    assert set(profiles["bare"]["tools"]) < set(profiles["full"]["tools"])
    done = bench.says("check", "--format", "json", *server)
    assert done.code == 0
    assert {each["profile"]: each["verdict"] for each in json.loads(done.out)} == {"bare": "same", "full": "same"}


def test_two_servers_are_two_contracts(bench: Bench) -> None:
    command = [sys.executable, "-m"]
    for name in ("git", "time"):
        assert bench.says("lock", "--server", name, "--", *command, f"mcp_server_{name}").code == 0
    done = bench.says("check", "--yes", "--format", "json")
    assert {each["server"]: each["verdict"] for each in json.loads(done.out)} == {"git": "same", "time": "same"}
    subprocess.run(["git", "init", "-q"], cwd=bench.folder, check=True)
    assert bench.says("diff", "git", "time").code == 1
