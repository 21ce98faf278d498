"""What happened to the names that one object schema declares: gone, new, renamed, moved; and whether the old ones are
still accepted. The fact at the heart: declared before, accepted now, not declared now means swallowed.

Pure: no I/O, no clock. Patterns for names are never run: where one might take a name, the name counts as accepted.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from witnessmark.contract.schema_view import View, view
from witnessmark.contract.spots import Spot, escaped
from witnessmark.contract.successors import Renamed, successors

# Levels below an object where a moved name is looked for.
_MOVED_LEVELS: Final = 3
# Parts of a union or conjunction that are read for names.
_MAX_PARTS: Final = 200


class Names(msgspec.Struct, frozen=True, gc=False):
    """The names of one object. `gone` holds those without a likely successor, `renamed` those with one, `moved` those
    that are declared at another level now (old name -> pointer); `added` are new and nobody's successor. `emptied`: the
    new schema declares no name at all and refuses none; the other lists are then empty.
    """

    spot: Spot
    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    emptied: bool = False
    roots: tuple[Any, Any] = (None, None)

    def before(self, name: str) -> View:
        """The old schema of a name."""
        return view(self.spot.old.properties.get(name), self.roots[0])

    def now(self, name: str) -> View:
        """The new schema of a name."""
        return view(self.spot.new.properties.get(name), self.roots[1])

    def accepts(self, name: str) -> bool:
        """Whether the new object still accepts the old name, undeclared."""
        return accepts(self.spot.new, self.before(name), self.roots[1])

    def place(self, name: str) -> str:
        """The JSON Pointer of a name in this object."""
        return f"{self.spot.pointer}/properties/{escaped(name)}"


def names_of(spot: Spot, old_root: Any, new_root: Any) -> Names | None:
    """What happened to the names at a place; None where no side declares one or nothing happened."""
    old, new = spot.old.properties, spot.new.properties
    if not old and not new:
        return None
    if (
        old
        and "properties" not in spot.new.schema
        and not _declared(spot.new, new_root)
        and not spot.new.closed
        and not spot.new.never
        and not spot.new.unread
        and _is_object(spot.new)
    ):
        return Names(spot, emptied=True, roots=(old_root, new_root))
    if not _is_object(spot.new) or not _is_object(spot.old):
        # The type says it: an object became something else.
        return None
    still = _declared(spot.new, new_root)
    was = _declared(spot.old, old_root)
    gone = {name: child for name, child in old.items() if name not in still}
    added = {name: child for name, child in new.items() if name not in was}
    if not gone and not added:
        return None
    orders = tuple(
        [name for name in side.schema["required"] if type(name) is str] if type(side.schema.get("required")) is list else []
        for side in (spot.old, spot.new)
    )
    moved = _moved(gone, spot, old_root, new_root)
    gone = {name: child for name, child in gone.items() if name not in moved}
    renamed = successors(gone, added, orders[0], orders[1], (old_root, new_root)) if gone and added else ()
    claimed = {each.old for each in renamed}
    taken = {each.new for each in renamed}
    return Names(
        spot,
        tuple(name for name in gone if name not in claimed),
        tuple(name for name in added if name not in taken),
        renamed,
        tuple(moved.items()),
        roots=(old_root, new_root),
    )


def accepts(new: View, before: View, root: Any) -> bool:
    """Whether an object schema accepts a name that it does not declare, with a value that `before` allowed."""
    if new.never or not _is_object(new):
        return False
    if new.schema.get("patternProperties"):
        return True
    if new.closed:
        return False
    further = new.schema.get("additionalProperties")
    if type(further) is dict:
        types = view(further, root).types
        return types is None or before.types is None or not _disjoint(types, before.types)
    members = new.schema.get("allOf")
    if type(members) is list and any(view(each, root).closed for each in members[:_MAX_PARTS]):
        return False
    return not new.branches or not all(view(each, root).closed for each in new.branches[:_MAX_PARTS])


def _disjoint(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether no JSON value has a type of both."""
    return not ({"number" if each == "integer" else each for each in one} & {"number" if each == "integer" else each for each in other})


def _is_object(side: View) -> bool:
    return not side.never and (side.types is None or "object" in side.types)


def _declared(side: View, root: Any) -> frozenset[str]:
    """The names declared at this object, by itself or by any schema it is composed of."""
    found = set(side.properties)
    waiting = [*side.branches]
    for keyword in ("allOf", "anyOf", "oneOf"):
        held = side.schema.get(keyword)
        waiting.extend(held if type(held) is list else ())
    waiting.extend(side.schema[keyword] for keyword in ("then", "else", "if") if keyword in side.schema)
    dependent = side.schema.get("dependentSchemas")
    waiting.extend(dependent.values() if type(dependent) is dict else ())
    for read, part in enumerate(waiting):
        if read >= _MAX_PARTS:
            break
        inner = view(part, root)
        found.update(inner.properties)
        held = inner.schema.get("allOf")
        waiting.extend(held if type(held) is list else ())
    return frozenset(found)


def _moved(gone: dict[str, Any], spot: Spot, old_root: Any, new_root: Any) -> dict[str, str]:
    """Names that are gone here and declared now inside another object below, where they were not before."""
    if not gone:
        return {}
    before = dict(_inner(spot.old, old_root, "", _MOVED_LEVELS))
    found: dict[str, str] = {}
    for pointer, child in _inner(spot.new, new_root, "", _MOVED_LEVELS):
        name = pointer.rsplit("/", 1)[1]
        if name in gone and name not in found and pointer not in before:
            old_types, new_types = view(gone[name], old_root).types, view(child, new_root).types
            if old_types == new_types:
                found[name] = spot.pointer + pointer
    return found


def _inner(side: View, root: Any, pointer: str, levels_left: int) -> list[tuple[str, Any]]:
    """(pointer, schema) of the properties below the properties of an object; last part unescaped names only."""
    found: list[tuple[str, Any]] = []
    if not levels_left:
        return found
    for name, child in list(side.properties.items())[:_MAX_PARTS]:
        inner = view(child, root)
        place = f"{pointer}/properties/{escaped(name)}"
        found += [(f"{place}/properties/{escaped(deep)}", schema) for deep, schema in inner.properties.items()]
        found += _inner(inner, root, place, levels_left - 1)
        if len(found) > _MAX_PARTS:
            break
    return found[:_MAX_PARTS]
