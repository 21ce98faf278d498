"""What a tool carries outside its contract: `_meta` and members that no revision defines, for the meta rules.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from witnessmark.contract.pairing import Pair
from witnessmark.contract.projection import PROJECTED_MEMBERS
from witnessmark.contract.schema_view import same
from witnessmark.contract.spots import escaped
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import Found

UI: Final = "ui"
VISIBILITY: Final = "visibility"
# Keys of `_meta` under which frameworks keep their own books.
_BOOKKEEPING: Final = ("fastmcp", "_fastmcp")
_KNOWN: Final = frozenset((*PROJECTED_MEMBERS, "icons", "_meta"))
_HINTS: Final = frozenset(("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"))


def differing(old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """(name, before, now) of the members of two objects that differ; what is no object has none."""
    before, after = (side if type(side) is dict else {} for side in (old, new))
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name, ABSENT), after.get(name, ABSENT)
        if one is ABSENT or other is ABSENT or not same(one, other):
            yield name, one, other


def is_bookkeeping(name: str) -> bool:
    """Whether a key of `_meta` is a framework's own."""
    return name in _BOOKKEEPING or name.endswith(("/fastmcp", ".fastmcp"))


def meta_of(tool: dict[str, Any]) -> dict[str, Any]:
    """The `_meta` of a tool, {} where it has none that can be read."""
    held = tool.get("_meta")
    return held if type(held) is dict else {}


def ui_of(tool: dict[str, Any]) -> dict[str, Any]:
    """What the apps extension says about a tool, {} where nothing."""
    held = meta_of(tool).get(UI)
    return held if type(held) is dict else {}


def others(pair: Pair) -> Iterator[Found]:
    """Every difference outside the contract that no other rule names, and hints that no revision defines."""
    for name, before, after in differing(pair.old, pair.new):
        if name not in _KNOWN:
            yield _found(f"/{escaped(name)}", before, after)
    for name, before, after in differing(pair.old.get("_meta"), pair.new.get("_meta")):
        if name != UI and not is_bookkeeping(name):
            yield _found(f"/_meta/{escaped(name)}", before, after)
    for name, before, after in differing(ui_of(pair.old), ui_of(pair.new)):
        if name != VISIBILITY:
            yield _found(f"/_meta/{UI}/{escaped(name)}", before, after)
    for member in ("annotations", "execution"):
        for name, before, after in differing(pair.old.get(member), pair.new.get(member)):
            if name not in _HINTS and not (member == "execution" and name == "taskSupport"):
                found = _found(f"/{member}/{escaped(name)}", before, after)
                # It stands inside the contract, where the model or a client may read it.
                yield msgspec.structs.replace(found, model_told="changed")


def _found(pointer: str, before: Any, after: Any) -> Found:
    said = "is new" if before is ABSENT else "is gone" if after is ABSENT else "is another"
    return Found(pointer=pointer, why=f"a member whose meaning no revision defines {said}", before=before, after=after)
