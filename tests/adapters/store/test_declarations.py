"""Declarations in receipts reach an observer at work: each is read once, and none that is still being written is missed."""

from __future__ import annotations

from pathlib import Path

from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import Cursor
from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import EffectDeclared, EffectReported, Fact


def _entries(session: str, *facts: Fact) -> list[Entry]:
    recorder = Recorder("receipt:operator", session, "r")
    return [recorder.record(fact, 1_000) for fact in facts]


def test_a_declaration_is_found_once_and_by_everybody_who_did_not_write_it(tmp_path: Path) -> None:
    proxy = open_store(tmp_path / "e.sqlite")
    operator = open_store(tmp_path / "e.sqlite")
    proxy.open_session(source="proxy:x", session="p", run="r", server="s", opened_us=1)
    before = proxy.changes()
    assert proxy.changes() == before
    key = operator.open_session(source="receipt:operator", session="d1", run="r", server="s", opened_us=2)
    fact = EffectDeclared(server="s", tool="pay", has_key=True, pointer="/key")
    operator.close_session(key, 3, _entries("d1", fact))
    assert proxy.changes() != before
    cursor, found = proxy.declarations("r", Cursor())
    assert found == [fact]
    assert proxy.declarations("r", cursor)[1] == []


def test_a_receipt_that_is_still_being_written_is_read_when_it_is_finished(tmp_path: Path) -> None:
    proxy = open_store(tmp_path / "e.sqlite")
    operator = open_store(tmp_path / "e.sqlite")
    slow = operator.open_session(source="receipt:operator", session="slow", run="r", server="s", opened_us=2)
    quick = operator.open_session(source="receipt:operator", session="quick", run="r", server="s", opened_us=3)
    first, second = (EffectDeclared(server="s", tool=name) for name in ("a", "b"))
    operator.close_session(quick, 4, _entries("quick", EffectReported(server="s"), second))
    cursor, found = proxy.declarations("r", Cursor())
    assert found == [second]
    operator.close_session(slow, 5, _entries("slow", first))
    assert proxy.declarations("r", cursor)[1] == [first]


def test_declarations_of_another_run_are_not_taken_up(tmp_path: Path) -> None:
    store = open_store(tmp_path / "e.sqlite")
    key = store.open_session(source="receipt:operator", session="d", run="other", server="s", opened_us=2)
    store.close_session(key, 3, _entries("d", EffectDeclared(server="s", tool="pay")))
    assert store.declarations("r", Cursor())[1] == []
