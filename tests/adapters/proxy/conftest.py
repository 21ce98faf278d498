"""The two ways a server is started in these tests: behind the bare loop, and behind the whole proxy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BEHAVES = HERE.parents[1] / "peers" / "servers" / "behaves.py"

Start = Callable[..., list[str]]


@pytest.fixture(params=["loop", "proxy"])
def behind(request: pytest.FixtureRequest, tmp_path: Path) -> Start:
    """Return what makes the command line of a server behind the proxy."""

    def command(*server: str) -> list[str]:
        if request.param == "loop":
            return [sys.executable, str(HERE / "passthrough.py"), *server]
        return [str(Path(sys.executable).with_name("witnessmark")), "proxy", "--store", str(tmp_path / "evidence.db"), "--", *server]

    return command


@pytest.fixture
def behaves(behind: Start) -> Start:
    """Return what makes the command line of `behaves.py` behind the proxy."""

    def command(*arguments: str) -> list[str]:
        return behind(sys.executable, str(BEHAVES), *arguments)

    return command
