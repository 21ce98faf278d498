"""SQLite's errors in our words: which kind of StoreError it is, where, and what the user can do."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from witnessmark.errors import OurError, StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly, WitnessmarkError

_FULL_HINT = "free some room there, or name another store with --store or WITNESSMARK_STORE"
_CORRUPT_HINT = "nothing was written to it; keep the file for inspection and name another store with --store or WITNESSMARK_STORE"
_LOCKED_HINT = "another process holds it longer than we wait; see who has the file open, then try again"
_READ_ONLY_HINT = "check owner and permissions of the file and of its directory, or name another store"


def store_failure(error: sqlite3.Error, name: str) -> WitnessmarkError:
    """The error to raise for what SQLite said about the store `name`; `from error` keeps the original for us."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return OurError(f"the store was used wrongly: {error}", where=name)
    match code & 0xFF:  # the primary code: https://sqlite.org/rescode.html#primary_result_codes_versus_extended_result_codes
        case sqlite3.SQLITE_FULL:
            return StoreFull("no room left for evidence", where=name, hint=_FULL_HINT)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreLocked("the store is locked", where=name, hint=_LOCKED_HINT)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StoreReadOnly("the store cannot be written", where=name, hint=_READ_ONLY_HINT)
        case sqlite3.SQLITE_NOTADB:
            return StoreCorrupt("this file is no SQLite database, or its first page is damaged", where=name, hint=_CORRUPT_HINT)
        case sqlite3.SQLITE_CORRUPT:
            return StoreCorrupt("the store's pages contradict each other", where=name, hint=_CORRUPT_HINT)
        case sqlite3.SQLITE_IOERR if _no_room(name):
            return StoreFull("no room left for evidence", where=name, hint=_FULL_HINT)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN:
            return StoreError(f"the store cannot be read or written ({error})", where=name, hint=_READ_ONLY_HINT)
        case sqlite3.SQLITE_CONSTRAINT if code == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
            return StoreError("the session is no longer in the store: its run was deleted", where=name, hint="open a new session")
        case _:
            return OurError(f"the store refused a statement of ours: {error}", where=name)


def _no_room(path: str) -> bool:
    """Whether the file system is full: growing the shared index then fails as an I/O error, not as SQLITE_FULL."""
    try:
        room = os.statvfs(Path(path).parent)
    except (OSError, AttributeError):
        return False
    return room.f_bavail == 0
