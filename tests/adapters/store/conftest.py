from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evidence.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = open_store(path)
    yield opened
    opened.close()
