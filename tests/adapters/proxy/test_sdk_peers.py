"""Real SDK clients and servers, two generations, both eras: through the proxy both directions carry the same bytes as without it.

A recorder stands before the proxy, one behind it, and one on a direct connection: what they wrote down must be equal.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.peers

ROOT = Path(__file__).parents[3]
PEERS = ROOT / "tests" / "peers"
RECORDER = PEERS / "servers" / "recorder.py"
CLIENT = PEERS / "programs" / "sdk_client.py"
SERVER = PEERS / "programs" / "sdk_server.py"
PROXY = Path(sys.executable).with_name("witnessmark")
PYTHON = {1: ROOT / ".venv-mcp1" / "bin" / "python", 2: Path(sys.executable)}

ROUTES = [
    (1, "legacy", 1),
    (1, "legacy", 2),
    (2, "legacy", 1),
    (2, "legacy", 2),
    (2, "auto", 1),
    (2, "auto", 2),
    (2, "2026-07-28", 2),
]


@pytest.mark.parametrize("client,mode,server", ROUTES)
def test_an_sdk_session_carries_the_same_bytes_in_both_directions(
    tmp_path: Path, not_run: Callable[[str], None], client: int, mode: str, server: int
) -> None:
    if not PYTHON[1].exists() and 1 in {client, server}:
        not_run("the SDK of generation 1 (make peers)")
    behind: list[str | Path] = [sys.executable, RECORDER, tmp_path / "behind", PYTHON[server], SERVER]
    through: list[str | Path] = [
        sys.executable,
        RECORDER,
        tmp_path / "before",
        PROXY,
        "proxy",
        "--store",
        tmp_path / "evidence.db",
        "--",
        *behind,
    ]
    direct: list[str | Path] = [sys.executable, RECORDER, tmp_path / "direct", PYTHON[server], SERVER]
    running = [
        subprocess.Popen([PYTHON[client], CLIENT, mode, *route], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for route in (direct, through)
    ]
    outputs = [process.communicate(timeout=90)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert outputs[0] == outputs[1] != b""
    for side in ("client", "server"):
        recorded = {name: (tmp_path / f"{name}.{side}").read_bytes() for name in ("before", "behind", "direct")}
        assert len(recorded["direct"]) > 300_000
        assert recorded["before"] == recorded["behind"]
        assert recorded["direct"] == recorded["before"]
