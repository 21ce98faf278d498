"""Results have another shape under an open schema."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import quoted
from witnessmark.rules._output import retyped
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """An open object that names its members now."""
    side = pair.output
    if retyped(pair):
        names = ", ".join(sorted(side.new_top.properties)[:5])
        why = f"any object was promised, now one with {quoted(names)}: old validation passes, the data may lie elsewhere"
        yield Found(pointer="/outputSchema", why=why, before=side.old, after=side.new)


RULE = Rule(
    kind="output-retyped-under-open-schema",
    name="Results have another shape under an open schema",
    old_caller="silent",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="compare one result, and read it by the new schema",
    find=find,
    mirror=("output-prop-removed",),
    doc=Doc(
        means="The old output schema was an object of any members; the new one names members.",
        matters="Every new result still fits the old schema, so no validation fails, while the data may lie elsewhere: an "
        "object of rows became an object with one text.",
        do="Compare one result with an old one, and read it by the new schema.",
        cannot_see="Whether the server sent exactly this before, undeclared.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
