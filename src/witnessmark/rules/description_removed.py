"""A description is gone."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="description-removed",
    name="A description is gone",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read what is gone, and ask for a description",
    find=partial(texts_of, kind="description-removed"),
    mirror=("description-tool", "description-param", "description-schema"),
    doc=Doc(
        means="A tool or a parameter had a text and has none now.",
        matters="Without it the model guesses from the name. What the text promised, a default, a bound, a condition, is no "
        "longer promised.",
        do="Read the old text. Keep the old version of the server if agents depend on what it said, and ask the owner to "
        "describe the tool.",
        cannot_see="Whether the promise still holds although nobody makes it any more.",
        source="Specification, Tool.description: optional, yet the only thing that tells the model what a tool is for.",
    ),
)
