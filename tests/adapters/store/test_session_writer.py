"""A session's writer: what could not be written is stated before anything else is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from recorded_sessions import SECOND_US, START_US
from witnessmark.adapters.store.protocol import Head
from witnessmark.adapters.store.sqlite import SqliteStore
from witnessmark.adapters.store.writer import SessionWriter
from witnessmark.errors import StoreError, StoreFull, StoreLocked
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import CallStarted, EvidenceClosed, EvidenceGap, Fact
from witnessmark.state.chain_check import verify_chain


def _writer(store: SqliteStore) -> SessionWriter:
    return SessionWriter(store, Recorder("proxy:files", "s1", "run-1"), server="files", opened_us=START_US)


def _call(number: int) -> Fact:
    return CallStarted(server="files", id=str(number), tool="t" * 100)


@contextmanager
def _full(store: SqliteStore, path: Path) -> Iterator[None]:
    writer = store._writer
    assert writer is not None
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    yield
    writer.execute("PRAGMA max_page_count = 1000000").fetchall()


@contextmanager
def _locked(store: SqliteStore, path: Path) -> Iterator[None]:
    assert store._writer is not None
    store._writer.execute("PRAGMA busy_timeout = 1").fetchall()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    yield
    holder.execute("ROLLBACK")
    holder.close()


def test_facts_become_events_of_one_chain(store: SqliteStore) -> None:
    writer = _writer(store)
    writer.write([_call(0)], START_US)
    writer.write([_call(1), _call(2)], START_US + 1)
    writer.close(START_US + 2, [_call(3)])
    events = list(store.events("run-1"))
    assert [event.fact for event in events[:-1]] == [_call(number) for number in range(4)]
    assert isinstance(events[-1].fact, EvidenceClosed)
    assert list(verify_chain(store.logged("run-1"))) == []
    assert [(session.closed_us, session.head.events) for session in store.sessions("run-1")] == [(START_US + 2, 5)]


@pytest.mark.parametrize(
    "failing, error, reason",
    [(_full, StoreFull, "store_full"), (_locked, StoreLocked, "store_locked")],
)
def test_what_was_lost_is_counted_and_stated_first_once_writing_works_again(
    store: SqliteStore,
    path: Path,
    failing: Callable[[SqliteStore, Path], AbstractContextManager[None]],
    error: type[StoreError],
    reason: str,
) -> None:
    writer = _writer(store)
    writer.write([_call(0)], START_US)
    with failing(store, path):
        for number in range(3):
            with pytest.raises(error):
                writer.write([_call(100 + number)] * 200, START_US + number)
        assert writer.lost == 600
    writer.write([_call(1)], START_US + 10)
    assert writer.lost == 0
    writer.write([_call(2)], START_US + 11)
    facts = [event.fact for event in store.events("run-1")]
    assert facts == [_call(0), EvidenceGap(reason=reason, count=600), _call(1), _call(2)]
    assert [event.sequence for event in store.events("run-1")] == [0, 1, 2, 3]
    assert {finding.problem for finding in verify_chain(store.logged("run-1"))} == {"gap", "unattested"}


def test_a_session_that_cannot_be_closed_stays_open_and_can_be_closed_later(store: SqliteStore, path: Path) -> None:
    writer = _writer(store)
    with _locked(store, path), pytest.raises(StoreLocked):
        writer.close(START_US, [_call(0)])
    assert not writer.recorder.closed
    assert store.sessions("run-1")[0].closed_us is None
    writer.close(START_US + 1)
    assert next(store.events("run-1")).fact == EvidenceGap(reason="store_locked", count=1)
    assert {finding.problem for finding in verify_chain(store.logged("run-1"))} == {"gap"}


def test_facts_lost_before_they_came_here_are_stated_too(store: SqliteStore) -> None:
    writer = _writer(store)
    writer.note_lost(7, "queue_full")
    writer.write([_call(0)], START_US)
    assert [event.fact for event in store.events("run-1")] == [EvidenceGap(reason="queue_full", count=7), _call(0)]


def test_an_observer_that_lost_facts_does_not_pass_for_a_silent_one(store: SqliteStore, path: Path) -> None:
    writer = _writer(store)
    writer.write([_call(0)], START_US)
    with _locked(store, path), pytest.raises(StoreLocked):
        writer.write([_call(1)], START_US)
    writer.beat(START_US + SECOND_US)
    assert store.sessions("run-1")[0].beat_us == START_US
    writer.write([], START_US + SECOND_US)
    assert store.sessions("run-1")[0].head.events == 2
    writer.beat(START_US + 2 * SECOND_US)
    assert store.sessions("run-1")[0].beat_us == START_US + 2 * SECOND_US


def test_a_session_goes_on_where_another_process_left_it(store: SqliteStore) -> None:
    first = _writer(store)
    first.write([_call(0), _call(1)], START_US)
    head: Head = store.head(first.key)
    second = SessionWriter(
        store, Recorder("proxy:files", "s1", "run-1", sequence=head.events, head=head.hash), server="files", opened_us=START_US
    )
    second.close(START_US + 1, [_call(2)])
    assert list(verify_chain(store.logged("run-1"))) == []
    assert len(list(store.events("run-1"))) == 4
