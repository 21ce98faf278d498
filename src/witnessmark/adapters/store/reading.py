"""Reads sessions and events out of a SQLite store, through a connection that holds one snapshot.

Every query goes by the key of a session or by the index over runs: what a run costs to read does not depend on other runs.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from witnessmark.adapters.store.protocol import Cursor, Dropped, Head, RunSummary, SessionKey, SessionSummary
from witnessmark.model.chain import GENESIS, link
from witnessmark.model.evidence import EffectDeclared, decode_fact
from witnessmark.state.order import Logged, logged_event

_SESSIONS_OF_RUN: Final = """
SELECT key, source, session, run, server, opened_us, closed_us, beat_us, count, head FROM session_states
WHERE run = ? AND key NOT IN (SELECT session_key FROM retention) ORDER BY opened_us, key
"""
_SESSIONS: Final = """
SELECT key, source, session, run, server, opened_us, closed_us, beat_us, count, head FROM session_states
WHERE (?1 IS NULL OR run IN (SELECT run FROM sessions WHERE server = ?1)) AND key NOT IN (SELECT session_key FROM retention)
ORDER BY opened_us, key
"""
_OPEN_SESSIONS: Final = """
SELECT key, source, session, run, server, opened_us, closed_us, beat_us, count, head FROM session_states
WHERE server = ? AND closed_us IS NULL AND key NOT IN (SELECT session_key FROM retention) ORDER BY opened_us DESC, key DESC
"""
_HEAD: Final = "SELECT count, head FROM session_states WHERE key = ?"
_EVENTS: Final = "SELECT sequence, time_us, kind, data, hash FROM events WHERE session_key = ? ORDER BY sequence"
_CONFLICTS: Final = "SELECT sequence, time_us, kind, data, hash FROM conflicts WHERE session_key = ? ORDER BY sequence, time_us, hash"
_HASHES: Final = """
SELECT hash FROM events WHERE session_key = ?1 AND sequence = ?2
UNION SELECT hash FROM conflicts WHERE session_key = ?1 AND sequence = ?2
"""
_DROPPED: Final = "SELECT run, sessions, events, opened_us, last_us, dropped_us, why FROM dropped ORDER BY id DESC"
_RECEIPTS_SINCE: Final = "SELECT key, closed_us FROM sessions WHERE run = ? AND key > ? AND source GLOB 'receipt:*' ORDER BY key"
_CLOSED: Final = "SELECT closed_us FROM sessions WHERE key = ?"
_OF_KIND: Final = """
SELECT data FROM events WHERE session_key = ? AND kind = (SELECT kind FROM kinds WHERE name = ?) ORDER BY sequence
"""
_BATCH_ROWS: Final = 256
"""Rows fetched at a time of each session: some 64 kB, so that memory grows with the number of sessions, not of events."""

_NO_KIND: Final = "unknown"
"""The name of a kind whose row is gone: its events then fail against their hash and are read as gaps."""

_in_session = attrgetter("sequence", "time_us", "hash")


def kinds(connection: sqlite3.Connection) -> dict[int, str]:
    """The names of the kinds by their number in this store."""
    return dict(connection.execute("SELECT kind, name FROM kinds"))


def sessions_of(connection: sqlite3.Connection, run: str) -> list[SessionSummary]:
    """The sessions of a run, in the order in which they were opened."""
    return [_session(row) for row in connection.execute(_SESSIONS_OF_RUN, (run,))]


def head_of(connection: sqlite3.Connection, key: SessionKey) -> Head | None:
    """Where the session's chain stands; None for a session that is not there."""
    row = connection.execute(_HEAD, (key,)).fetchone()
    return Head(*row) if row is not None else None


def runs_of(connection: sqlite3.Connection, now_us: int, server: str | None, silence_s: float) -> list[RunSummary]:
    """Every run, or those in which `server` took part, newest first."""
    groups: dict[str, list[SessionSummary]] = {}
    for row in connection.execute(_SESSIONS, (server,)):
        session = _session(row)
        groups.setdefault(session.run, []).append(session)
    found = [_run(run, group, now_us, silence_s) for run, group in groups.items()]
    return sorted(found, key=lambda run: (run.opened_us, run.run), reverse=True)


def live_runs_of(connection: sqlite3.Connection, server: str, now_us: int, silence_s: float) -> list[str]:
    """The runs with a living observer of `server`, that of the newest session first."""
    sessions = map(_session, connection.execute(_OPEN_SESSIONS, (server,)))
    return list(dict.fromkeys(session.run for session in sessions if session.alive(now_us, silence_s)))


def dropped_of(connection: sqlite3.Connection) -> list[Dropped]:
    """Everything that was ever deleted, newest first."""
    return [Dropped(*row) for row in connection.execute(_DROPPED)]


def declarations_of(connection: sqlite3.Connection, run: str, since: Cursor) -> tuple[Cursor, list[EffectDeclared]]:
    """The declarations in receipts of the run since the cursor; what a declaration costs to find does not depend on others."""
    finished: list[SessionKey] = []
    unfinished: set[SessionKey] = set()
    for key in sorted(since.unfinished):
        row = connection.execute(_CLOSED, (key,)).fetchone()
        if row is not None:
            (finished.append if row[0] is not None else unfinished.add)(key)
    after = since.after
    for number, closed_us in connection.execute(_RECEIPTS_SINCE, (run, since.after)):
        after = SessionKey(number)
        (finished.append if closed_us is not None else unfinished.add)(after)
    found: list[EffectDeclared] = []
    for key in finished:
        for (data,) in connection.execute(_OF_KIND, (key, EffectDeclared.KIND)):
            fact = decode_fact(EffectDeclared.KIND, data)
            if isinstance(fact, EffectDeclared):
                found.append(fact)
    return Cursor(after, frozenset(unfinished)), found


def streams_of(connection: sqlite3.Connection, sessions: list[SessionSummary]) -> list[Iterator[Logged]]:
    """The events of each session in its own order, fetched as they are asked for."""
    names = kinds(connection)
    return [_session_events(connection, session, names) for session in sessions]


def _session_events(connection: sqlite3.Connection, session: SessionSummary, names: dict[int, str]) -> Iterator[Logged]:
    if connection.execute("SELECT 1 FROM conflicts WHERE session_key = ? LIMIT 1", (session.key,)).fetchone() is None:
        return _first_events(connection, session, names)
    return heapq.merge(_first_events(connection, session, names), _conflicting_events(connection, session, names), key=_in_session)


def _first_events(connection: sqlite3.Connection, session: SessionSummary, names: dict[int, str]) -> Iterator[Logged]:
    cursor = connection.execute(_EVENTS, (session.key,))
    source, name, run = session.source, session.session, session.run
    expected, prev = 0, GENESIS
    while rows := cursor.fetchmany(_BATCH_ROWS):
        for sequence, time_us, kind, data, digest in rows:
            known = prev if sequence == expected else b""
            yield logged_event(source, name, sequence, run, time_us, names.get(kind, _NO_KIND), data, known, digest)
            expected, prev = sequence + 1, digest


def _conflicting_events(connection: sqlite3.Connection, session: SessionSummary, names: dict[int, str]) -> Iterator[Logged]:
    """The other events under existing numbers. The previous hash is that of the predecessor to which it links, if any."""
    source, name, run = session.source, session.session, session.run
    for sequence, time_us, number, data, digest in connection.execute(_CONFLICTS, (session.key,)):
        kind = names.get(number, _NO_KIND)
        candidates = _hashes(connection, session.key, sequence - 1)
        prev = next((prev for prev in candidates if link(prev, name, sequence, time_us, kind, data) == digest), b"")
        yield logged_event(source, name, sequence, run, time_us, kind, data, prev, digest)


def _hashes(connection: sqlite3.Connection, key: SessionKey, sequence: int) -> list[bytes]:
    if sequence < 0:
        return [GENESIS]
    return [row[0] for row in connection.execute(_HASHES, (key, sequence))]


def _session(row: tuple[int, str, str, str, str, int, int | None, int, int, bytes]) -> SessionSummary:
    key, source, session, run, server, opened_us, closed_us, beat_us, count, head = row
    return SessionSummary(SessionKey(key), source, session, run, server, opened_us, closed_us, beat_us, Head(count, head))


def _run(run: str, sessions: list[SessionSummary], now_us: int, silence_s: float) -> RunSummary:
    return RunSummary(
        run=run,
        servers=tuple(dict.fromkeys(session.server for session in sessions if session.server)),
        sessions=len(sessions),
        events=sum(session.head.events for session in sessions),
        opened_us=min(session.opened_us for session in sessions),
        last_us=max(session.beat_us for session in sessions),
        closed=all(session.closed_us is not None for session in sessions),
        live=any(session.alive(now_us, silence_s) for session in sessions),
    )
