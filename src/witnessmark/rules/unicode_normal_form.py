"""Only the Unicode form of a text differs."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="unicode-normal-form",
    name="Only the Unicode form of a text differs",
    old_caller="none",
    model_told="same",
    confidence="high",
    step="nothing",
    action="nothing",
    find=partial(texts_of, kind="unicode-normal-form"),
    mirror=("unicode-normal-form",),
    doc=Doc(
        means="Both texts look the same; one writes letters with marks as one character, the other as two.",
        matters="Not in prose. In a name it matters: see name-normal-form.",
        do="Nothing needs to be done.",
        cannot_see="Compatibility forms (full-width letters, ligatures): they count as other words.",
        source="Unicode Standard Annex 15: canonical equivalence (NFC, NFD).",
    ),
)
