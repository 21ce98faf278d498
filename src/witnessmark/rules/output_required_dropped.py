"""A member is no longer promised in every result."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Members declared on both sides that are no longer required."""
    for spot in pair.output.spots if pair.output.old is not None and pair.output.new is not None else ():
        changed = spot.old.required - spot.new.required
        both = sorted(name for name in changed if name in spot.old.properties and name in spot.new.properties)
        if both:
            why = f"{', '.join(map(quoted, both))} {'is' if len(both) == 1 else 'are'} no longer promised in every result"
            yield Found(pointer=f"{spot.pointer}/required", why=why, before=sorted(spot.old.required), after=sorted(spot.new.required))


RULE = Rule(
    kind="output-required-dropped",
    name="A member is no longer promised in every result",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again; handle its absence",
    find=find,
    mirror=("output-required-added",),
    structural=True,
    doc=Doc(
        means="The output schema no longer requires a member that it still declares.",
        matters="A client that validates by the old schema refuses answers without it; a program that reads it unchecked fails "
        "or takes its absence for a value.",
        do="Handle the absence, and let clients read the tools again.",
        cannot_see="Whether the server ever leaves it out.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
