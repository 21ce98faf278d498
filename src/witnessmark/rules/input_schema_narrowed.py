"""The containment oracle says that old arguments are refused, and no rule could say where."""

from __future__ import annotations

from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="input-schema-narrowed",
    name="The new input schema refuses old arguments",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again",
    doc=Doc(
        means=(
            "Comparing both schemas as sets proved that some arguments which the old one allowed are refused now. No single rule "
            "recognised the change."
        ),
        matters="An agent that holds the old contract may be refused.",
        do="Read both schemas; make the client read the tools again.",
        cannot_see="Which arguments are concerned, and whether anybody sends them.",
        source="Containment of canonical schemas (jsonschema-rs), the old side closed: an agent sends declared names only.",
    ),
)
