"""The tool no longer declares its results."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """No output schema where there was one."""
    side = pair.output
    if side.old is not None and side.new is None:
        yield Found(pointer="/outputSchema", why="structured results are no longer promised", before=side.old)


RULE = Rule(
    kind="output-schema-removed",
    name="The tool no longer declares its results",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again; read the result as text",
    find=find,
    mirror=("output-schema-added", "output-wrapper"),
    doc=Doc(
        means="The tool had an output schema and has none.",
        matters="The promised structured result may be gone: a client that demands it refuses the answer, one that does not "
        "reads nothing where data was.",
        do="Let the client read the tools again, and check what programs took from the structured result.",
        cannot_see="Whether structured results still come, unpromised.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
