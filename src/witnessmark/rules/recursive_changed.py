"""A schema that refers to itself changed: the containment oracle cannot decide such schemas."""

from __future__ import annotations

from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="recursive-changed",
    name="A recursive schema changed",
    old_caller="silent",
    model_told="changed",
    confidence="low",
    step="read",
    action="read both schemas",
    mirror=("recursive-changed", "param-removed-open"),
    doc=Doc(
        means="A schema that contains itself changed, and no rule found harm. Containment of recursive schemas is not decided.",
        matters="Whether old arguments are still accepted is unknown, and unknown is never taken for harmless.",
        do="Read both schemas and approve the change if it is meant.",
        cannot_see="Whether the change matters: the rules compare each pair of definitions once, the oracle not at all.",
        source="Containment of canonical schemas (jsonschema-rs), the old side closed: an agent sends declared names only.",
    ),
)
