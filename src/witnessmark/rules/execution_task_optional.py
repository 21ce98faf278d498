"""The tool may be called as a task."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._execution import supports
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """The tool may be called as a task."""
    said = supports(pair)
    if said is not None and said[1] == "optional" != said[0]:
        why = f"task support was {said[0]} and is optional: plain calls work"
        yield Found(pointer="/execution", why=why, before=pair.old.get("execution", ABSENT), after=pair.new.get("execution", ABSENT))


RULE = Rule(
    kind="execution-task-optional",
    name="The tool may be called as a task",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="note",
    action="take note",
    find=find,
    mirror=("execution-removed", "execution-task-required"),
    doc=Doc(
        means="`execution.taskSupport` is `optional` now.",
        matters="Plain calls work, as before or again. A client with task support may run it as a task, whose result comes later.",
        do="Take note; no call breaks by it.",
        cannot_see="Whether your client chooses the task when it may.",
        source="Specification 2025-11-25, Tool.execution.taskSupport: forbidden where absent, optional, required. The member "
        "is not in 2026-07-28.",
    ),
)
