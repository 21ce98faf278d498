from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from asking_scene import SOON, Scene

BY_KEY = "SELECT id FROM orders WHERE key = :operation_key"
HOSTILE = "x' OR '1'='1'; DROP TABLE orders; --"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, scene: Scene) -> str:
    statements = [
        "DROP TABLE IF EXISTS orders",
        "CREATE TABLE orders (id INTEGER, key TEXT, version INTEGER)",
        "INSERT INTO orders VALUES (1, 'one', 7), (2, 'two', 1), (3, 'two', 1)",
    ]
    if request.param == "sqlite":
        with closing(sqlite3.connect(scene.folder / "it.db")) as sqlite, sqlite:
            for statement in statements:
                sqlite.execute(statement)
        scene.environment["DB"] = f"sqlite:///{scene.folder}/it.db"
    else:
        url: str = request.getfixturevalue("postgresql_url")
        with psycopg.connect(url) as connection:
            for statement in statements:
                connection.execute(statement)
        scene.environment["DB"] = url
    return str(request.param)


def test_rows_under_the_key_are_counted(scene: Scene, database: str) -> None:
    for key, expected in [
        ("one", ("applied", 1, "")),
        ("two", ("applied", 2, "")),
        ("none", ("absent", 0, "")),
        (HOSTILE, ("absent", 0, "")),
    ]:
        assert scene.ask("sql", key=key, url="env:DB", query=BY_KEY) == expected
    count = "SELECT count(*) FROM orders WHERE key = :operation_key"
    assert scene.ask("sql", key="two", url="env:DB", query=count, counts=True) == ("applied", 2, "")
    assert scene.ask("sql", key="one", url="env:DB", query=BY_KEY) == ("applied", 1, "")


def test_a_verifier_compares_rows_and_a_version(scene: Scene, database: str) -> None:
    query = "SELECT version FROM orders WHERE key = :key"
    cases: list[tuple[dict[str, Any], tuple[str, str]]] = [
        ({}, ("passed", "")),
        ({"equals": 7}, ("passed", "")),
        ({"equals": 8}, ("failed", "differs")),
        ({"equals": "7"}, ("failed", "differs")),
        ({"rows": 2}, ("failed", "differs")),
    ]
    for settings, expected in cases:
        assert scene.verify("sql", url="env:DB", query=query, values={"key": "one"}, **settings) == expected, settings
    assert scene.verify("sql", url="env:DB", query=query, values={"key": HOSTILE}) == ("failed", "absent")


def test_a_question_cannot_write(scene: Scene, database: str) -> None:
    assert scene.ask("sql", url="env:DB", query="DELETE FROM orders")[0] == "unknown"
    assert scene.ask("sql", key="one", url="env:DB", query=BY_KEY) == ("applied", 1, "")


def test_a_query_without_end_is_ended(scene: Scene, database: str) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    assert scene.ask("sql", SOON, url="env:DB", query=endless)[0] == "unknown"


def test_too_many_rows_are_no_answer(scene: Scene, database: str) -> None:
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n"
    assert scene.ask("sql", url="env:DB", query=many) == ("unknown", None, "output_limit")


def test_a_missing_argument_variable_and_database_are_unknown(scene: Scene) -> None:
    assert scene.ask("sql", url="env:NOT_THERE", query="SELECT 1")[2] == "missing_value"
    assert scene.ask("sql", url="sqlite:///x", query="SELECT 1")[2] == "bad_setting"
    scene.environment["DB"] = f"sqlite:///{scene.folder}/none.db"
    assert scene.ask("sql", url="env:DB", query="SELECT 1") == ("unknown", None, "unreachable")
    assert not Path(scene.folder / "none.db").exists()
    assert scene.ask("sql", url="env:DB", query=BY_KEY)[2] == "missing_value"
    scene.environment["DB"] = "postgresql://nobody@127.0.0.1:1/none"
    assert scene.ask("sql", url="env:DB", query="SELECT 1") == ("unknown", None, "unreachable")
    scene.environment["DB"] = "mysql://nobody@127.0.0.1:1/none"
    assert scene.ask("sql", url="env:DB", query="SELECT 1")[2] in {"bad_setting", "unreachable"}


def test_a_server_that_stops_in_the_middle_is_unknown(scene: Scene, postgresql_url: str) -> None:
    """The backend is stopped by a signal while it works: it keeps no time limit of its own."""
    import threading

    scene.environment["DB"] = postgresql_url
    with psycopg.connect(postgresql_url, autocommit=True) as watcher:
        found = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        stopped: list[int] = []
        answered = threading.Event()

        def stop() -> None:
            while not stopped and not answered.is_set():
                stopped.extend(row[0] for row in watcher.execute(found).fetchall())
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)

        thread = threading.Thread(target=stop)
        thread.start()
        try:
            assert scene.ask("sql", SOON.__class__(seconds=3), url="env:DB", query="SELECT pg_sleep(77)") == ("unknown", None, "time_limit")
        finally:
            answered.set()
            thread.join()
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)
        assert stopped
