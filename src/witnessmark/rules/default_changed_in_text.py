"""A default moved in a text."""

from __future__ import annotations

from functools import partial

from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="default-changed-in-text",
    name="A default moved in a text",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="read",
    action="send the argument explicitly",
    find=partial(texts_of, kind="default-changed-in-text"),
    mirror=("default-changed-in-text", "description-tool", "description-param", "description-removed", "bound-tightened-in-text"),
    doc=Doc(
        means="What a text says of a default, of a value that is left out, or of what happens without it, is another thing "
        "now, while no `default` keyword moved.",
        matters="The same call, with the same arguments, does something else: fewer results, another format, another state of "
        "things. It is accepted, so nobody notices. This is a suspicion: a rule compared words.",
        do="Read both texts. Send the argument explicitly, so that the call no longer depends on the default.",
        cannot_see="Whether the server's behaviour changed or only its documentation caught up.",
        source="Labelled upgrades of real servers: most silent breaks are prose. Cues and their measured effect: contract/cue_words.py.",
    ),
)
