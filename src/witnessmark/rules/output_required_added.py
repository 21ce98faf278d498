"""A member is promised in every result."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Members declared on both sides that are now required."""
    for spot in pair.output.spots if pair.output.old is not None and pair.output.new is not None else ():
        changed = spot.new.required - spot.old.required
        both = sorted(name for name in changed if name in spot.old.properties and name in spot.new.properties)
        if both:
            why = f"{', '.join(map(quoted, both))} {'is' if len(both) == 1 else 'are'} now promised in every result"
            yield Found(pointer=f"{spot.pointer}/required", why=why, before=sorted(spot.old.required), after=sorted(spot.new.required))


RULE = Rule(
    kind="output-required-added",
    name="A member is promised in every result",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="take note",
    find=find,
    mirror=("output-required-dropped",),
    structural=True,
    doc=Doc(
        means="The output schema requires a declared member that was optional.",
        matters="Old readers do not mind: they had to do without it.",
        do="Take note; no call breaks by it.",
        cannot_see="Whether the server ever leaves it out.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
