"""Deleting runs: whole ones, by name or by age, never one at work, and never without a record."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from recorded_sessions import SECOND_US, START_US, calls, recorded, stored
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import Dropped
from witnessmark.adapters.store.sqlite import SqliteStore
from witnessmark.errors import UsageError
from witnessmark.model.chain import Entry

DAY_US = 86_400 * SECOND_US
LATER_US = START_US + 100 * SECOND_US


def test_a_deleted_run_is_gone_and_its_deletion_stays_on_record(store: SqliteStore) -> None:
    stored(store, calls(2), close=True)
    stored(store, calls(3), session="s2", source="proxy:mail")
    _, others = stored(store, calls(1), session="s3", run="run-2")
    record = store.delete_run("run-1", LATER_US, "asked for")
    assert record == Dropped("run-1", 2, 11, START_US, START_US + 5000, LATER_US, "asked for")
    assert store.dropped() == [record]
    assert list(store.events("run-1")) == []
    assert [run.run for run in store.runs(LATER_US)] == ["run-2"]
    assert list(store.logged("run-2")) == others


def test_both_sides_of_an_equivocation_are_deleted_and_counted(store: SqliteStore) -> None:
    key, _ = stored(store, calls(1))
    entries, _ = recorded(calls(1, start_us=START_US + 5))
    store.append(key, entries)
    assert store.delete_run("run-1", LATER_US).events == 4


def test_a_run_at_work_is_not_deleted(store: SqliteStore) -> None:
    _, events = stored(store, calls(1))
    with pytest.raises(UsageError, match="being observed"):
        store.delete_run("run-1", START_US + SECOND_US)
    assert list(store.logged("run-1")) == events
    assert store.dropped() == []


def test_a_run_that_is_not_there_cannot_be_deleted(store: SqliteStore) -> None:
    with pytest.raises(UsageError, match="no run 'nobody'"):
        store.delete_run("nobody", LATER_US)
    assert store.dropped() == []


@pytest.mark.parametrize(
    "max_age_s, kept",
    [
        pytest.param(3 * 86_400, ["new", "middle", "old"], id="nothing-is-older"),
        pytest.param(1.5 * 86_400, ["new", "middle"], id="one-is-older"),
        pytest.param(86_400 / 2, ["new"], id="two-are-older"),
        pytest.param(0, ["new"], id="a-run-at-work-always-stays"),
    ],
)
def test_retention_drops_the_runs_whose_last_sign_of_life_is_older(store: SqliteStore, max_age_s: float, kept: list[str]) -> None:
    now_us = START_US + 2 * DAY_US
    stored(store, calls(1), session="a", run="old", close=True)
    stored(store, calls(1, start_us=START_US + DAY_US), session="b", run="middle")
    stored(store, calls(1, start_us=now_us - SECOND_US), session="c", run="new")
    dropped = store.retain(max_age_s, now_us)
    assert [run.run for run in store.runs(now_us)] == kept
    assert {record.run for record in dropped} == {"old", "middle", "new"} - set(kept)
    assert store.dropped() == dropped[::-1]
    assert all(record.why == f"older than {max_age_s:g} s" for record in dropped)


def test_a_young_session_keeps_the_older_ones_of_its_run(store: SqliteStore) -> None:
    stored(store, calls(1), session="a", close=True)
    stored(store, calls(1, start_us=START_US + DAY_US), session="b", close=True)
    assert store.retain(3600, START_US + DAY_US + SECOND_US) == []
    assert len(store.sessions("run-1")) == 2


def test_deletion_gives_room_back_and_leaves_no_trace_of_what_was_deleted(path: Path) -> None:
    store = open_store(path)
    key = store.open_session(source="proxy:files", session="s1", run="run-1", server="files", opened_us=START_US)
    store.append(key, [Entry(number, START_US, "call.started", b'{"tool":"very_recognisable"}' * 5, bytes(32)) for number in range(5000)])
    _, kept = stored(store, calls(1), session="s2", run="run-2")
    assert sum(b"very_recognisable" in file.read_bytes() for file in path.parent.iterdir()) >= 1
    before = path.stat().st_size + Path(f"{path}-wal").stat().st_size
    store.delete_run("run-1", LATER_US)
    after = path.stat().st_size + Path(f"{path}-wal").stat().st_size
    assert after < before / 10
    assert not any(b"very_recognisable" in file.read_bytes() for file in path.parent.iterdir())
    assert list(store.logged("run-2")) == kept
    store.close()


def test_a_reader_at_work_sees_its_run_to_the_end_though_it_is_deleted_meanwhile(store: SqliteStore) -> None:
    _, events = stored(store, calls(600), close=True)
    reading = store.logged("run-1")
    found = [next(reading)]
    store._writer.execute("PRAGMA busy_timeout = 1").fetchall()  # type: ignore[union-attr]
    store.delete_run("run-1", LATER_US)
    assert found + list(reading) == events
    assert list(store.logged("run-1")) == []


def test_the_key_of_a_deleted_session_is_never_given_to_another(store: SqliteStore) -> None:
    key, _ = stored(store, calls(1))
    store.delete_run("run-1", LATER_US)
    again, _ = stored(store, calls(1))
    assert again != key


def test_the_record_of_a_deletion_cannot_be_taken_back(store: SqliteStore, path: Path) -> None:
    stored(store, calls(1))
    store.delete_run("run-1", LATER_US)
    connection = sqlite3.connect(path)
    for statement in ("DELETE FROM dropped", "UPDATE dropped SET events = 0"):
        with pytest.raises(sqlite3.IntegrityError, match="stays"):
            connection.execute(statement)
    connection.close()


def test_a_deletion_that_fails_deletes_nothing(store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from witnessmark.adapters.store import retention

    _, events = stored(store, calls(2))
    monkeypatch.setattr(retention, "_RECORD", "INSERT INTO nowhere VALUES (?, ?, ?, ?, ?, ?, ?)")
    with pytest.raises(Exception, match="nowhere"):
        store.delete_run("run-1", LATER_US)
    assert list(store.logged("run-1")) == events
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM events")
    connection.close()


@pytest.mark.parametrize("after_steps", [0, 1, 3, 4, 5])
def test_a_deletion_cut_short_is_hidden_at_once_and_finished_by_the_next(
    path: Path, monkeypatch: pytest.MonkeyPatch, after_steps: int
) -> None:
    from witnessmark.adapters.store import retention

    store = open_store(path)
    stored(store, calls(10), session="s1")
    stored(store, calls(10), session="s2")
    _, kept = stored(store, calls(1, start_us=LATER_US), session="s3", run="run-2")
    steps = iter(range(after_steps))
    step = retention._step

    def cut_short(key: int, transaction: retention.Transaction) -> bool:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return step(key, transaction)

    with monkeypatch.context() as patch:
        patch.setattr(retention, "_STEP_EVENTS", 8)
        patch.setattr(retention, "_step", cut_short)
        with pytest.raises(KeyboardInterrupt):
            store.delete_run("run-1", LATER_US)
    assert [(record.run, record.events) for record in store.dropped()] == [("run-1", 40)]
    assert list(store.events("run-1")) == []
    assert [run.run for run in store.runs(LATER_US)] == ["run-2"]
    assert store.live_runs("files", LATER_US, silence_s=3600) == ["run-2"]
    if after_steps < 4:  # the first session is gone after four steps: three of events, one of the rest
        with pytest.raises(UsageError, match="is being deleted"):
            store.open_session(source="proxy:files", session="s1", run="run-1", server="files", opened_us=START_US)
    store.close()
    again = open_store(path)
    assert again.retain(10**6, LATER_US) == []
    assert list(again.logged("run-2")) == kept
    again.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM events").fetchone()[0] == len(kept)
    assert connection.execute("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM retention)").fetchone() == (1, 0)
    connection.close()
