"""The same set of values under other keywords."""

from __future__ import annotations

from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="combinator-respelled",
    name="The schema is spelled in another way",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    mirror=("combinator-respelled",),
    doc=Doc(
        means=(
            "Both schemas allow exactly the same values: only the spelling differs (a union of constants for an enum, `allOf` of "
            "one, `oneOf` for `anyOf` where the parts exclude each other)."
        ),
        matters="It does not: no argument that was accepted is refused, and none is newly accepted.",
        do="Nothing has to be done.",
        cannot_see="Formats, defaults, content encodings and texts are not compared here; they have kinds of their own.",
        source=(
            "Containment of canonical schemas (jsonschema-rs), the old side closed: an agent sends declared names only. Asked in "
            "both directions."
        ),
    ),
)
