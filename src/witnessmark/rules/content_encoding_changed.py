"""What a text encodes changed: the same text is read otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places where a content keyword differs."""
    for spot in pair.input.spots:
        for keyword in ("contentEncoding", "contentMediaType", "contentSchema"):
            old, new = spot.old.schema.get(keyword, ABSENT), spot.new.schema.get(keyword, ABSENT)
            if (old is ABSENT) != (new is ABSENT) or not same(old, new):
                yield Found(pointer=f"{spot.pointer}/{keyword}", why="the same text may be decoded otherwise", before=old, after=new)


RULE = Rule(
    kind="content-encoding-changed",
    name="The encoding of a text changed",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read how the text must be encoded",
    find=find,
    mirror=("content-encoding-changed",),
    doc=Doc(
        means="`contentEncoding` or `contentMediaType` of a text was added, dropped or changed: base64 or plain, JSON or not.",
        matters="No validator refuses the old form: the server decodes what was not encoded, or keeps what was.",
        do="Read how the text must be encoded.",
        cannot_see="How the server reads the text.",
        source="JSON Schema 2020-12, validation 8 (content keywords are annotations).",
    ),
)
