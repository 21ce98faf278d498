"""The description of a parameter changed."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="description-param",
    name="The description of a parameter changed",
    old_caller="none",
    model_told="changed",
    confidence="low",
    step="read",
    action="read both texts",
    find=partial(texts_of, kind="description-param"),
    mirror=("description-param", "description-removed", "default-changed-in-text", "bound-tightened-in-text"),
    doc=Doc(
        means="The text of a parameter, or of a property inside one, is another one, or stands where there was none.",
        matters="A base folder, a way of matching, a unit or a condition on other parameters usually stands only here. Old "
        "arguments then mean something else and are still accepted.",
        do="Read both texts. If the meaning moved, send the argument in the new sense, and approve then.",
        cannot_see="A meaning that moves without a number, a default or one of the cue words moving; and whether a flagged text "
        "really changed what the server does.",
        source="Labelled upgrades of real servers: most silent breaks are prose. Cues and their measured effect: contract/prose.py.",
    ),
)
