"""Who may see the tool changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._meta import VISIBILITY, differing, ui_of
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """A visibility that differs, `loud` where the model loses the tool."""
    for name, before, after in differing(ui_of(pair.old), ui_of(pair.new)):
        if name != VISIBILITY:
            continue
        if _for_model(before) == _for_model(after):
            yield Found(pointer="/_meta/ui/visibility", why="the model may call the tool as before", before=before, after=after)
        elif _for_model(before):
            why = "the model may no longer call the tool: it may vanish from the model's list"
            yield Found(pointer="/_meta/ui/visibility", why=why, before=before, after=after, old_caller="loud", model_told="changed")
        else:
            why = "the model may call the tool now"
            yield Found(pointer="/_meta/ui/visibility", why=why, before=before, after=after, model_told="escalated")


def _for_model(said: Any) -> bool:
    """Whether a visibility includes the model; both see the tool where nothing is said."""
    return said is ABSENT or type(said) is not list or "model" in said


RULE = Rule(
    kind="meta-ui-visibility",
    name="Who may see the tool changed",
    old_caller="none",
    model_told="same",
    confidence="medium",
    step="note",
    action="take note",
    find=find,
    mirror=("meta-ui-visibility",),
    doc=Doc(
        means="`_meta.ui.visibility` is another: it says whether the model, the app or both may call the tool.",
        matters="Where the model is left out, the tool may vanish from its list although the server offers it. A list without "
        "it is then no stale one.",
        do="If the model needs the tool, ask for another visibility; otherwise take note.",
        cannot_see="Whether your client follows the extension.",
        source="Extension MCP Apps, `_meta.ui.visibility`: [model, app] where absent.",
    ),
)
