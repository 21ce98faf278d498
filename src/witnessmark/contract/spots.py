"""The places at which two schemas are compared: one walk over both, matched by position, used by every rule.

Pure: no I/O, no clock. Equal subtrees are left out. Every pair of schema objects is visited once, so that definitions
that refer to each other cost their own size; bounds below end the walk on hostile ones (`Walk.cut`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from witnessmark.contract.branches import match_branches
from witnessmark.contract.schema_view import View, follow, same, view
from witnessmark.contract.schema_walk import subschemas

# Places compared in one schema; the largest captured schema has 945 nodes.
MAX_SPOTS: Final = 10_000
# Levels of schemas below the top; captured schemas have at most 22.
MAX_LEVELS: Final = 48

# Keywords with one schema, and how they turn the direction: -1 what narrows there widens here, 0 both ways.
_SINGLE: Final = {
    "additionalProperties": 1,
    "additionalItems": 1,
    "unevaluatedProperties": 1,
    "unevaluatedItems": 1,
    "propertyNames": 1,
    "contains": 1,
    "contentSchema": 1,
    "then": 1,
    "else": 1,
    "not": -1,
    "if": 0,
}
_NAMED: Final = ("patternProperties", "dependentSchemas")


class Spot(msgspec.Struct, frozen=True, gc=False):
    """One place that both schemas have. `pointer` leads through the new tool; `name` is the property's if the place is
    one, `parameter` the top-level one it lies in ("" at the top); `polarity` 1 as the whole schema, -1 below `not`, 0
    below `if`. `branches_gone` and `branches_new` are the parts of a union that found no partner.
    """

    pointer: str
    old: View
    new: View
    polarity: int = 1
    name: str = ""
    parameter: str = ""
    levels: int = 0
    required_before: bool = False
    required_now: bool = False
    branches_gone: tuple[tuple[int, Any], ...] = ()
    branches_new: tuple[tuple[int, Any], ...] = ()


class Walk:
    """The matched places of two schemas, in document order of the new one."""

    def __init__(self, old_root: Any, new_root: Any, pointer: str) -> None:
        self._old_root = old_root
        self._new_root = new_root
        self._seen: set[tuple[int, int]] = set()
        self._merged: list[View] = []
        # Where a reference stands, an equal text may lead to another definition.
        self._refers = _refers(old_root) or _refers(new_root)
        self.cut = False
        self.recursive = False
        self.spots: list[Spot] = []
        self._left = MAX_SPOTS
        self._compare(old_root, new_root, Spot(pointer, view(None, None), view(None, None)))

    def _compare(self, old_raw: Any, new_raw: Any, at: Spot) -> None:
        """Compare two schemas at a place; `at` says where it is."""
        if not self._refers and same(old_raw, new_raw):
            return
        if self._left <= 0 or at.levels > MAX_LEVELS:
            self.cut = True
            return
        self._left -= 1
        old, new = view(old_raw, self._old_root), view(new_raw, self._new_root)
        key = (old.identity, new.identity)
        if old.identity and new.identity:
            if key in self._seen:
                self.recursive = True
                return
            self._seen.add(key)
        # Identities are addresses: what they name is kept alive until the walk ends.
        self._merged += (old, new)
        pairs, gone, added = match_branches(old, new)
        spot = msgspec.structs.replace(at, old=old, new=new, branches_gone=gone, branches_new=added)
        self.spots.append(spot)
        for old_part, new_part, place in pairs:
            self._compare(old_part, new_part, self._below(spot, place))
        self._descend(spot)

    def _descend(self, spot: Spot) -> None:
        """Compare what stands inside both schema objects."""
        old, new = spot.old.schema, spot.new.schema
        old_properties, new_properties = spot.old.properties, spot.new.properties
        for name, child in new_properties.items():
            if name in old_properties:
                self._compare(
                    old_properties[name],
                    child,
                    Spot(
                        f"{spot.pointer}/properties/{escaped(name)}",
                        spot.old,
                        spot.new,
                        spot.polarity,
                        name,
                        spot.parameter or name,
                        spot.levels + 1,
                        name in spot.old.required,
                        name in spot.new.required,
                    ),
                )
        for keyword, turn in _SINGLE.items():
            if type(old.get(keyword)) is dict and type(new.get(keyword)) is dict:
                self._compare(old[keyword], new[keyword], self._below(spot, keyword, turn))
        for keyword in _NAMED:
            held, other = old.get(keyword), new.get(keyword)
            if type(held) is dict and type(other) is dict:
                for name in other:
                    if name in held:
                        self._compare(held[name], other[name], self._below(spot, f"{keyword}/{escaped(name)}"))
        self._items(spot)
        members, others = old.get("allOf"), new.get("allOf")
        if type(members) is list and type(others) is list and len(members) == len(others):
            for index, (member, other) in enumerate(zip(members, others, strict=True)):
                self._compare(member, other, self._below(spot, f"allOf/{index}"))

    def _items(self, spot: Spot) -> None:
        """Compare the items of arrays, and tuples place by place whichever draft spells them."""
        old, new = spot.old.schema, spot.new.schema
        for index, (one, other) in enumerate(zip(tuple_of(old) or (), tuple_of(new) or (), strict=False)):
            keyword = "prefixItems" if "prefixItems" in new else "items"
            self._compare(one, other, self._below(spot, f"{keyword}/{index}"))
        if type(old.get("items")) is dict and type(new.get("items")) is dict:
            self._compare(old["items"], new["items"], self._below(spot, "items"))

    def _below(self, spot: Spot, place: str, turn: int = 1) -> Spot:
        """The place below a spot that is no property."""
        pointer = f"{spot.pointer}/{place}" if place else spot.pointer
        return Spot(pointer, spot.old, spot.new, spot.polarity * turn, "", spot.parameter, spot.levels + 1)


def tuple_of(schema: dict[str, Any]) -> list[Any] | None:
    """The schemas of an array's first places: `prefixItems`, or before 2020-12 a list under `items`; None for none."""
    for keyword in ("prefixItems", "items"):
        if type(schema.get(keyword)) is list:
            held: list[Any] = schema[keyword]
            return held
    return None


def escaped(name: str) -> str:
    """A member name as one part of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _refers(root: Any) -> bool:
    """Whether any member of the document is named like a reference."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if type(node) is dict:
            if "$ref" in node:
                return True
            waiting.extend(node.values())
        elif type(node) is list:
            waiting.extend(node)
    return False


def references(schema: Any) -> Iterator[tuple[str, str]]:
    """(reference, why it cannot be read or "") of every `$ref` in a schema document."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if type(node) is not dict:
            continue
        if "$ref" in node:
            yield str(node["$ref"]), follow(node["$ref"], schema)[1]
        waiting.extend(subschemas(node))
