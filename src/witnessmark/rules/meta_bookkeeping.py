"""A framework's own notes changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.spots import escaped
from witnessmark.rules._meta import differing, is_bookkeeping
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Bookkeeping keys of `_meta` that differ."""
    for name, before, after in differing(pair.old.get("_meta"), pair.new.get("_meta")):
        if is_bookkeeping(name):
            yield Found(pointer=f"/_meta/{escaped(name)}", why="a framework's own notes differ", before=before, after=after)


RULE = Rule(
    kind="meta-bookkeeping",
    name="A framework's own notes changed",
    old_caller="none",
    model_told="same",
    confidence="high",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("meta-bookkeeping",),
    group=TOOLCHAIN,
    doc=Doc(
        means="A key of `_meta` under which a framework keeps its own books is another, new or gone.",
        matters="It does not: all that were read were tags and versions of the framework.",
        do="Nothing needs to be done.",
        cannot_see="A framework that starts to put meaning there.",
        source="Specification, `_meta`: reserved for metadata; keys belong to who defines them.",
    ),
)
