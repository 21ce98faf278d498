"""The evidence store in one SQLite file: write-ahead log, STRICT tables, append-only by triggers.

A single append is one statement in autocommit. With `durability="process"` (synchronous=NORMAL) an acknowledged append
survives the death of every process, `kill -9` included; with "power" (synchronous=FULL) also the loss of power, at the
price of one fsync each (docs/store.md has the figures).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote

from witnessmark.adapters.store import attest, reading, retention
from witnessmark.adapters.store.failures import store_failure
from witnessmark.adapters.store.protocol import SILENCE_S, Cursor, Dropped, Head, RunSummary, SessionKey, SessionSummary
from witnessmark.adapters.store.tail import LeftBehind
from witnessmark.errors import StoreReadOnly, UsageError
from witnessmark.model.chain import GENESIS, Entry
from witnessmark.model.evidence import FACTS, EffectDeclared, Event
from witnessmark.state.order import Logged, merge_sessions, trusted

BUSY_TIMEOUT_MS: Final = 5_000
"""How long a statement waits for another process. A commit holds the store for microseconds, a step of retention for up to
a second or two on a slow disk; a client waits for our append, and popular clients give up on a request after 30 s or more."""

_OPEN_SESSION: Final = """
INSERT INTO sessions (source, session, run, server, opened_us, beat_us, head) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6) ON CONFLICT DO NOTHING
"""
_FIND_SESSION: Final = """
SELECT key, run, server, key IN (SELECT session_key FROM retention) FROM sessions WHERE source = ? AND session = ?
"""
_CLOSE_SESSION: Final = """
UPDATE sessions SET closed_us = ?1, beat_us = max(beat_us, ?1, coalesce(newest.time_us, 0)),
  count = coalesce(newest.sequence + 1, 0), head = coalesce(newest.hash, head)
FROM (SELECT 1) LEFT JOIN (SELECT sequence, hash, time_us FROM events WHERE session_key = ?2 ORDER BY sequence DESC LIMIT 1) AS newest
WHERE key = ?2 AND closed_us IS NULL
"""
_INSERT: Final = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)"
_INSERT_CONFLICT: Final = "INSERT INTO conflicts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"


class SqliteStore:
    """An `EvidenceStore` over an opened and migrated file; `open_store` (location.py) makes one.

    `writer` is None where the file may only be read; then every writing method raises StoreReadOnly. `immutable` reads a
    file that cannot change, on a medium where SQLite cannot keep its index beside it.
    """

    def __init__(self, path: str, writer: sqlite3.Connection | None, *, immutable: bool = False) -> None:
        self.name = path
        self._writer = writer
        self._immutable = immutable
        self._kinds: dict[str, int] = {}
        self._file = _identity(path)
        if writer is not None:
            with self._statement():
                self._kinds = self._register(writer, FACTS)

    # --- writing -----------------------------------------------------------------------------------------------------

    def open_session(self, *, source: str, session: str, run: str, server: str, opened_us: int) -> SessionKey:
        """The key of the session, which is made if it is not there. UsageError if it is there under another run."""
        with self._transaction() as connection:
            connection.execute(_OPEN_SESSION, (source, session, run, server, opened_us, GENESIS))
            key, stored_run, stored_server, dropped = connection.execute(_FIND_SESSION, (source, session)).fetchone()
        if dropped:
            raise UsageError(f"session {session!r} is being deleted with its run", where=self.name, hint="open a new session")
        if (stored_run, stored_server) != (run, server):
            raise UsageError(
                f"session {session!r} is already kept for run {stored_run!r}, server {stored_server!r}",
                where=self.name,
                hint="a session belongs to one run and one server: give the new one an id of its own",
            )
        return SessionKey(key)

    def append(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Keep all entries, or none and raise; an equal one again is harmless, a different one is kept as a conflict."""
        if len(entries) == 1:
            connection = self._writable()
            try:
                if connection.execute(_INSERT, self._row(connection, key, entries[0])).rowcount == 1:
                    return
            except sqlite3.Error as error:
                raise store_failure(error, self.name) from error
        elif not entries:
            return
        with self._transaction() as connection:
            self._insert(connection, key, entries)

    @property
    def unsettled(self) -> bool:
        """Never: what was appended is in its place (TailedStore differs)."""
        return False

    def settle(self) -> None:
        """Nothing waits here."""

    def take_over(self, left: LeftBehind) -> None:
        """Keep what a dead writer of a session left in its tail; nothing of a session that is not here (any more)."""
        connection = self._writable()
        with self._statement():
            found = connection.execute(_FIND_SESSION, (left.source, left.session)).fetchone()
        if found is not None and not found[3]:
            SqliteStore.append(self, SessionKey(found[0]), left.entries)

    def gone(self) -> bool:
        """Whether the file that is written to no longer stands at its path: it was removed, moved or replaced."""
        return _identity(self.name) != self._file

    def beat(self, key: SessionKey, now_us: int) -> None:
        """Note that the session's observer is alive at `now_us`, though it saw nothing."""
        connection = self._writable()
        with self._statement():
            connection.execute("UPDATE sessions SET beat_us = max(beat_us, ?) WHERE key = ?", (now_us, key))

    def close_session(self, key: SessionKey, closed_us: int, last: Sequence[Entry] = ()) -> None:
        """Keep the last entries and mark the session closed, in one step; a session that is closed already stays as it is."""
        with self._transaction() as connection:
            self._insert(connection, key, last)
            connection.execute(_CLOSE_SESSION, (closed_us, key))

    def delete_run(self, run: str, now_us: int, why: str = "deleted") -> Dropped:
        """Delete a run and record that. UsageError if it is not there, or an observer is at work in it."""
        with self._wiping() as connection:
            with self._transaction():
                if any(session.alive(now_us) for session in reading.sessions_of(connection, run)):
                    hint = f"end it, or wait {SILENCE_S:.0f} s after its last event"
                    raise UsageError(f"run {run!r} is being observed", where=self.name, hint=hint)
                record = retention.declare(connection, run, now_us, why)
            if record is None:
                raise UsageError(f"no run {run!r}", where=self.name, hint="`witnessmark runs` lists them")
            retention.sweep(connection, self._transaction)
        return record

    def retain(self, max_age_s: float, now_us: int) -> list[Dropped]:
        """Delete every run whose last sign of life is older than `max_age_s` and record what was dropped."""
        oldest_us = now_us - round(max_age_s * 1_000_000)
        records: list[Dropped] = []
        with self._wiping() as connection:
            for candidate in reading.runs_of(connection, now_us, None, SILENCE_S):
                # Each run in a transaction of its own, and judged in it: an observer may have come back meanwhile.
                with self._transaction():
                    sessions = reading.sessions_of(connection, candidate.run)
                    old = all(session.beat_us < oldest_us and not session.alive(now_us) for session in sessions)
                    record = retention.declare(connection, candidate.run, now_us, f"older than {max_age_s:g} s") if old else None
                if record is not None:
                    records.append(record)
            retention.sweep(connection, self._transaction)
        return records

    # --- reading -----------------------------------------------------------------------------------------------------

    def head(self, key: SessionKey) -> Head:
        """Where the session's chain stands, to go on from there."""
        with self._snapshot() as connection:
            found = reading.head_of(connection, key)
        if found is None:
            raise UsageError(f"no session {key}", where=self.name, hint="its run may have been deleted")
        return found

    def runs(self, now_us: int, *, server: str | None = None) -> list[RunSummary]:
        """Every run (of a server), newest first."""
        with self._snapshot() as connection:
            return reading.runs_of(connection, now_us, server, SILENCE_S)

    def live_runs(self, server: str, now_us: int, silence_s: float = SILENCE_S) -> list[str]:
        """The runs in which an observer of `server` is at work at `now_us`, newest first."""
        with self._snapshot() as connection:
            return reading.live_runs_of(connection, server, now_us, silence_s)

    def sessions(self, run: str) -> list[SessionSummary]:
        """The sessions of a run, in the order in which they were opened."""
        with self._snapshot() as connection:
            return reading.sessions_of(connection, run)

    def logged(self, run: str) -> Iterator[Logged]:
        """The run's events in canonical order with their bytes; one snapshot, bounded memory."""
        with self._snapshot() as connection:
            yield from merge_sessions(reading.streams_of(connection, reading.sessions_of(connection, run)))

    def changes(self) -> int:
        """A number that differs from the last one if anybody else wrote since (SQLite's data_version: some 2 us)."""
        with self._statement():
            version: int = self._writable().execute("PRAGMA data_version").fetchone()[0]
        return version

    def declarations(self, run: str, since: Cursor) -> tuple[Cursor, list[EffectDeclared]]:
        """What receipts of the run declared of tools since the cursor."""
        with self._statement():
            return reading.declarations_of(self._writable(), run, since)

    def events(self, run: str) -> Iterator[Event]:
        """The run's events in canonical order; what its hash does not cover is read as a gap."""
        return map(trusted, self.logged(run))

    def attested(
        self, run: str, now_us: int, *, silence_s: float = SILENCE_S, source: str = "export", every: bool = False
    ) -> Iterator[Logged]:
        """`logged` together with the events that attest its sessions, of the same snapshot."""
        with self._snapshot() as connection:
            sessions = reading.sessions_of(connection, run)
            added = attest.attesting_events(sessions, run, now_us, silence_s=silence_s, source=source, every=every)
            yield from merge_sessions([*reading.streams_of(connection, sessions), iter(added)])

    def checkpoints(self, run: str, now_us: int, silence_s: float = SILENCE_S) -> list[Event]:
        """Only the attesting events of `attested`."""
        added = attest.attesting_events(self.sessions(run), run, now_us, silence_s=silence_s, source="export", every=False)
        return [trusted(event) for event in added]

    def dropped(self) -> list[Dropped]:
        """Everything that was ever deleted, newest first."""
        with self._snapshot() as connection:
            return reading.dropped_of(connection)

    def close(self) -> None:
        """Let go of the file. The last process to do so folds the write-ahead log into it."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with self._statement():
                writer.close()

    # --- inside ------------------------------------------------------------------------------------------------------

    def _writable(self) -> sqlite3.Connection:
        if self._writer is None:
            raise StoreReadOnly("the store was opened for reading, or is closed", where=self.name, hint="check the file's permissions")
        return self._writer

    @contextmanager
    def _statement(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise store_failure(error, self.name) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._writable()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back(connection)
            raise store_failure(error, self.name) from error
        except BaseException:
            self._roll_back(connection)
            raise

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        # SQLite has rolled back by itself after some failures (a full disk, for one).
        if connection.in_transaction:
            with self._statement():
                connection.execute("ROLLBACK")

    @contextmanager
    def _wiping(self) -> Iterator[sqlite3.Connection]:
        connection = self._writable()
        with self._statement():
            connection.execute("PRAGMA secure_delete = ON").fetchall()
            try:
                yield connection
            finally:
                connection.execute("PRAGMA secure_delete = OFF").fetchall()

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        with connected(self.name, "immutable=1" if self._immutable else "mode=ro") as connection:
            try:
                connection.execute("BEGIN")
                yield connection
            except sqlite3.Error as error:
                raise store_failure(error, self.name) from error

    def _insert(self, connection: sqlite3.Connection, key: SessionKey, entries: Sequence[Entry]) -> None:
        rows = [self._row(connection, key, entry) for entry in entries]
        if not rows or connection.executemany(_INSERT, rows).rowcount == len(rows):
            return
        for _, sequence, time_us, kind, data, digest in rows:
            query = "SELECT hash FROM events WHERE session_key = ? AND sequence = ?"
            (stored,) = connection.execute(query, (key, sequence)).fetchone()
            if stored != digest:
                connection.execute(_INSERT_CONFLICT, (key, sequence, digest, time_us, kind, data))

    def _row(self, connection: sqlite3.Connection, key: SessionKey, entry: Entry) -> tuple[SessionKey, int, int, int, bytes, bytes]:
        sequence, time_us, kind, data, digest = entry
        number = self._kinds.get(kind)
        if number is None:
            self._kinds.update(self._register(connection, (kind,)))
            number = self._kinds[kind]
        return key, sequence, time_us, number, data, digest

    @staticmethod
    def _register(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
        """The numbers of the kinds; one that the store does not have yet gets the next number."""
        numbers = {name: number for number, name in reading.kinds(connection).items()}
        missing = [(name,) for name in names if name not in numbers]
        if missing:
            connection.executemany("INSERT INTO kinds (name) VALUES (?) ON CONFLICT DO NOTHING", missing)
            numbers = {name: number for number, name in reading.kinds(connection).items()}
        return numbers


def _identity(path: str) -> tuple[int, int] | None:
    """What tells a file from another one at the same path; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def connected(path: str, query: str) -> Iterator[sqlite3.Connection]:
    """A connection to the file for the time of a block, opened with the URI query (`mode=ro`, `mode=rw`, `immutable=1`)."""
    connection = connect(path, query)
    try:
        yield connection
    finally:
        connection.close()


def connect(path: str, query: str) -> sqlite3.Connection:
    """A connection in autocommit that waits `BUSY_TIMEOUT_MS`; it may move between threads, one at a time."""
    try:
        return sqlite3.connect(
            f"file:{quote(path)}?{query}", uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise store_failure(error, path) from error
