"""Results are promised more strictly."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._output import allowed, guard
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places that allow less and nothing more, and objects that ceased to take undeclared members."""
    for spot in pair.output.spots if pair.output.old is not None and pair.output.new is not None else ():
        more, less = allowed(spot)
        if less and not more and spot.polarity != 0:
            yield Found(
                pointer=spot.pointer, why="results no longer hold " + ", ".join(less), before=spot.old.schema, after=spot.new.schema
            )
        if guard(spot) == "closed":
            why = "results hold declared members only now"
            yield Found(pointer=f"{spot.pointer}/additionalProperties", why=why, model_told="same", group=TOOLCHAIN)


RULE = Rule(
    kind="output-narrowed",
    name="Results are promised more strictly",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="take note",
    find=find,
    mirror=("output-widened",),
    structural=True,
    doc=Doc(
        means="At some place of the output schema results can no longer be of some type, value or shape, or beyond a bound.",
        matters="Every such answer fits the old schema too. Programs may wait for a value that never comes any more.",
        do="Take note; no call breaks by it.",
        cannot_see="Programs that depend on the values that do not come any more.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
