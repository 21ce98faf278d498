from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from asking_scene import Scene
from services import http_service
from services.postgresql import postgresql_cluster, postgresql_url

__all__ = ["http_url", "postgresql_cluster", "postgresql_url", "scene"]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.fixture(scope="session")
def http_url() -> Iterator[str]:
    with subprocess.Popen([sys.executable, http_service.__file__], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()
