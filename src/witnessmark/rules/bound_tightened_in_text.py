"""A limit is new or tighter in a text."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="bound-tightened-in-text",
    name="A limit is new or tighter in a text",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="read",
    action="stay inside the new limit",
    find=partial(texts_of, kind="bound-tightened-in-text"),
    mirror=("bound-tightened-in-text", "description-tool", "description-param", "description-removed", "default-changed-in-text"),
    doc=Doc(
        means="A text names a limit that it did not name, or a lower one, while no keyword of the schema moved.",
        matters="An argument beyond it is cut, refused or answered with less than was asked, and the schema still accepts it. "
        "This is a suspicion: a rule compared numbers and limit words.",
        do="Read both texts and keep arguments inside the limit. Ask the owner to state it in the schema.",
        cannot_see="Whether the limit is new or was only never written down.",
        source="Labelled upgrades of real servers: most silent breaks are prose. Cues and their measured effect: contract/cue_words.py.",
    ),
)
