"""A parameter probably has a new name and the old one is refused."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import named, quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Renames in objects that refuse undeclared names."""
    for names in pair.input.names:
        for each in names.renamed:
            if not names.accepts(each.old):
                why = f"{named(names, each.old)} probably became {quoted(each.new)} ({', '.join(each.reasons)}); the old name is refused"
                yield Found(
                    pointer=names.place(each.old),
                    why=why,
                    before=names.spot.old.properties[each.old],
                    after=names.spot.new.properties[each.new],
                    renamed_to=each.new,
                )


RULE = Rule(
    kind="param-renamed-closed",
    name="A parameter probably has a new name, the old one is refused",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="shim",
    action="map the old name to the new one in the proxy; make the client read the tools again",
    find=find,
    mirror=("param-renamed-open", "param-renamed-closed"),
    doc=Doc(
        means="A parameter is gone, a new one looks like it, and the schema refuses names that it does not declare.",
        matters="By contract a call with the old name is refused; a server that drops undeclared names swallows it instead.",
        do="Map the old name to the new one in the proxy; make the client read the tools again.",
        cannot_see="Whether the new parameter means the same, and whether the server keeps its own contract.",
        source="JSON Schema 2020-12, core, 10.3.2.3 (additionalProperties false).",
    ),
)
