"""A framework declares its envelope round the result."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._output import is_wrapper
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """A framework's envelope where there was no output schema."""
    side = pair.output
    if side.old is None and is_wrapper(side.new):
        yield Found(pointer="/outputSchema", why="a framework's envelope: one member `result`", after=side.new)


RULE = Rule(
    kind="output-wrapper",
    name="A framework declares its envelope round the result",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="note",
    action="take note",
    find=find,
    mirror=("output-schema-removed",),
    group=TOOLCHAIN,
    doc=Doc(
        means="The tool has an output schema that only wraps a plain result: one member `result`. Frameworks generate it from "
        "return types.",
        matters="Readers of the text notice nothing; structured readers find the value one level deeper than a plain result.",
        do="Take note; no call breaks by it.",
        cannot_see="An author who chose that shape.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
