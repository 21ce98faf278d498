"""Definitions were inlined, renamed or moved, with the same meaning."""

from __future__ import annotations

from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="ref-refactor",
    name="Definitions were arranged in another way",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    mirror=("ref-refactor",),
    doc=Doc(
        means=(
            "Both schemas allow exactly the same values: definitions were written in place, taken out, renamed, moved from "
            "`definitions` to `$defs`, or an unused one was dropped."
        ),
        matters="It does not: nothing that is sent or understood changes.",
        do="Nothing has to be done.",
        cannot_see="Recursive schemas: for them equality is proved only where they are equal as written.",
        source=(
            "JSON Schema 2020-12, core 8.2 ($ref, $defs). Containment of canonical schemas (jsonschema-rs), the old side closed: "
            "an agent sends declared names only."
        ),
    ),
)
