"""A member of results probably has another name."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import named, quoted
from witnessmark.rules._output import object_names, required_before
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Names of result objects with a likely successor."""
    for names in object_names(pair):
        for each in names.renamed:
            why = f"{named(names, each.old)} is probably {quoted(each.new)} now: {', '.join(each.reasons)}"
            yield Found(
                pointer=names.place(each.old),
                why=why,
                before=names.spot.old.properties[each.old],
                after=names.spot.new.properties[each.new],
                old_caller="loud" if required_before(names, each.old) else "silent",
                renamed_to=each.new,
            )


RULE = Rule(
    kind="output-prop-renamed",
    name="A member of results probably has another name",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="refresh",
    action="read the value under its new name",
    find=find,
    mirror=("output-prop-renamed",),
    doc=Doc(
        means="The output schema lost one member and gained another that is probably the same: its schema, text, name or place fits.",
        matters="If it was required, a client that validates by the old schema refuses every answer. If it was optional, the "
        "reader finds nothing under the old name.",
        do="Read the value under its new name, and let clients read the tools again.",
        cannot_see="Whether both are the same: the mapping is a guess, and says what speaks for it.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
