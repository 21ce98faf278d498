"""Results no longer hold a member."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import named
from witnessmark.rules._output import object_names, required_before
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Names gone from result objects: `loud` if they were promised, `silent` if they were optional."""
    for names in object_names(pair):
        places = {name: f", it is declared at {place} now" for name, place in names.moved}
        for name in names.spot.old.properties if names.emptied else (*names.gone, *places):
            promised = required_before(names, name)
            why = f"{named(names, name)} is gone from results" + places.get(name, "")
            why += ": a client that validates refuses the answer" if promised else ": its absence reads like an empty value"
            before = names.spot.old.properties[name]
            yield Found(pointer=names.place(name), why=why, before=before, old_caller="loud" if promised else "silent")


RULE = Rule(
    kind="output-prop-removed",
    name="Results no longer hold a member",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="make the client read the tools again; look for where the value went",
    find=find,
    mirror=("output-prop-added", "output-retyped-under-open-schema"),
    doc=Doc(
        means="The output schema declared a member that it does not declare any more.",
        matters="If it was required, a client that validates by the old schema refuses every answer. If it was optional, the "
        "reader takes its absence for `nothing there`: no error, no warning.",
        do="Find out where the value went, and let clients read the tools again.",
        cannot_see="Servers that still send it, undeclared.",
        source="Specification, Tool.outputSchema: a server that declares one must send results that fit it, and clients should "
        "validate by it.",
    ),
)
