"""Brings a SQLite file to the schema of this version: numbered SQL files, each in one transaction with its record.

`PRAGMA user_version` counts the files that were applied; `application_id` says that the file is ours.
"""

from __future__ import annotations

import pkgutil
import sqlite3
from collections.abc import Iterator
from typing import Final

from witnessmark.errors import StoreCorrupt, StoreError, StoreTooNew

APPLICATION_ID: Final = 0x574D_524B
"""Names our files to `file(1)` and keeps us from writing into another program's database ("WMRK")."""

MIGRATIONS: Final = ("0001_evidence.sql",)
"""The files of sql/ in the order in which they apply; named here, so that opening a store reads no directory."""

SCHEMA_VERSION: Final = len(MIGRATIONS)

_RECORDS: Final = "CREATE TABLE migrations (version INTEGER PRIMARY KEY, file TEXT NOT NULL, applied_us INTEGER NOT NULL) STRICT"


def schema_version(connection: sqlite3.Connection, name: str) -> int:
    """The version of the schema in the file, 0 for an empty one.

    Raises StoreTooNew for a later version than ours, StoreError for another program's database, StoreCorrupt for a number
    that we never wrote.
    """
    application: int = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if application == 0 and version == 0 and connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
        return 0
    if application != APPLICATION_ID:
        raise StoreError("this SQLite database belongs to another program", where=name, hint="name another file with --store")
    if version > SCHEMA_VERSION:
        raise StoreTooNew(
            f"the store has schema {version}, this version of witnessmark knows {SCHEMA_VERSION}", where=name, hint="upgrade witnessmark"
        )
    if version < 1 or not _has_tables(connection):
        raise StoreCorrupt(f"the store claims schema {version} and does not have it", where=name, hint="name another file with --store")
    return version


def _has_tables(connection: sqlite3.Connection) -> bool:
    """Whether the schema can be read and has our first table; reading the two numbers above does not touch it."""
    query = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'events'"
    return bool(connection.execute(query).fetchone()[0])


def migrate(connection: sqlite3.Connection, name: str, now_us: int) -> None:
    """Apply what is missing. Several processes may try at once: whoever comes second finds it done."""
    while True:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = schema_version(connection, name)
            if version == SCHEMA_VERSION:
                connection.execute("ROLLBACK")
                return
            file = MIGRATIONS[version]
            if version == 0:
                connection.execute(_RECORDS)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement in statements(_text(file)):
                connection.execute(statement)
            connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (version + 1, file, now_us))
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def statements(text: str) -> Iterator[str]:
    """The statements of a script, one at a time: `executescript` would commit the transaction that must hold them all."""
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending


def _text(file: str) -> str:
    data = pkgutil.get_data(__package__, f"sql/{file}")
    assert data is not None, "the package was installed without its SQL files"
    return data.decode()
