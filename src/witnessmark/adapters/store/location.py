"""Finds, makes and opens the evidence store: a path, a `sqlite:///` URL, or the default place of the user.

A file that is there is never overwritten, whatever is in it; a new one is readable by its owner only.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from witnessmark.adapters.store.failures import store_failure
from witnessmark.adapters.store.migrate import SCHEMA_VERSION, migrate, schema_version
from witnessmark.adapters.store.protocol import Durability
from witnessmark.adapters.store.sqlite import BUSY_TIMEOUT_MS, SqliteStore, connect, connected
from witnessmark.adapters.store.tail import left_behind, open_tail
from witnessmark.adapters.store.tailed import TailedStore
from witnessmark.errors import StoreError, StoreReadOnly, UsageError, WitnessmarkError

VARIABLE: Final = "WITNESSMARK_STORE"
FILE_NAME: Final = "evidence.sqlite"

_SYNCHRONOUS: Final[dict[Durability, str]] = {"process": "NORMAL", "power": "FULL"}
_PAGE_BYTES: Final = 2_048
_CHECKPOINT_PAGES: Final = 8_192
"""8 MiB of log between two checkpoints. Each one waits for the disk, and a call waits with it; SQLite's own 1,000 pages would
be one wait for every few hundred calls."""
_JOURNAL_LIMIT_BYTES: Final = 16 * 1024 * 1024
"""What the write-ahead log may keep of the disk after a long reader let it grow; it holds 4 MB in ordinary work."""
_RETRY_S: Final = 0.01
"""Pause between two attempts to switch a new file to write-ahead logging, which SQLite itself does not wait for."""


def default_path(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """Where the store lies unless told: `$WITNESSMARK_STORE`, else a file in the user's state directory."""
    known = os.environ if environment is None else environment
    if named := known.get(VARIABLE):
        return named
    home = Path(known.get("HOME") or Path.home())
    if platform == "darwin":
        folder = home / "Library" / "Application Support" / "witnessmark"
    else:
        # XDG base directory specification 0.8: a relative path is invalid and counts as unset.
        state = known.get("XDG_STATE_HOME", "")
        folder = (Path(state) if Path(state).is_absolute() else home / ".local" / "state") / "witnessmark"
    return str(folder / FILE_NAME)


def store_path(where: str) -> Path:
    """The absolute path of the file that a path or `sqlite:///` URL names. UsageError for any other kind of store."""
    scheme, separator, _ = where.partition("://")
    if not separator:
        if not where:
            raise UsageError("the store has no name", where="--store", hint="give a path, or nothing for the default place")
        return Path(where).expanduser().absolute()
    if scheme in {"postgresql", "postgres"}:
        raise UsageError("stores in PostgreSQL come with version 0.3", where="--store", hint="give a path or sqlite:///file for now")
    if scheme != "sqlite":
        raise UsageError(f"stores of the kind {scheme!r} are not known", where="--store", hint="give a path or sqlite:///file")
    url = urlsplit(where)
    path = unquote(url.path)
    if url.netloc or url.query or url.fragment or path in {"", "/"}:
        hint = "write sqlite:///file, sqlite:////absolute/file or a plain path"
        raise UsageError("a SQLite store is named by a path alone", where="--store", hint=hint)
    # sqlite:///file is relative, sqlite:////file absolute, as SQLAlchemy made it customary.
    return Path(path[1:]).absolute()


def open_store(
    where: str | os.PathLike[str] | None = None,
    *,
    durability: Durability = "process",
    write: bool = True,
    writer_of: tuple[str, str] | None = None,
) -> SqliteStore:
    """The store at a path or URL, or at the default place; made if it is not there and `write` is asked for.

    With `write=False` nothing is made, and a file that cannot be written can still be read. What a dead writer left in its
    tail (tail.py) is put into the store. `writer_of` (source, session) says that this store is opened to write that session and
    that its owner will call `settle`: with durability "process" it then has a tail of its own. Raises UsageError
    for a name that is no store, StoreReadOnly, StoreFull, StoreLocked, StoreCorrupt or StoreTooNew for what is there.
    """
    path = store_path(default_path() if where is None else os.fspath(where))
    try:
        folder = path.is_dir()
    except OSError as error:  # a name that is too long, or a loop of links
        raise UsageError(f"cannot be a store: {error.strerror}", where="--store", hint="give another path") from error
    if folder:
        raise UsageError("this is a directory", where=str(path), hint=f"name a file in it, as {path / FILE_NAME}")
    return _open_for_writing(path, durability, writer_of) if write else _open_for_reading(path)


def _open_for_writing(path: Path, durability: Durability, writer_of: tuple[str, str] | None) -> SqliteStore:
    name = str(path)
    _make_file(path)
    # mode=rw falls back to reading without a word; a store that cannot be written must say so before the first event.
    if not os.access(path, os.W_OK):
        raise StoreReadOnly("the store cannot be written", where=name, hint="check owner and permissions, or name another store")
    connection = connect(name, "mode=rw")
    try:
        _prepare(connection, name, durability)
        store = SqliteStore(name, connection)
        for left in left_behind(path):
            store.take_over(left)
        tail = open_tail(path, *writer_of) if writer_of is not None and durability == "process" else None
        return store if tail is None else TailedStore(name, connection, tail)
    except sqlite3.Error as error:
        connection.close()
        raise store_failure(error, name) from error
    except BaseException:
        connection.close()
        raise


def _open_for_reading(path: Path) -> SqliteStore:
    name = str(path)
    if not path.exists():
        raise UsageError("there is no evidence store", where=name, hint="name one with --store, or observe something first")
    immutable = False
    try:
        version = _version_read(name, "mode=ro")
    except WitnessmarkError:
        # A write-ahead log wants a shared index beside the file. On a medium that cannot be written there is no writer
        # either, and the file alone is the whole store if its log is empty.
        if os.access(path.parent, os.W_OK):
            raise
        if _size_bytes(Path(f"{path}-wal")):
            raise StoreReadOnly(
                "the newest evidence lies in the -wal file, which cannot be read without write permission",
                where=name,
                hint="copy the store and its -wal file to a place that you can write",
            ) from None
        immutable = True
        version = _version_read(name, "immutable=1")
    if version != SCHEMA_VERSION:
        hint = "start a proxy on it once: that brings it up to date"
        raise StoreError(f"the store has schema {version}, not {SCHEMA_VERSION}", where=name, hint=hint)
    store = SqliteStore(name, None, immutable=immutable)
    if not immutable and os.access(path, os.W_OK):
        # A reader that cannot do this misses the last words of a log that was never closed, which is judged as such.
        with suppress(WitnessmarkError, OSError):
            _take_over_tails(path)
    return store


def _take_over_tails(path: Path) -> None:
    for left in left_behind(path):
        with connected(str(path), "mode=rw") as connection:
            _prepare(connection, str(path), "process")
            SqliteStore(str(path), connection).take_over(left)


def _version_read(name: str, query: str) -> int:
    try:
        with connected(name, query) as connection:
            return schema_version(connection, name)
    except sqlite3.Error as error:
        raise store_failure(error, name) from error


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _make_file(path: Path) -> None:
    """An empty file for the owner only, and its directory; SQLite gives the files beside it the same permissions."""
    name = str(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))
    except FileExistsError:
        if not path.is_file():
            raise UsageError("the store must be a file in a directory", where=name, hint="name another path with --store") from None
    except PermissionError as error:
        raise StoreReadOnly(
            "no store can be made here", where=name, hint="check the directory's permissions, or name another store"
        ) from error
    except OSError as error:
        raise StoreError(f"no store can be made here ({error.strerror})", where=name, hint="name another path with --store") from error


def _prepare(connection: sqlite3.Connection, path: str, durability: Durability) -> None:
    version = schema_version(connection, path)
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT_BYTES}").fetchall()
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}").fetchall()
    if version == 0:
        # Before the first page. A commit writes whole pages into the log: small ones make each append cheaper (14 us against
        # 17 us here) and the log's checkpoints rarer. And retention can give room back without a copy of the whole file.
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _use_write_ahead_log(connection)
    if version < SCHEMA_VERSION:
        migrate(connection, path, time.time_ns() // 1000)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Several proxies may meet at a new file: the switch needs it alone, and SQLite gives up on it at once."""
    give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_RETRY_S)
        else:
            return
