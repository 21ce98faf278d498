"""Results may hold a further member."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import named
from witnessmark.rules._output import object_names, retyped
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """New names of result objects, `loud` where the old object was closed."""
    if retyped(pair):
        return
    for names in object_names(pair):
        for name in names.added:
            closed = names.spot.old.closed
            why = f"{named(names, name)} is new in results" + (", and the old schema refuses undeclared members" if closed else "")
            after = names.spot.new.properties[name]
            yield Found(pointer=names.place(name), why=why, after=after, old_caller="loud" if closed else "none")


RULE = Rule(
    kind="output-prop-added",
    name="Results may hold a further member",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="take note",
    find=find,
    mirror=("output-prop-removed", "output-prop-renamed"),
    structural=True,
    doc=Doc(
        means="The output schema declares a member that it did not declare.",
        matters="An open object let it through before, so old readers do not mind. Where the old schema refused undeclared "
        "members, a client that validates by it refuses every answer that has the new one.",
        do="Where the old object was closed, let clients read the tools again at once; otherwise take note.",
        cannot_see="Whether the server ever sends it.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
