"""A parameter is declared at another level now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import named, quoted, swallowed
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Names that stand below now."""
    for names in pair.input.names:
        for name, pointer in names.moved:
            accepted = names.accepts(name)
            told = swallowed(name) if accepted else "the old place is refused by contract"
            yield Found(
                pointer=names.place(name),
                why=f"{named(names, name)} is declared at {quoted(pointer)} now: {told}",
                before=names.spot.old.properties[name],
                old_caller="silent" if accepted else "loud",
                renamed_to=pointer,
            )


RULE = Rule(
    kind="param-moved",
    name="A parameter moved to another level",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="shim",
    action="map the old place to the new one in the proxy",
    find=find,
    mirror=(
        "param-added-optional",
        "param-added-required",
        "default-narrows-result",
        "param-added-optional-power",
        "param-added-required-with-default",
        "param-moved",
    ),
    doc=Doc(
        means="A parameter is gone from one object and stands now, with the same type, inside another one below it.",
        matters=(
            "An agent that sends it at the old place is refused, or, where the object takes undeclared names, accepted and its "
            "value swallowed."
        ),
        do="Map the old place to the new one in the proxy; make the client read the tools again.",
        cannot_see="Whether the parameter at the new place means the same.",
        source="JSON Schema 2020-12, core, 10.3.2.3: whether the old place still accepts the name decides between refused and swallowed.",
    ),
)
