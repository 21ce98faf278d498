"""Deletes whole runs from a SQLite store: the one act that may, declared in its transaction, recorded, and wiped.

Deleted rows are overwritten with zeros (`secure_delete`), free pages go back to the file system, and the write-ahead log,
which still holds old pages, is emptied as soon as no reader needs it.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from witnessmark.adapters.store.protocol import Dropped, SessionSummary
from witnessmark.adapters.store.reading import sessions_of

_COUNTS: Final = ("SELECT count(*) FROM events WHERE session_key = ?", "SELECT count(*) FROM conflicts WHERE session_key = ?")
_RECORD: Final = "INSERT INTO dropped (run, sessions, events, opened_us, last_us, dropped_us, why) VALUES (?, ?, ?, ?, ?, ?, ?)"
_VACUUM_PAGES: Final = 2_000
"""Free pages returned in one transaction (8 MB): writers wait for one such step, not for the whole."""


def drop_run(connection: sqlite3.Connection, run: str, now_us: int, why: str) -> Dropped | None:
    """Delete a run inside the caller's transaction and record it; None where there is no such run."""
    sessions = sessions_of(connection, run)
    if not sessions:
        return None
    record = _record(connection, sessions, now_us, why)
    keys = [(session.key,) for session in sessions]
    connection.executemany("INSERT INTO retention VALUES (?)", keys)
    connection.executemany("DELETE FROM conflicts WHERE session_key = ?", keys)
    connection.executemany("DELETE FROM events WHERE session_key = ?", keys)
    connection.executemany("DELETE FROM sessions WHERE key = ?", keys)
    connection.execute("DELETE FROM retention")
    connection.execute(_RECORD, record)
    return record


def give_back(connection: sqlite3.Connection) -> None:
    """Return free pages to the file system and empty the write-ahead log, as far as readers allow."""
    while connection.execute("PRAGMA freelist_count").fetchone()[0]:
        connection.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _record(connection: sqlite3.Connection, sessions: list[SessionSummary], now_us: int, why: str) -> Dropped:
    events = sum(connection.execute(query, (session.key,)).fetchone()[0] for session in sessions for query in _COUNTS)
    return Dropped(
        run=sessions[0].run,
        sessions=len(sessions),
        events=events,
        opened_us=min(session.opened_us for session in sessions),
        last_us=max(session.beat_us for session in sessions),
        dropped_us=now_us,
        why=why,
    )
