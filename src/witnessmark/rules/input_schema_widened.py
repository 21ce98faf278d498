"""The containment oracle says that more is accepted, and no rule could say where."""

from __future__ import annotations

from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="input-schema-widened",
    name="The new input schema accepts more",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="note",
    action="note it",
    doc=Doc(
        means=(
            "Comparing both schemas as sets proved that the new one accepts all that the old one did, and more. No single rule "
            "recognised the change."
        ),
        matters="Old calls stay valid; the model may send what it could not send before.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What is newly accepted.",
        source="Containment of canonical schemas (jsonschema-rs), the old side closed: an agent sends declared names only.",
    ),
)
