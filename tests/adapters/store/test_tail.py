"""The tail: what a writer was told is kept is found after its death, whole, in its order and once."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from recorded_sessions import START_US, calls, recorded
from witnessmark.adapters.store import sqlite
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import SessionKey
from witnessmark.adapters.store.sqlite import SqliteStore
from witnessmark.adapters.store.tail import MAX_BYTES, MAX_WAITING, left_behind, open_tail
from witnessmark.errors import StoreLocked
from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import CallStarted
from witnessmark.state.chain_check import verify_chain

WRITER = ("proxy:files", "s1")


def tails(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}-tail*"))


def opened(path: Path) -> tuple[SqliteStore, SessionKey]:
    store = open_store(path, writer_of=WRITER)
    return store, store.open_session(source=WRITER[0], session=WRITER[1], run="run-1", server="files", opened_us=START_US)


def hashes(path: Path, *, write: bool = False) -> list[bytes]:
    store = open_store(path, write=write)
    try:
        assert {found.problem for found in verify_chain(store.logged("run-1"))} <= {"unattested"}
        return [logged.hash for logged in store.logged("run-1")]
    finally:
        store.close()


def hashes_of(entries: list[Entry]) -> list[bytes]:
    return [entry.hash for entry in entries]


def abandoned(path: Path, entries: list[Entry]) -> Path:
    """A store whose writer died before these entries reached it, and its tail."""
    store, _ = opened(path)
    store.close()
    tail = open_tail(path, *WRITER)
    assert tail is not None
    assert tail.keep(entries)
    tail.close()
    (left,) = tails(path)
    return left


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("settled", [0, 5, 9])
def test_what_a_killed_writer_was_told_is_kept_is_read(tmp_path: Path, settled: int, *, write: bool) -> None:
    path = tmp_path / "e.db"
    script = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from recorded_sessions import START_US, calls, recorded
from witnessmark.adapters.store.location import open_store
store = open_store({str(path)!r}, writer_of={WRITER!r})
key = store.open_session(source="proxy:files", session="s1", run="run-1", server="files", opened_us=START_US)
for number, entry in enumerate(recorded(calls(6))[0]):
    store.append(key, [entry])
    if number < {settled}:
        store.settle()
print("kept", flush=True)
time.sleep(60)
"""
    writer = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"kept\n"
    entries = recorded(calls(6))[0]
    # While it lives, readers see what it settled, and leave its tail alone.
    assert hashes(path, write=write) == hashes_of(entries[:settled])
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    assert hashes(path, write=write) == hashes_of(entries)
    assert tails(path) == []


def test_a_writer_that_ends_well_leaves_no_tail(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(3))[0]
    store, key = opened(path)
    store.append(key, entries)
    assert (store.unsettled, len(tails(path))) == (True, 1)
    assert tails(path)[0].stat().st_mode & 0o777 == 0o600
    store.close()
    assert tails(path) == []
    assert hashes(path) == hashes_of(entries)


def test_closing_the_session_puts_what_waits_before_the_last_word(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(2), close=True)[0]
    store, key = opened(path)
    store.append(key, entries[:-1])
    store.close_session(key, entries[-1].time_us, entries[-1:])
    store.close()
    assert hashes(path) == hashes_of(entries)


def test_a_tail_that_is_full_goes_to_the_store_with_what_comes(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(MAX_WAITING))[0]
    store, key = opened(path)
    for entry in entries[: MAX_WAITING + 1]:
        store.append(key, [entry])
    assert not store.unsettled
    assert hashes(path) == hashes_of(entries[: MAX_WAITING + 1])
    store.close()


def test_what_is_too_big_for_a_tail_goes_to_the_store(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    recorder = Recorder(*WRITER, "run-1")
    small, big = (recorder.record(CallStarted(tool="t" * size), START_US) for size in (10, MAX_BYTES))
    store, key = opened(path)
    store.append(key, [small])
    store.append(key, [big])
    assert hashes(path) == [small.hash, big.hash]
    store.close()


def test_a_torn_tail_gives_a_prefix(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(3))[0]
    whole = abandoned(path, entries).read_bytes()
    seen = set()
    for size in range(len(whole) + 1):
        tails(path)[0].write_bytes(whole[:size])
        found = [left.entries for left in left_behind(path)]
        count = len(found[0]) if found else 0
        assert found in ([], [entries[:count]])
        seen.add(count)
        assert tails(path) == []
        (tmp_path / "e.db-tail1-x").touch()
    assert seen == set(range(len(entries) + 1))


def test_a_damaged_tail_gives_no_entry_that_was_not_written(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(2))[0]
    left = abandoned(path, entries)
    whole = left.read_bytes()
    for at in range(len(whole)):
        left.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        for one in left_behind(path):
            assert (one.source, one.session) == WRITER
            assert one.entries == entries[: len(one.entries)]
            assert len(one.entries) < len(entries)


def test_records_of_an_earlier_round_behind_the_end_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(8))[0]
    store, key = opened(path)
    store.append(key, entries[:10])
    store.settle()
    store.append(key, entries[10:11])
    copy = tails(path)[0].read_bytes()
    store.close()
    (tmp_path / "e.db-tail1-dead").write_bytes(copy)
    assert hashes(path) == hashes_of(entries[:11])


def test_a_tail_that_is_taken_over_twice_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(3))[0]
    left = abandoned(path, entries)
    shutil.copy(left, tmp_path / "again")
    assert hashes(path) == hashes_of(entries)
    shutil.copy(tmp_path / "again", left)
    assert hashes(path) == hashes_of(entries)


def test_a_tail_whose_session_is_gone_is_dropped(tmp_path: Path) -> None:
    path, other = tmp_path / "e.db", tmp_path / "other.db"
    left = abandoned(path, recorded(calls(3))[0])
    open_store(other).close()
    left.rename(tmp_path / "other.db-tail1-0")
    assert hashes(other, write=True) == []
    assert tails(other) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_tail_of_somebody_else_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    left = abandoned(path, recorded(calls(3))[0])
    os.chown(left, 12345, 12345)
    assert hashes(path, write=True) == []
    assert tails(path) == [left]


def test_what_is_named_like_a_tail_and_is_none_stops_nobody(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    entries = recorded(calls(3))[0]
    abandoned(path, entries)
    os.mkfifo(tmp_path / "e.db-tail1-fifo")
    (tmp_path / "e.db-tail1-folder").mkdir()
    (tmp_path / "e.db-tail1-link").symlink_to("/dev/zero")
    (tmp_path / "e.db-tail1-empty").touch()
    (tmp_path / "e.db-tail1-junk").write_bytes(b"junk" * 100)
    assert hashes(path) == hashes_of(entries)


def test_what_a_locked_store_does_not_take_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 0)
    path = tmp_path / "e.db"
    entries = recorded(calls(2))[0]
    store, key = opened(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.append(key, entries[:2])
    with pytest.raises(StoreLocked):
        store.settle()
    assert not store.unsettled  # it is left alone for a while
    store.append(key, entries[2:])
    other.execute("ROLLBACK")
    other.close()
    store.settle()
    assert hashes(path) == hashes_of(entries)
    store.close()


def test_with_durability_power_each_entry_is_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    store = open_store(path, durability="power", writer_of=WRITER)
    assert (type(store), tails(path)) == (SqliteStore, [])
    store.close()
