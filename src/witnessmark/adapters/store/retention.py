"""Deletes whole runs from a SQLite store: the one act that may, declared and recorded first, then wiped step by step.

Declared, a run is no longer read. Its rows go in steps, so that no writer waits long; what a crash leaves, the next
deletion finishes. Deleted rows are overwritten with zeros (`secure_delete`), free pages go back to the file system, and
the write-ahead log, which still holds old pages, is emptied as soon as no reader needs it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from witnessmark.adapters.store.protocol import Dropped, SessionSummary
from witnessmark.adapters.store.reading import sessions_of

_COUNTS: Final = ("SELECT count(*) FROM events WHERE session_key = ?", "SELECT count(*) FROM conflicts WHERE session_key = ?")
_RECORD: Final = "INSERT INTO dropped (run, sessions, events, opened_us, last_us, dropped_us, why) VALUES (?, ?, ?, ?, ?, ?, ?)"
_STEP: Final = """
DELETE FROM events WHERE session_key = ?1 AND sequence < (SELECT min(sequence) FROM events WHERE session_key = ?1) + ?2
"""
_STEP_EVENTS: Final = 5_000
"""Events deleted in one transaction: about 1 MB, some 20 ms. Writers of other runs wait for one such step, not for the whole."""
_VACUUM_PAGES: Final = 500
"""Free pages returned in one transaction (2 MB), for the same reason."""

Transaction = Callable[[], AbstractContextManager[sqlite3.Connection]]


def declare(connection: sqlite3.Connection, run: str, now_us: int, why: str) -> Dropped | None:
    """Record that a run is deleted, inside the caller's transaction, and hide it; None where there is no such run."""
    sessions = sessions_of(connection, run)
    if not sessions:
        return None
    record = _record(connection, sessions, now_us, why)
    connection.execute(_RECORD, record)
    connection.executemany("INSERT INTO retention VALUES (?)", [(session.key,) for session in sessions])
    return record


def sweep(connection: sqlite3.Connection, transaction: Transaction) -> None:
    """Delete the rows of every declared session, return free pages, and empty the log as far as readers allow."""
    keys = connection.execute("SELECT session_key FROM retention").fetchall()
    for (key,) in keys:
        gone = False
        while not gone:
            with _as_long_a_pause():
                gone = _step(key, transaction)
    while connection.execute("PRAGMA freelist_count").fetchone()[0]:
        with _as_long_a_pause():
            connection.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()
    if keys:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def _as_long_a_pause() -> Iterator[None]:
    """Leave the store free for as long as the block held it: SQLite's locks are not fair, a waiting writer only tries again."""
    started = time.monotonic()
    yield
    time.sleep(time.monotonic() - started)


def _step(key: int, transaction: Transaction) -> bool:
    """Whether the session is gone now."""
    with transaction() as connection:
        if connection.execute(_STEP, (key, _STEP_EVENTS)).rowcount:
            return False
        connection.execute("DELETE FROM conflicts WHERE session_key = ?", (key,))
        connection.execute("DELETE FROM sessions WHERE key = ?", (key,))
        connection.execute("DELETE FROM retention WHERE session_key = ?", (key,))
    return True


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
