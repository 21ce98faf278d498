"""What SQLite says of a failure, in words of ours."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from witnessmark.adapters.store.failures import store_failure
from witnessmark.errors import OurError, StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly, WitnessmarkError


def _error(code: int | None) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite said")
    if code is not None:
        error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "code, kind",
    [
        (sqlite3.SQLITE_FULL, StoreFull),
        (sqlite3.SQLITE_BUSY, StoreLocked),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreLocked),
        (sqlite3.SQLITE_LOCKED, StoreLocked),
        (sqlite3.SQLITE_READONLY, StoreReadOnly),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StoreReadOnly),
        (sqlite3.SQLITE_PERM, StoreReadOnly),
        (sqlite3.SQLITE_CORRUPT, StoreCorrupt),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreCorrupt),
        (sqlite3.SQLITE_NOTADB, StoreCorrupt),
        (sqlite3.SQLITE_CANTOPEN, StoreError),
        (sqlite3.SQLITE_IOERR_READ, StoreError),
        (sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, StoreError),
        (sqlite3.SQLITE_CONSTRAINT_TRIGGER, OurError),
        (sqlite3.SQLITE_ERROR, OurError),
        (None, OurError),
    ],
)
def test_each_kind_of_failure_has_its_error(tmp_path: Path, code: int | None, kind: type[WitnessmarkError]) -> None:
    name = str(tmp_path / "evidence.sqlite")
    failure = store_failure(_error(code), name)
    assert type(failure) is kind
    assert failure.where == name
    assert failure.hint or kind is OurError


def test_an_input_output_error_on_a_full_file_system_is_a_full_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=0))
    assert type(store_failure(_error(sqlite3.SQLITE_IOERR_SHMSIZE), str(tmp_path / "e.sqlite"))) is StoreFull
