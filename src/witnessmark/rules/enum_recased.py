"""Allowed values changed their case."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spot_facts import directed, recased
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where this is so."""
    for spot, before, after in directed(pair.input.spots):
        mapped = recased(before, after)
        if mapped:
            why = "now spelled otherwise: " + ", ".join(f"{shown_value(old)} is {shown_value(new)}" for old, new in mapped[:8])
            yield Found(
                pointer=f"{spot.pointer}/enum",
                why=why,
                before=spot.old.schema.get("enum", ABSENT),
                after=spot.new.schema.get("enum", ABSENT),
            )


RULE = Rule(
    kind="enum-recased",
    name="Values changed their case",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="shim",
    action="map the old values to the new ones in the proxy",
    find=find,
    mirror=("enum-recased",),
    structural=True,
    doc=Doc(
        means="Values of a list changed nothing but upper and lower case.",
        matters="Values are compared letter by letter: the old spelling is refused, and a model tends to send it again.",
        do="Map the old values to the new ones in the proxy; make the client read the tools again.",
        cannot_see="Whether the server takes both spellings.",
        source="JSON Schema 2020-12, validation 6.1.2 (enum), 6.1.3 (const).",
    ),
)
