"""Results may hold what they did not hold before."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._output import allowed, guard
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places that newly allow something, and objects that began to take undeclared members (mostly a generator's doing)."""
    for spot in pair.output.spots if pair.output.old is not None and pair.output.new is not None else ():
        more, less = allowed(spot)
        if spot.polarity == 0:
            more += less
        if more:
            yield Found(
                pointer=spot.pointer, why="results may newly hold " + ", ".join(more), before=spot.old.schema, after=spot.new.schema
            )
        if guard(spot) == "opened":
            why = "results may hold undeclared members now"
            yield Found(pointer=f"{spot.pointer}/additionalProperties", why=why, old_caller="none", model_told="same", group=TOOLCHAIN)


RULE = Rule(
    kind="output-widened",
    name="Results may hold what they did not hold before",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=("output-narrowed",),
    structural=True,
    doc=Doc(
        means="At some place of the output schema results may be of a further type, value or shape, or beyond an old bound.",
        matters="A client that validates by the old schema refuses such an answer. A program that branches on a value meets one "
        "it does not know.",
        do="Let clients read the tools again, and look at how programs read this place.",
        cannot_see="Whether the server ever sends it.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
