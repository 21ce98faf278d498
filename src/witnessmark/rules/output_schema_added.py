"""The tool declares its results now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._output import is_wrapper
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """An output schema where there was none, a framework's envelope aside."""
    side = pair.output
    if side.old is None and side.new is not None and not is_wrapper(side.new):
        yield Found(pointer="/outputSchema", why="structured results are promised now", after=side.new)


RULE = Rule(
    kind="output-schema-added",
    name="The tool declares its results now",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="take note",
    find=find,
    mirror=("output-schema-removed",),
    doc=Doc(
        means="The tool has an output schema and had none.",
        matters="An old reader ignores structured results, so nothing breaks. From now on the server promises a shape.",
        do="Take note; programs may read the structured result.",
        cannot_see="Whether the text of the result stays what it was.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
