"""The two places where a tool has a display name, for the title rules. Pure: no I/O, no clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Found


def titles(pair: Pair, kind: str) -> Iterator[Found]:
    """The titles that are new, another or gone, as the kind says."""
    for pointer, before, after in _both(pair):
        if before is after or (before is not ABSENT and after is not ABSENT and same(before, after)):
            continue
        said = "title-added" if before is ABSENT else "title-removed" if after is ABSENT else "title-changed"
        if said == kind:
            shown = " became ".join(quoted(each) for each in (before, after) if each is not ABSENT)
            yield Found(pointer=pointer, why=f"the display name: {shown}", before=before, after=after)


def _both(pair: Pair) -> Iterator[tuple[str, Any, Any]]:
    """(pointer, before, after) of the tool's own title and of the one in its annotations."""
    yield "/title", pair.old.get("title", ABSENT), pair.new.get("title", ABSENT)
    held = [side.get("annotations") for side in (pair.old, pair.new)]
    before, after = (side.get("title", ABSENT) if type(side) is dict else ABSENT for side in held)
    yield "/annotations/title", before, after
