from __future__ import annotations

from pathlib import Path

import pytest

from witnessmark.adapters.asking.question import Unanswered
from witnessmark.adapters.held_parameters import MAX_BYTES, HeldParameters
from witnessmark.adapters.keys import KeyFile, keys_path

SECRET = "canary-9c41-slug"


@pytest.fixture
def held(tmp_path: Path) -> HeldParameters:
    store = str(tmp_path / "evidence.sqlite")
    return HeldParameters(store, KeyFile(keys_path(store)))


def on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_what_is_held_comes_back_and_is_readable_nowhere(held: HeldParameters, tmp_path: Path) -> None:
    assert held.hold("run", "call", {"slug": SECRET, "n": 3}, 1)
    assert held.values("run", "call") == {"slug": SECRET, "n": 3}
    assert SECRET.encode() not in on_disk(tmp_path)
    assert Path(held.path).stat().st_mode & 0o077 == 0


def test_a_settled_effect_leaves_nothing(held: HeldParameters, tmp_path: Path) -> None:
    held.hold("run", "call", {"slug": SECRET}, 1)
    import sqlite3

    with sqlite3.connect(held.path) as database:
        sealed = database.execute("SELECT sealed FROM held").fetchone()[0]
    database.close()
    assert sealed in on_disk(tmp_path)
    held.settle("run", "call")
    held.settle("run", "call")
    assert sealed not in on_disk(tmp_path)
    with pytest.raises(Unanswered, match="not_held"):
        held.values("run", "call")


def test_a_rotated_key_still_opens_and_a_forgotten_one_is_unknown(held: HeldParameters, tmp_path: Path) -> None:
    held.hold("run", "call", {"slug": SECRET}, 1)
    keys = KeyFile(keys_path(str(tmp_path / "evidence.sqlite")))
    old = keys.keys()[0].id
    keys.rotate(2)
    assert held.values("run", "call") == {"slug": SECRET}
    keys.forget(old)
    with pytest.raises(Unanswered, match="held_key_missing"):
        held.values("run", "call")


def test_one_call_cannot_be_given_what_another_held(held: HeldParameters) -> None:
    import sqlite3

    held.hold("run", "a", {"slug": SECRET}, 1)
    with sqlite3.connect(held.path) as database:
        database.execute("UPDATE held SET call = 'b'")
    database.close()
    with pytest.raises(Unanswered, match="held_key_missing"):
        held.values("run", "b")


def test_too_much_is_not_held_and_a_run_can_be_forgotten(held: HeldParameters) -> None:
    assert not held.hold("run", "call", {"slug": "x" * MAX_BYTES}, 1)
    held.hold("run", "call", {"slug": SECRET}, 1)
    held.forget_run("run")
    with pytest.raises(Unanswered, match="not_held"):
        held.values("run", "call")
