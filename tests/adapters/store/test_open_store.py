"""Where a store lies, how it comes to be, and what is said of a place that holds none."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from recorded_sessions import START_US, calls, recorded, stored
from witnessmark.adapters.store import migrate
from witnessmark.adapters.store.location import default_path, open_store, store_path
from witnessmark.adapters.store.protocol import SessionKey
from witnessmark.adapters.store.sqlite import SqliteStore
from witnessmark.errors import StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreTooNew, UsageError, WitnessmarkError
from witnessmark.model.chain import Entry

# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "environment, platform, expected",
    [
        pytest.param({"WITNESSMARK_STORE": "/x/y.sqlite", "HOME": "/h"}, "linux", "/x/y.sqlite", id="named"),
        pytest.param({"XDG_STATE_HOME": "/s", "HOME": "/h"}, "linux", "/s/witnessmark/evidence.sqlite", id="xdg"),
        pytest.param(
            {"XDG_STATE_HOME": "s", "HOME": "/h"}, "linux", "/h/.local/state/witnessmark/evidence.sqlite", id="relative-xdg-counts-as-unset"
        ),
        pytest.param({"HOME": "/h"}, "linux", "/h/.local/state/witnessmark/evidence.sqlite", id="linux"),
        pytest.param(
            {"HOME": "/h", "XDG_STATE_HOME": "/s"}, "darwin", "/h/Library/Application Support/witnessmark/evidence.sqlite", id="macos"
        ),
    ],
)
def test_the_default_place_is_the_users_state_directory(environment: dict[str, str], platform: str, expected: str) -> None:
    assert default_path(environment, platform) == expected


@pytest.mark.parametrize(
    "where, expected",
    [
        ("a.sqlite", "{cwd}/a.sqlite"),
        ("~/a.sqlite", "/h/a.sqlite"),
        ("/abs/a b.sqlite", "/abs/a b.sqlite"),
        ("sqlite:///a.sqlite", "{cwd}/a.sqlite"),
        ("sqlite:////abs/a%20b.sqlite", "/abs/a b.sqlite"),
    ],
)
def test_paths_and_urls_name_a_file(where: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/h")
    assert str(store_path(where)) == expected.format(cwd=tmp_path)


@pytest.mark.parametrize(
    "where, says",
    [
        ("", "has no name"),
        ("postgresql://db/evidence", "PostgreSQL come with version"),
        ("redis://x", "'redis' are not known"),
        ("sqlite://host/a.sqlite", "named by a path alone"),
        ("sqlite:///", "named by a path alone"),
        ("sqlite:///a.sqlite?mode=ro", "named by a path alone"),
    ],
)
def test_a_name_that_is_no_store_is_refused_with_what_to_write_instead(where: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        open_store(where)
    assert caught.value.hint


# --- a new store -----------------------------------------------------------------------------------------------------


def test_a_new_store_is_for_its_owner_only_with_all_that_lies_beside_it(tmp_path: Path) -> None:
    store = open_store(tmp_path / "state" / "witnessmark" / "evidence.sqlite")
    stored(store, calls(1))
    folder = tmp_path / "state" / "witnessmark"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {
        "evidence.sqlite": 0o600,
        "evidence.sqlite-wal": 0o600,
        "evidence.sqlite-shm": 0o600,
    }
    store.close()


def test_a_file_without_content_becomes_a_store(path: Path) -> None:
    path.touch()
    store = open_store(path)
    _, events = stored(store, calls(1))
    assert list(store.logged("run-1")) == events
    store.close()


def test_the_file_says_what_it_is(path: Path) -> None:
    open_store(path).close()
    connection = sqlite3.connect(path)
    read = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version", "journal_mode", "auto_vacuum")
    }
    assert read == {"application_id": 0x574D524B, "user_version": 1, "journal_mode": "wal", "auto_vacuum": 2}
    assert connection.execute("SELECT version, file FROM migrations").fetchall() == [(1, "0001_evidence.sql")]
    assert all(
        row[5] == 1
        for row in connection.execute("PRAGMA table_list")
        if row[2] == "table" and row[1] not in {"sqlite_schema", "sqlite_temp_schema", "sqlite_sequence"}
    )
    connection.close()


def test_every_migration_file_is_named_in_the_code_and_numbered_without_a_hole() -> None:
    files = sorted(entry.name for entry in (Path(migrate.__file__).parent / "sql").iterdir())
    assert list(migrate.MIGRATIONS) == files
    assert [name[:5] for name in files] == [f"{number:04d}_" for number in range(1, len(files) + 1)]


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(path).close()
    monkeypatch.setattr(migrate, "MIGRATIONS", (*migrate.MIGRATIONS, "0002_broken.sql"))
    monkeypatch.setattr(migrate, "SCHEMA_VERSION", 2)
    monkeypatch.setattr(migrate, "_text", lambda file: "CREATE TABLE half (x INTEGER) STRICT;\nCREATE TABLE half (x INTEGER) STRICT;\n")
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate.migrate(connection, str(path), START_US)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == 1
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").fetchone()[0] == 0
    connection.close()


_WRITER = """
import sys
sys.path[:0] = sys.argv[3:]
from recorded_sessions import calls, stored
from witnessmark.adapters.store.location import open_store
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
store = open_store(sys.argv[1])
for number in range(40):
    stored(store, calls(3), session=f"{sys.argv[2]}/{number}")
store.close()
"""
_PATHS = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3] / "src")]


def test_several_processes_make_one_new_store_at_once_and_none_loses_an_event(path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(path)]
    writers = [subprocess.Popen([*command, f"w{n}", *_PATHS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for n in range(4)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.communicate("go\n")
    assert [writer.returncode for writer in writers] == [0] * 4
    store = open_store(path)
    assert [(run.sessions, run.events) for run in store.runs(START_US)] == [(160, 960)]
    assert sum(1 for _ in store.events("run-1")) == 960
    store.close()


# --- what is not a store ---------------------------------------------------------------------------------------------


def _text_file(path: Path) -> None:
    path.write_text("Dear diary, this is no database, and it must stay as it is.\n" * 100)


def _another_program(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA application_id = 77; CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);")
    connection.close()


def _unmarked_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);")
    connection.close()


def _newer(path: Path) -> None:
    _filled(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def _impossible_version(path: Path) -> None:
    _filled(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 0")
    connection.close()


def _damaged_first_page(path: Path) -> None:
    _filled(path)
    data = bytearray(path.read_bytes())
    data[100:4096] = b"\xff" * 3996
    path.write_bytes(data)


def _filled(path: Path) -> None:
    store = open_store(path)
    stored(store, calls(200))
    store.close()


@pytest.mark.parametrize("write", [True, False], ids=["for-writing", "for-reading"])
@pytest.mark.parametrize(
    "make, error, says",
    [
        (_text_file, StoreCorrupt, "no SQLite database"),
        (_another_program, StoreError, "belongs to another program"),
        (_unmarked_database, StoreError, "belongs to another program"),
        (_newer, StoreTooNew, "schema 99, this version of witnessmark knows 1"),
        (_impossible_version, StoreCorrupt, "schema 0"),
        (_damaged_first_page, StoreCorrupt, "contradict each other"),
    ],
)
def test_what_is_no_store_of_ours_is_named_and_left_as_it_is(
    make: object, error: type[StoreError], says: str, write: bool, path: Path
) -> None:
    make(path)  # type: ignore[operator]
    before = path.read_bytes()
    with pytest.raises(error, match=says) as caught:
        open_store(path, write=write)
    assert type(caught.value) is error
    assert caught.value.where == str(path)
    assert caught.value.hint
    assert path.read_bytes() == before


def test_a_damaged_page_is_found_when_it_is_read(path: Path) -> None:
    _filled(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = b"\xff" * (len(data) - len(data) // 2)
    path.write_bytes(data)
    with pytest.raises(StoreCorrupt, match="contradict each other"):
        list(open_store(path, write=False).events("run-1"))
    assert path.read_bytes() == data


def test_a_directory_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="directory") as caught:
        open_store(tmp_path)
    assert "evidence.sqlite" in caught.value.hint


def test_a_path_through_a_file_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WitnessmarkError, match=r"no store can be made here|must be a file") as caught:
        open_store(tmp_path / "file" / "evidence.sqlite")
    assert caught.value.hint


def test_reading_makes_no_store(path: Path) -> None:
    with pytest.raises(UsageError, match="there is no evidence store"):
        open_store(path, write=False)
    assert not path.exists()


def test_a_store_opened_for_reading_takes_no_events(path: Path) -> None:
    _filled(path)
    store = open_store(path, write=False)
    assert sum(1 for _ in store.events("run-1")) == 400
    with pytest.raises(StoreReadOnly):
        stored(store, calls(1))
    store.close()


# --- a store that cannot be written now --------------------------------------------------------------------------------


def _append_one_by_one(store: SqliteStore, key: SessionKey, entries: list[Entry], acknowledged: list[Entry]) -> None:
    for entry in entries:
        store.append(key, [entry])
        acknowledged.append(entry)


def test_a_full_store_says_so_keeps_nothing_of_the_batch_and_goes_on_when_there_is_room(store: SqliteStore) -> None:
    key, events = stored(store, calls(100))
    writer = store._writer
    assert writer is not None
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")
    entries, expected = recorded(calls(400))
    with pytest.raises(StoreFull, match="no room left"):
        store.append(key, entries[200:])
    acknowledged: list[Entry] = []
    with pytest.raises(StoreFull):  # one at a time fills the last page, then says so
        _append_one_by_one(store, key, entries[200:], acknowledged)
    assert list(store.logged("run-1")) == expected[: len(events) + len(acknowledged)]
    writer.execute("PRAGMA max_page_count = 1000000")
    store.append(key, entries[len(events) + len(acknowledged) :])
    assert list(store.logged("run-1")) == expected


@pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can mount a file system of its own; a full store is tested with max_page_count too"
)
def test_a_full_disk_says_so_and_what_was_acknowledged_stays(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(small)], check=False, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here; a full store is tested with max_page_count too")
    try:
        store = open_store(small / "evidence.sqlite")
        key = store.open_session(source="proxy:files", session="s1", run="run-1", server="files", opened_us=START_US)
        entries, expected = recorded(calls(20_000))
        acknowledged: list[Entry] = []
        with pytest.raises(StoreFull):
            _append_one_by_one(store, key, entries, acknowledged)
        assert list(store.logged("run-1")) == expected[: len(acknowledged)]
        assert len(acknowledged) > 1000
        store.close()
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


@pytest.mark.parametrize("batch", [1, 2], ids=lambda size: f"{size}-at-once")
def test_a_store_that_somebody_holds_is_locked_and_free_again_after(store: SqliteStore, path: Path, batch: int) -> None:
    key, events = stored(store, calls(1))
    entries, expected = recorded(calls(2))
    assert store._writer is not None
    store._writer.execute("PRAGMA busy_timeout = 1").fetchall()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked, match="locked"):
        store.append(key, entries[2 : 2 + batch])
    assert list(store.logged("run-1")) == events
    holder.execute("ROLLBACK")
    store.append(key, entries[2:])
    assert list(store.logged("run-1")) == expected
    holder.close()


# --- permissions: tried as an ordinary user, since root may write anywhere ---------------------------------------------

_NOBODY = 65534


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that an ordinary user can reach, which pytest's own is not when root runs the tests."""
    with tempfile.TemporaryDirectory(prefix="witnessmark-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


def _opened(path: Path, *, write: bool) -> str:
    try:
        store = open_store(path, write=write)
        return f"{sum(1 for _ in store.events('run-1'))} events"
    except WitnessmarkError as error:
        return f"{type(error).__name__}: {error}"


def _as_ordinary_user(path: Path, *, write: bool) -> str:
    """What an ordinary user is told. Root forks for it: another user may not be able to start this interpreter."""
    if os.geteuid() != 0:
        return _opened(path, write=write)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = "the child failed"
        try:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
            answer = _opened(path, write=write)
        finally:
            os.write(writing, answer.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(child, 0)
    return answer


def test_a_file_that_may_not_be_written_is_read_only_and_can_be_read(shared_folder: Path) -> None:
    path = shared_folder / "evidence.sqlite"
    _filled(path)
    path.chmod(0o444)
    shared_folder.chmod(0o555)
    assert "StoreReadOnly" in _as_ordinary_user(path, write=True)
    assert _as_ordinary_user(path, write=False) == "400 events"


def test_a_directory_that_may_not_be_written_takes_no_new_store(shared_folder: Path) -> None:
    shared_folder.chmod(0o555)
    answer = _as_ordinary_user(shared_folder / "evidence.sqlite", write=True)
    assert "StoreReadOnly" in answer
    assert "permissions" in answer


def test_unread_evidence_beside_a_read_only_store_is_not_passed_over(shared_folder: Path) -> None:
    path = shared_folder / "evidence.sqlite"
    store = open_store(path)
    stored(store, calls(2))
    wal = Path(f"{path}-wal").read_bytes()
    store.close()
    Path(f"{path}-wal").write_bytes(wal)
    for file in shared_folder.iterdir():
        file.chmod(0o444)
    shared_folder.chmod(0o555)
    assert "StoreReadOnly" in _as_ordinary_user(path, write=False)
