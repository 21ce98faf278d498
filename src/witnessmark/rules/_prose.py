"""What the text rules share: which kind an edited text is, and how it is graded.

Pure: no I/O, no clock. Every text that differs is of exactly one kind, so that one edit is one change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from witnessmark.contract.invisible import name_of, visible
from witnessmark.contract.pairing import Pair
from witnessmark.contract.texts import TextEdit
from witnessmark.model.change import ABSENT, ModelTold
from witnessmark.rules._rule import Found

REMOVED: Final = "description-removed"
WHITESPACE: Final = "whitespace-text"
NORMAL_FORM: Final = "unicode-normal-form"
DEFAULT: Final = "default-changed-in-text"
BOUND: Final = "bound-tightened-in-text"
OUTPUT: Final = "description-output"

# Order words that one explanation names.
_ORDERS_SHOWN: Final = 3


def kind_of(edit: TextEdit) -> str:
    """The one kind of an edited text."""
    if edit.form == "arranged":
        return WHITESPACE
    if edit.form == "unicode":
        return NORMAL_FORM
    if edit.role == "output":
        return OUTPUT
    if edit.form == "removed":
        return REMOVED
    if edit.reading.sort == "default":
        return DEFAULT
    return BOUND if edit.reading.sort == "bound" else f"description-{edit.role}"


def texts_of(pair: Pair, kind: str) -> Iterator[Found]:
    """The edited texts of one kind, graded by what made them suspicious."""
    for edit in pair.texts:
        if kind_of(edit) == kind and edit.form != "hidden":
            yield _found(edit, kind)


def _found(edit: TextEdit, kind: str) -> Found:
    """The finding of one edited text. A suspicion is `silent` and says why; without one the wording alone is told."""
    reading = edit.reading
    told: ModelTold = "escalated" if reading.orders else "changed"
    cosmetic = kind in (WHITESPACE, NORMAL_FORM)
    suspicious = bool(reading.cues) and kind != OUTPUT
    return Found(
        pointer=edit.pointer,
        why=_why(edit),
        before=ABSENT if edit.before is None else edit.before,
        after=ABSENT if edit.after is None else edit.after,
        old_caller="silent" if suspicious or (kind == REMOVED and edit.role == "tool") else "none",
        model_told="same" if cosmetic else told,
        confidence=None if cosmetic else "medium" if any(cue.strong for cue in reading.cues) else "low",
    )


def _why(edit: TextEdit) -> str:
    """What happened, what made it suspicious, and what it orders the model."""
    reading = edit.reading
    if edit.form == "arranged":
        if not edit.before or not edit.after:
            return "an empty text is no text"
        if visible(edit.before) == visible(edit.after):
            return "characters that no reader sees are gone; the rest is the same"
        return "only spaces and line ends differ"
    if edit.form == "unicode":
        return "only the Unicode normalization form differs: it looks the same"
    said = {
        "added": "a text stands where there was none",
        "removed": "the text is gone: the model goes by the name alone",
    }.get(edit.form, "the wording changed, and no cue says that the meaning did")
    if reading.suspicion:
        said = f"{said}; {reading.suspicion}" if edit.form == "removed" else reading.suspicion
    if reading.orders:
        said += "; it orders the model: " + ", ".join(f"`{order}`" for order in reading.orders[:_ORDERS_SHOWN])
    if edit.hidden:
        said += "; it holds characters that no reader sees: " + ", ".join(map(name_of, edit.hidden[:_ORDERS_SHOWN]))
    return said
