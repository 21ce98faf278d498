"""Queries: SQLite and PostgreSQL through SQLAlchemy, read-only, values bound, bounded in time and rows.

In this process, because a thousand effects may have to be asked for; a socket that says nothing is cut by a guard.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

from witnessmark.adapters.asking.question import Limits, Question, Unanswered

REFERENCE: Final = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
CELL_BYTES: Final = 16 << 20
"""The longest text or blob that SQLite may give."""
_LOOK_EVERY_STEPS: Final = 10_000


def rows(question: Question, limits: Limits) -> list[tuple[Any, ...]]:
    """The rows of the settings' query; Unanswered where the database cannot be asked or goes beyond a limit."""
    try:
        from sqlalchemy import create_engine, make_url, text  # noqa: PLC0415 - an extra, and slow to load
        from sqlalchemy.exc import ArgumentError, SQLAlchemyError  # noqa: PLC0415
        from sqlalchemy.pool import NullPool  # noqa: PLC0415
    except ImportError:
        raise Unanswered("not_installed") from None
    reference = REFERENCE.fullmatch(question.settings["url"])
    address = question.where.environment.get(reference[1]) if reference else None
    if address is None:
        raise Unanswered("missing_value" if reference else "bad_setting")
    until = time.monotonic() + limits.seconds
    query = text(question.settings["query"])
    values = {name: _bindable(question.value(name)) for name in query.compile().params}
    try:
        url = make_url(address)
        dialect = url.get_backend_name()
        if dialect == "sqlite":
            path = url.database or ""
            engine = create_engine("sqlite://", creator=lambda: _sqlite(path, question.where.folder, until), poolclass=NullPool)
        elif dialect == "postgresql":
            options = f"-c default_transaction_read_only=on -c statement_timeout={max(1, int(limits.seconds * 1000))}"
            arguments = {"connect_timeout": max(2, int(limits.seconds)), "options": options}
            engine = create_engine(url.set(drivername="postgresql+psycopg"), connect_args=arguments, poolclass=NullPool)
        else:
            raise Unanswered("bad_setting")
        with (
            engine.connect() as connection,
            _cut_at(until, connection.connection.driver_connection),
            _all_closed(connection),
        ):
            result = connection.execution_options(stream_results=True).execute(query, values)
            found = [tuple(row) for row in result.fetchmany(limits.rows + 1)]
    except (ArgumentError, ValueError):
        raise Unanswered("bad_setting") from None
    except (SQLAlchemyError, sqlite3.Error, OSError):
        raise Unanswered("time_limit" if time.monotonic() >= until else "unreachable") from None
    if len(found) > limits.rows:
        raise Unanswered("output_limit")
    return found


def _bindable(value: Any) -> Any:
    if value is not None and not isinstance(value, str | int | float):
        raise Unanswered("bad_value")
    return value


def _sqlite(path: str, folder: str, until: float) -> sqlite3.Connection:
    """A connection that cannot write and makes no file."""
    from urllib.parse import quote  # noqa: PLC0415

    whole = quote(os.path.join(folder, path))
    connection = sqlite3.connect(f"file:{whole}?mode=ro", uri=True, timeout=max(0.0, until - time.monotonic()), check_same_thread=False)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_BYTES)
    connection.execute("PRAGMA query_only = ON")
    connection.set_progress_handler(lambda: time.monotonic() >= until, _LOOK_EVERY_STEPS)
    return connection


@contextlib.contextmanager
def _all_closed(connection: Any) -> Iterator[None]:
    """Close every cursor of the driver's at the end: SQLAlchemy leaves one on the server open whose query failed."""
    from sqlalchemy import event  # noqa: PLC0415 - as above

    cursors: list[Any] = []

    def seen(_connection: Any, cursor: Any, *_rest: Any) -> None:
        cursors.append(cursor)

    event.listen(connection, "before_cursor_execute", seen)
    try:
        yield
    finally:
        for cursor in cursors:
            with contextlib.suppress(Exception):  # a connection that was cut cannot say it to its server
                cursor.close()


@contextlib.contextmanager
def _cut_at(until: float, driver: Any) -> Iterator[None]:
    """Shut the connection's socket at that time: a stopped server answers to no time limit of its own."""
    fileno = getattr(driver, "fileno", None)
    if fileno is None:
        yield
        return
    ours = socket.socket(fileno=os.dup(fileno()))

    def cut() -> None:
        with contextlib.suppress(OSError):
            ours.shutdown(socket.SHUT_RDWR)

    guard = threading.Timer(max(0.0, until - time.monotonic()), cut)
    guard.daemon = True
    guard.start()
    try:
        yield
    finally:
        guard.cancel()
        ours.close()
