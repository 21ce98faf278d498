"""What is declared in Python is in the run at once, whole, and only the operator may say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from observe_scene import redactor
from witnessmark.adapters.declaring import declare
from witnessmark.adapters.receipts import RUN_VARIABLE
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import Cursor
from witnessmark.errors import UsageError
from witnessmark.model.declaration import OutcomeDeclaration, RunDeclaration, TaskDeclaration, ToolDeclaration
from witnessmark.state.fold import fold

RUN = RunDeclaration(
    tools=(ToolDeclaration(server="files", tool="write", operation_key="/key"),),
    task=TaskDeclaration(name="t", outcomes=(OutcomeDeclaration(name="report", kind="file"),)),
)


def test_a_declaration_is_kept_whole_and_observers_take_it_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RUN_VARIABLE, raising=False)
    store = open_store(tmp_path / "e.sqlite")
    facts = declare(store, "r", RUN, redactor())
    events = list(store.events("r"))
    assert [event.fact for event in events[:-1]] == facts
    assert events[-1].fact.KIND == "evidence.closed"
    assert [fact.tool for fact in store.declarations("r", Cursor())[1]] == ["write"]
    state = fold(events)
    assert state.opened is not None
    assert state.opened.declaration == facts[0].declaration  # type: ignore[attr-defined]  # the first is RunOpened
    assert not state.gaps.count
    store.close()


def test_inside_a_run_nothing_is_declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RUN_VARIABLE, "r")
    store = open_store(tmp_path / "e.sqlite")
    with pytest.raises(UsageError, match="the operator's to say"):
        declare(store, "r", RUN, redactor())
    assert list(store.events("r")) == []
    store.close()
