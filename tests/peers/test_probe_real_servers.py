"""Real servers are captured whole: two generations of the official SDK, PyPI and npm servers, over every transport."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from witnessmark.adapters.prober import capture
from witnessmark.model.capture import Capture, Launch, Profile

pytestmark = pytest.mark.peers

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).with_name("programs")
NPM = ROOT / ".peers" / "npm" / "node_modules" / "@modelcontextprotocol"
PYTHON = {1: ROOT / ".venv-mcp1" / "bin" / "python", 2: Path(sys.executable)}
EVERYTHING = str(NPM / "server-everything" / "dist" / "index.js")

# What a client of these servers is shown; the real tools of the pinned versions in requirements/.
SDK_TOOLS = ["echo", "fail", "grow", "steps"]


def names(found: Capture) -> list[str]:
    return sorted(tool["name"] for tool in found.tools)


def needs_sdk(generation: int, not_run: Callable[[str], None]) -> None:
    if not PYTHON[generation].exists():
        not_run(f"the SDK of generation {generation} (make peers)")


def needs_npm(not_run: Callable[[str], None]) -> None:
    if shutil.which("node") is None or not Path(EVERYTHING).exists():
        not_run("npm servers (make peers, Node.js)")


def whole(found: Capture) -> None:
    assert (found.complete, found.reason, found.ambiguous) == (True, "", ())


@pytest.mark.parametrize(
    "module,some",
    [("mcp_server_git", {"git_status", "git_commit", "git_diff"}), ("mcp_server_time", {"get_current_time", "convert_time"})],
)
def test_servers_from_pypi(module: str, some: set[str]) -> None:
    found = capture(Launch(command=(sys.executable, "-m", module)), module)
    whole(found)
    assert some <= set(names(found))
    assert found.protocol_version == "2026-07-28"
    assert all(tool["inputSchema"]["type"] == "object" for tool in found.tools)


@pytest.mark.parametrize("generation,version", [(1, "2025-11-25"), (2, "2026-07-28")])
@pytest.mark.parametrize("profile", ["bare", "full"])
def test_both_generations_of_the_sdk_over_stdio(not_run: Callable[[str], None], generation: int, version: str, profile: Profile) -> None:
    needs_sdk(generation, not_run)
    found = capture(Launch(command=(str(PYTHON[generation]), str(PROGRAMS / "sdk_server.py"))), "sdk", profile)
    whole(found)
    assert (names(found), found.protocol_version, found.profile) == (SDK_TOOLS, version, profile)


def test_the_filesystem_server_from_npm(not_run: Callable[[str], None], tmp_path: Path) -> None:
    needs_npm(not_run)
    program = str(NPM / "server-filesystem" / "dist" / "index.js")
    found = capture(Launch(command=("node", program, str(tmp_path))), "files", "full")
    whole(found)
    assert {"read_text_file", "write_file", "list_allowed_directories"} <= set(names(found))


def test_a_server_that_shows_more_to_a_client_that_can_more(not_run: Callable[[str], None]) -> None:
    needs_npm(not_run)
    bare, full = (capture(Launch(command=("node", EVERYTHING)), "everything", profile) for profile in ("bare", "full"))
    whole(bare)
    whole(full)
    assert len(bare.tools) == 13
    assert len(full.tools) == 17
    assert set(names(full)) - set(names(bare)) >= {"get-roots-list", "trigger-sampling-request", "trigger-elicitation-request"}


# --- over HTTP ---------------------------------------------------------------------------------------------------------


@contextmanager
def serving(command: list[str], environment: dict[str, str] | None = None, wait_for: bytes = b"") -> Iterator[bytes]:
    """The first line of a server's output that holds `wait_for`, while the server runs."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if wait_for else subprocess.DEVNULL,
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield next(line for line in process.stdout if wait_for in line)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize(
    "generation,kind,path,version",
    [
        (2, "sessions", "mcp", "2026-07-28"),
        (2, "stateless", "mcp", "2026-07-28"),
        (2, "sessions", "mcp/", "2026-07-28"),
        (1, "sessions", "mcp", "2025-11-25"),
        (1, "stateless", "mcp", "2025-11-25"),
        (1, "sse", "sse", "2025-11-25"),
    ],
)
def test_the_sdk_over_every_http_transport(not_run: Callable[[str], None], generation: int, kind: str, path: str, version: str) -> None:
    needs_sdk(generation, not_run)
    with serving([str(PYTHON[generation]), str(PROGRAMS / "sdk_http_server.py"), kind]) as port:
        for profile in ("bare", "full"):
            found = capture(Launch(url=f"http://127.0.0.1:{int(port)}/{path}"), "sdk", profile)
            whole(found)
            assert (names(found), found.protocol_version, found.pages) == (SDK_TOOLS, version, 1)


def test_the_old_era_of_a_server_that_speaks_both_over_http() -> None:
    with serving([str(PYTHON[2]), str(PROGRAMS / "sdk_http_server.py"), "sessions"]) as port:
        found = capture(Launch(url=f"http://127.0.0.1:{int(port)}/mcp"), "sdk", last_version="2025-06-18")
    whole(found)
    assert (names(found), found.protocol_version) == (SDK_TOOLS, "2025-11-25")


@pytest.mark.parametrize("kind,path", [("streamableHttp", "mcp"), ("sse", "sse")])
def test_the_typescript_sdk_over_http(not_run: Callable[[str], None], free_port: int, kind: str, path: str) -> None:
    needs_npm(not_run)
    with serving(["node", EVERYTHING, kind], {"PORT": str(free_port)}, str(free_port).encode()):
        bare, full = (capture(Launch(url=f"http://127.0.0.1:{free_port}/{path}"), "everything", profile) for profile in ("bare", "full"))
    whole(bare)
    whole(full)
    assert (len(bare.tools), len(full.tools)) == (13, 17)


@pytest.fixture
def free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
