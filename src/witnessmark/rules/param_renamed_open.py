"""A parameter probably has a new name and the old one is still accepted: the argument is swallowed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import left_out, named, quoted, swallowed
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Renames in objects that take undeclared names."""
    for names in pair.input.names:
        for each in names.renamed:
            if not names.accepts(each.old):
                continue
            likely = f"{named(names, each.old)} probably became {quoted(each.new)} ({', '.join(each.reasons)})"
            if each.new in names.spot.new.required:
                why, grade = f"{likely}: a call without the new name is refused", "loud"
            else:
                kept = left_out(names.now(each.new).schema)
                why, grade = f"{likely}: {swallowed(each.old)}, and the new {quoted(each.new)} {kept}", "silent"
            yield Found(
                pointer=names.place(each.old),
                why=why,
                before=names.spot.old.properties[each.old],
                after=names.spot.new.properties[each.new],
                old_caller="loud" if grade == "loud" else "silent",
                renamed_to=each.new,
            )


RULE = Rule(
    kind="param-renamed-open",
    name="A parameter probably has a new name, the old one is accepted",
    old_caller="silent",
    model_told="changed",
    confidence="high",
    step="shim",
    action="map the old name to the new one in the proxy; make the client read the tools again",
    find=find,
    mirror=("param-renamed-open", "param-renamed-closed"),
    doc=Doc(
        means="A parameter is gone, a new one looks like it, and the schema accepts names that it does not declare.",
        matters=(
            "An agent that still sends the old name is accepted: its value is swallowed and the new parameter keeps its default. "
            "Where the new name is required the call is refused instead."
        ),
        do="Map the old name to the new one in the proxy; make the client read the tools again.",
        cannot_see="Whether the new parameter means the same: the likeness of types, texts and names is a guess.",
        source="JSON Schema 2020-12, core, 10.3.2.3: absent `additionalProperties` allows every further name.",
    ),
)
