"""The tool can only be called as a task now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._execution import supports
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """The tool can only be called as a task now."""
    said = supports(pair)
    if said is not None and said[1] == "required" != said[0]:
        why = f"task support was {said[0]} and is required: a plain call is refused"
        yield Found(pointer="/execution", why=why, before=pair.old.get("execution", ABSENT), after=pair.new.get("execution", ABSENT))


RULE = Rule(
    kind="execution-task-required",
    name="The tool can only be called as a task now",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="pin",
    action="use a client with task support, or stay on the old version",
    find=find,
    mirror=("execution-task-optional", "execution-removed"),
    doc=Doc(
        means="`execution.taskSupport` is `required` now.",
        matters="A plain call is refused from now on. Clients without task support cannot use the tool at all.",
        do="Use a client that supports tasks, or stay on the old server version.",
        cannot_see="Servers that still answer plain calls although they say they do not.",
        source="Specification 2025-11-25, Tool.execution.taskSupport: forbidden where absent, optional, required. The member "
        "is not in 2026-07-28.",
    ),
)
