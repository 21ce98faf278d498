"""A text or example of the input schema changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.model.change import ABSENT
from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Found, Rule

_TELLING: Final = ("examples", "example", "deprecated", "$comment")


def find(pair: Pair) -> Iterator[Found]:
    """Texts of the input schema that belong to no parameter, then keywords that only tell."""
    yield from texts_of(pair, "description-schema")
    for spot in pair.input.spots:
        for keyword in _TELLING:
            before, after = spot.old.schema.get(keyword, ABSENT), spot.new.schema.get(keyword, ABSENT)
            if before is after or (before is not ABSENT and after is not ABSENT and same(before, after)):
                continue
            said = "stands there now" if before is ABSENT else "is gone" if after is ABSENT else "is another"
            yield Found(
                pointer=f"{spot.pointer}/{keyword}", why=f"`{keyword}` {said}; it tells and forbids nothing", before=before, after=after
            )


RULE = Rule(
    kind="description-schema",
    name="A text or example of the input schema changed",
    old_caller="none",
    model_told="changed",
    confidence="low",
    step="read",
    action="read both texts",
    find=find,
    mirror=("description-schema", "description-removed", "default-changed-in-text", "bound-tightened-in-text"),
    doc=Doc(
        means="A text of the input schema that belongs to no parameter, or a keyword that only tells (`examples`, "
        "`deprecated`, `$comment`), is another one.",
        matters="The model may be shown it. An example teaches a form, and `deprecated` announces that a parameter will go.",
        do="Read both; plan for what is deprecated.",
        cannot_see="A meaning that moves without a number, a default or one of the cue words moving; and whether a flagged text "
        "really changed what the server does.",
        source="JSON Schema 2020-12, validation, section 9 (meta-data annotations): no validator's answer depends on them.",
    ),
)
