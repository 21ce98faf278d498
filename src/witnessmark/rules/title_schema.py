"""The title of a schema: a name that a generator writes."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Titles of input and output schemas and of what stands in them."""
    for spot in [*pair.input.spots, *pair.output.spots]:
        old, new = spot.old.schema.get("title", ABSENT), spot.new.schema.get("title", ABSENT)
        if (old is ABSENT) != (new is ABSENT) or not same(old, new):
            yield Found(pointer=f"{spot.pointer}/title", why="a name that a schema generator writes", before=old, after=new)


RULE = Rule(
    kind="title-schema",
    name="A schema's title changed",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("title-schema",),
    group=TOOLCHAIN,
    doc=Doc(
        means="The `title` inside a schema was added, dropped or changed: usually the name of a class or a field.",
        matters="It does not: validators ignore it, and it seldom reaches the model.",
        do="Nothing has to be done.",
        cannot_see="A text for the model that somebody put there.",
        source="JSON Schema 2020-12, validation 9.1 (title). Seen on all tools of a server at once when its SDK changed.",
    ),
)
