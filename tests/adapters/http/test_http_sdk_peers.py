"""Real SDK clients and servers over HTTP, both generations and both eras: the same through the proxy as without it, and judged."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from http_bench import listening

pytestmark = pytest.mark.peers

ROOT = Path(__file__).parents[3]
PROGRAMS = ROOT / "tests" / "peers" / "programs"
PYTHON = {1: ROOT / ".venv-mcp1" / "bin" / "python", 2: Path(sys.executable)}
EVERYTHING = ROOT / ".peers/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js"


@contextmanager
def serving(generation: int, kind: str) -> Iterator[int]:
    """The port of an SDK server over HTTP."""
    command = [str(PYTHON[generation]), str(PROGRAMS / "sdk_http_server.py"), kind]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def saw(generation: int, mode: str, url: str) -> str:
    """What an SDK client saw of the server there."""
    command = [str(PYTHON[generation]), str(PROGRAMS / "sdk_http_client.py"), mode, url]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
    assert ran.returncode == 0, ran.stderr[-3_000:]
    return ran.stdout


ROUTES = [
    (1, "streamable", 1, "sessions"),
    (1, "streamable", 2, "sessions"),
    (1, "sse", 1, "sse"),
    (2, "legacy", 1, "sessions"),
    (2, "legacy", 2, "sessions"),
    (2, "auto", 2, "sessions"),
    (2, "auto", 2, "stateless"),
    (2, "2026-07-28", 2, "sessions"),
]


@pytest.mark.parametrize("client,mode,server,kind", ROUTES)
def test_an_sdk_session_over_http_sees_the_same(
    tmp_path: Path, not_run: Callable[[str], None], client: int, mode: str, server: int, kind: str
) -> None:
    if not PYTHON[1].exists() and 1 in {client, server}:
        not_run("the SDK of generation 1 (make peers)")
    path = "sse" if kind == "sse" else "mcp"
    with serving(server, kind) as port, listening(f"http://127.0.0.1:{port}/{path}", tmp_path) as proxy:
        direct = saw(client, mode, f"http://127.0.0.1:{port}/{path}")
        through = saw(client, mode, f"http://{proxy.host}/{path}")
        assert through == direct != ""
        proxy.end()
        verdicts = [
            json.loads(proxy.says("judge", "--run", each["run"], "--format", "json"))
            for each in json.loads(proxy.says("runs", "--format", "json"))
        ]
        calls = [call for verdict in verdicts for call in verdict["calls"]]
        assert {call["tool"] for call in calls} >= {"echo", "fail", "steps"}
        assert {call["answer"] for call in calls if call["tool"] != "fail"} == {"success"}
        assert {call["answer"] for call in calls if call["tool"] == "fail"} == {"failed"}
        assert not {verdict["state"] for verdict in verdicts} & {"incompatible_session", "protocol_error", "effect_unknown", "needs_auth"}


def test_a_server_of_the_typescript_sdk_is_reached_through_the_proxy(
    tmp_path: Path, not_run: Callable[[str], None], free_port: int
) -> None:
    if not EVERYTHING.exists():
        not_run("npm servers (make peers, Node.js)")
    process = subprocess.Popen(
        ["node", str(EVERYTHING), "streamableHttp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PORT": str(free_port)},
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        next(line for line in process.stdout if re.search(rb"listening|running|started", line, re.IGNORECASE))
        url = f"http://127.0.0.1:{free_port}/mcp"
        with listening(url, tmp_path) as proxy:
            command = [sys.executable, str(PROGRAMS / "sdk_http_client.py"), "list", f"http://{proxy.host}/mcp"]
            ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
            assert ran.returncode == 0, ran.stderr[-2_000:]
            assert "echo" in ran.stdout
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


@pytest.fixture
def free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
