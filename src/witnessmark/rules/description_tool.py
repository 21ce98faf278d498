"""The description of a tool changed."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="description-tool",
    name="The description of a tool changed",
    old_caller="none",
    model_told="changed",
    confidence="low",
    step="read",
    action="read both texts",
    find=partial(texts_of, kind="description-tool"),
    mirror=("description-tool", "description-removed", "default-changed-in-text", "bound-tightened-in-text"),
    doc=Doc(
        means="The text that tells the model what the tool does is another one, or stands where there was none.",
        matters="The model chooses tools and writes arguments by this text. If the meaning moved, an agent that works by the "
        "old text gets an answer to another question, and no error says so. New order words to the model are graded as "
        "escalated.",
        do="Read both texts, the changed words are marked. If it is only wording, approve; if it is not, let the client "
        "read the tools again before the next call.",
        cannot_see="A meaning that moves without a number, a default or one of the cue words moving; and whether a flagged text "
        "really changed what the server does.",
        source="Labelled upgrades of real servers: most silent breaks are prose. Cues and their measured effect: contract/cue_words.py.",
    ),
)
