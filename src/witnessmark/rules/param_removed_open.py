"""A declared parameter is gone and the new schema still accepts it: the argument is swallowed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import named, swallowed
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Names gone from an object that takes undeclared ones."""
    for names in pair.input.names:
        for name in names.gone:
            if names.accepts(name):
                why = f"{named(names, name)} is gone and the schema takes undeclared names: {swallowed(name)}"
                yield Found(pointer=names.place(name), why=why, before=names.spot.old.properties[name])


RULE = Rule(
    kind="param-removed-open",
    name="A parameter is gone and still accepted",
    old_caller="silent",
    model_told="changed",
    confidence="high",
    step="refresh",
    action="stop calls that send it; make the client read the tools again",
    find=find,
    mirror=(
        "param-added-optional",
        "param-added-required",
        "default-narrows-result",
        "param-added-optional-power",
        "param-added-required-with-default",
    ),
    doc=Doc(
        means="The old contract declared this parameter. The new one does not, and its schema accepts names that it does not declare.",
        matters=(
            "An agent that still sends it gets an answer, only not to its question: a filter is not applied, a page is not "
            "turned, a switch that kept the call harmless does nothing. Nobody sees an error."
        ),
        do=(
            "Make the client read the tools again, and until then stop calls that send the name. A gate that checks arguments "
            "against the contract refuses such calls."
        ),
        cannot_see=(
            "Whether the server reads the name although it does not declare it, or refuses it although its schema does not say so."
        ),
        source="JSON Schema 2020-12, core, 10.3.2.3 (additionalProperties): absent means that every further name is allowed.",
    ),
)
