"""Which changes a preset stops, and what keeps its approval."""

from __future__ import annotations

from typing import Any

import pytest

from witnessmark.contract.approving import approve_tools, fingerprint, locked_server, stops, verdict_of
from witnessmark.contract.lockfile import Approval
from witnessmark.model.capture import Capture
from witnessmark.model.change import ABSENT, Change

OLD, NEW = Approval(when="old", by="Ada"), Approval(when="new", by="Bob")


def change(kind: str = "k", old_caller: Any = "none", model_told: Any = "same") -> Change:
    return Change(tool="t", kind=kind, pointer="", old_caller=old_caller, model_told=model_told, confidence="high", why="", action="")


@pytest.mark.parametrize(
    "given,stopping",
    [
        (change(), set()),
        (change("tool-order"), set()),
        (change("any", "silent", "changed"), {"strict", "balanced", "lenient"}),
        (change("any", "loud", "same"), {"strict", "balanced", "lenient"}),
        (change("any", "none", "escalated"), {"strict", "balanced", "lenient"}),
        (change("description-tool", "none", "changed"), {"strict", "balanced"}),
        (change("description-param", "none", "changed"), {"strict", "balanced"}),
        (change("instructions-changed", "none", "changed"), {"strict", "balanced"}),
        (change("enum-widened", "none", "changed"), {"strict"}),
        (change("param-added-optional", "none", "changed"), {"strict"}),
    ],
)
def test_a_preset_stops_what_it_says(given: Change, stopping: set[str]) -> None:
    presets: tuple[Any, ...] = ("strict", "balanced", "lenient")
    assert {preset for preset in presets if stops(given, preset)} == stopping


def test_the_verdict_of_changes() -> None:
    assert verdict_of([], "strict", complete=True) == "same"
    assert verdict_of([change()], "strict", complete=True) == "cosmetic"
    assert verdict_of([change("x", "loud")], "strict", complete=True) == "drift"
    assert verdict_of([change("x", "none", "changed")], "lenient", complete=True) == "cosmetic"
    assert verdict_of([], "strict", complete=False) == "incomplete"


def captured(*tools: dict[str, Any], instructions: str | None = None) -> Capture:
    return Capture(server="s", complete=True, tools=tools, instructions=instructions)


BEFORE = locked_server(captured({"name": "a"}, {"name": "b"}, instructions="i"), "r", OLD, None)


def test_what_did_not_change_keeps_its_approval() -> None:
    after = locked_server(captured({"name": "a"}, {"name": "b", "title": "B"}, instructions="i"), "r", NEW, BEFORE)
    assert {name: tool.approval for name, tool in after.tools.items()} == {"a": OLD, "b": NEW}
    assert after.instructions_approval == OLD


def test_only_the_named_tools_are_approved() -> None:
    current = captured({"name": "a", "title": "A"}, {"name": "c"}, instructions="j")
    after = approve_tools(BEFORE, current, ["a"], NEW)
    assert {name: tool.approval for name, tool in after.tools.items()} == {"a": NEW, "b": OLD}
    assert after.instructions == "i"


def test_a_tool_that_is_gone_leaves_the_lock_when_that_is_approved() -> None:
    assert set(approve_tools(BEFORE, captured({"name": "a"}), ["b"], NEW).tools) == {"a"}


def test_a_fingerprint_holds_for_exactly_one_change() -> None:
    first = ("s", "bare", "t", "k", "/p", 1)
    seen = {fingerprint(*first)}
    for index, other in enumerate(("S", "full", "T", "K", "/q", 2)):
        seen.add(fingerprint(*(other if index == at else value for at, value in enumerate(first))))  # type: ignore[arg-type]
    seen.add(fingerprint(*first[:5], ABSENT))
    assert len(seen) == 8
    assert fingerprint(*first) == fingerprint("s", "bare", "t", "k", "/p", 1.0)
