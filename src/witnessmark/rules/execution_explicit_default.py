"""Task support is written out or left out."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._execution import supports
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Task support is written out or left out."""
    said = supports(pair)
    if said is not None and said[0] == said[1]:
        why = f"task support stays {said[1]}"
        yield Found(pointer="/execution", why=why, before=pair.old.get("execution", ABSENT), after=pair.new.get("execution", ABSENT))


RULE = Rule(
    kind="execution-explicit-default",
    name="Task support is written out or left out",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    group=TOOLCHAIN,
    mirror=("execution-explicit-default",),
    doc=Doc(
        means="`execution` differs and means the same as before, mostly `forbidden` written out or dropped.",
        matters="It does not: forbidden is what holds without the member. A new SDK writes it into every tool.",
        do="Nothing needs to be done.",
        cannot_see="Members of `execution` that no revision defines; they are reported as meta-other.",
        source="Specification 2025-11-25, Tool.execution.taskSupport: forbidden where absent, optional, required. The member "
        "is not in 2026-07-28.",
    ),
)
