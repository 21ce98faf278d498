"""Nothing is written out, or no longer."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Empty members on one side that the other side leaves out."""
    for spot in pair.input.spots:
        for keyword, empty in (("properties", {}), ("required", [])):
            old, new = spot.old.schema.get(keyword, ABSENT), spot.new.schema.get(keyword, ABSENT)
            if (old == empty and new is ABSENT) or (new == empty and old is ABSENT):
                yield Found(pointer=f"{spot.pointer}/{keyword}", why=f"an empty `{keyword}` and none are the same", before=old, after=new)
    bare = [dict(schema or {}) for schema in (pair.input.old, pair.input.new)]
    types = [schema.pop("type", None) for schema in bare]
    if sorted(types, key=str) == [None, "object"] and not any(schema.keys() - {"$schema", "properties", "required"} for schema in bare):
        yield Found(pointer="/inputSchema/type", why="arguments are always an object", before=types[0], after=types[1])


RULE = Rule(
    kind="schema-explicit-empty",
    name="An empty list or object is written out",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("schema-explicit-empty",),
    group=TOOLCHAIN,
    doc=Doc(
        means="`properties: {}`, `required: []` or `type: object` of a tool without parameters was written out or left out.",
        matters="It does not: absent and empty mean the same.",
        do="Nothing has to be done.",
        cannot_see="Nothing that the schema says. Some clients drop a tool whose schema lacks `type`.",
        source="JSON Schema 2020-12, core 10.3.2.1, validation 6.5.3: an empty list or object asserts nothing.",
    ),
)
