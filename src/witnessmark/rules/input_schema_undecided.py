"""Neither the rules nor the containment oracle can say whether old arguments are still accepted."""

from __future__ import annotations

from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="input-schema-undecided",
    name="Old arguments may or may not be accepted",
    old_caller="silent",
    model_told="changed",
    confidence="low",
    step="read",
    action="read both schemas",
    doc=Doc(
        means=(
            "The input schema changed in a way that could not be decided: a recursive schema, a pattern for names, a reference "
            "out of the document, or a limit on size was met."
        ),
        matters="Missing evidence is never taken for harmless.",
        do="Read both schemas and approve the change if it is meant.",
        cannot_see="Everything: this kind says that nothing could be seen.",
        source="Containment of canonical schemas (jsonschema-rs), the old side closed: an agent sends declared names only.",
    ),
)
