"""The tool cannot be called as a task any more."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._execution import supports
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """The tool cannot be called as a task any more."""
    said = supports(pair)
    if said is not None and said[1] == "forbidden" != said[0]:
        why = f"task support was {said[0]} and is forbidden: a call as a task is refused"
        yield Found(pointer="/execution", why=why, before=pair.old.get("execution", ABSENT), after=pair.new.get("execution", ABSENT))


RULE = Rule(
    kind="execution-removed",
    name="The tool cannot be called as a task any more",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again; check the negotiated revision",
    find=find,
    mirror=("execution-task-required", "execution-task-optional"),
    doc=Doc(
        means="The tool allowed or required calls as a task, and does not any more: the member says forbidden, or is gone.",
        matters="A client that runs it as a task is refused. The revision 2026-07-28 has no such member, so a newer revision "
        "alone may cause this.",
        do="Check which revision was negotiated, and let the client read the tools again.",
        cannot_see="Whether any of your clients used tasks.",
        source="Specification 2025-11-25, Tool.execution.taskSupport: forbidden where absent, optional, required. The member "
        "is not in 2026-07-28.",
    ),
)
