"""A declared parameter is gone and the new schema refuses it."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import named
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Names gone from an object that refuses undeclared ones."""
    for names in pair.input.names:
        for name in names.gone:
            if not names.accepts(name):
                why = f"{named(names, name)} is gone: refused by contract, and swallowed by servers that do not keep it"
                yield Found(pointer=names.place(name), why=why, before=names.spot.old.properties[name])


RULE = Rule(
    kind="param-removed-closed",
    name="A parameter is gone and refused",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="refresh",
    action="make the client read the tools again",
    find=find,
    mirror=(
        "param-added-optional",
        "param-added-required",
        "default-narrows-result",
        "param-added-optional-power",
        "param-added-required-with-default",
    ),
    doc=Doc(
        means="The old contract declared this parameter. The new one does not, and its schema refuses names that it does not declare.",
        matters=(
            "By contract a call that sends it is refused. Most servers that were tried drop undeclared names all the same: then "
            "it is swallowed without an error."
        ),
        do="Make the client read the tools again. A gate that checks arguments against the contract makes the refusal certain.",
        cannot_see="Which of the two the server does: 5 of 7 servers that publish a closed schema answered such a call as success.",
        source="JSON Schema 2020-12, core, 10.3.2.3 (additionalProperties false), core 11.3 (unevaluatedProperties).",
    ),
)
