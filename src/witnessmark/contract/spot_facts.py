"""What changed at one matched place of two schemas: types, null, values, bounds, lengths.

Pure: no I/O, no clock. All facts are directed: `before` and `after` are exchanged below `not`, because what narrows there
widens the whole; below `if` nothing is concluded (None). Bounds are compared as sets of values, not as spelled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

from witnessmark.contract.schema_view import ALL_TYPES, View, same
from witnessmark.contract.spots import Spot

TypeChange = Literal["", "widened", "narrowed", "changed"]

# Limits that generators write on every integer of a language's type: nobody sends values beyond them.
GENERATOR_LIMITS: Final = frozenset(sign * value for bits in (31, 32, 53, 63, 64) for value in (2**bits, 2**bits - 1) for sign in (1, -1))

# (keyword, +1 if a larger number narrows, -1 if a smaller one does, value where it is absent)
LENGTHS: Final = (
    ("minLength", 1, 0),
    ("maxLength", -1, math.inf),
    ("minItems", 1, 0),
    ("maxItems", -1, math.inf),
    ("minProperties", 1, 0),
    ("maxProperties", -1, math.inf),
    ("minContains", 1, 1),
    ("maxContains", -1, math.inf),
)


class Bound(msgspec.Struct, frozen=True):
    """One end of a range of numbers: `limit` is the last value allowed (`exclusive`: the first one that is not);
    infinite where there is none. `keyword` is where it was said, "" nowhere.
    """

    limit: float
    exclusive: bool
    keyword: str


class BoundChange(msgspec.Struct, frozen=True):
    """One end that changed: `kind` is `tightened`, `loosened`, `generator` or `respelled`."""

    kind: Literal["tightened", "loosened", "generator", "respelled"]
    keyword: str
    before: Any
    after: Any


def ends(spot: Spot) -> tuple[View, View] | None:
    """(before, after) in the direction in which allowed values are lost; None below `if` and where one is unreadable."""
    if spot.polarity == 0 or spot.old.unread or spot.new.unread:
        return None
    return (spot.old, spot.new) if spot.polarity == 1 else (spot.new, spot.old)


def directed(spots: list[Spot]) -> Iterator[tuple[Spot, View, View]]:
    """Every place with its ends."""
    for spot in spots:
        sides = ends(spot)
        if sides is not None:
            yield spot, *sides


def type_change(before: View, after: View) -> TypeChange:
    """How the allowed types changed, null aside; an integer is a number."""
    if before.never or after.never:
        return "" if before.never == after.never else ("narrowed" if after.never else "widened")
    first, second = _with_integers(before.types), _with_integers(after.types)
    if first == second:
        return ""
    if first <= second:
        return "widened"
    if second <= first:
        return "narrowed"
    return "changed"


def _with_integers(types: frozenset[str] | None) -> frozenset[str]:
    """The types as a set in which a number includes the integers; null is looked at apart."""
    if types is None:
        return ALL_TYPES - {"null"}
    found = types - {"null"} or types
    return found | {"integer"} if "number" in found else found


def null_change(before: View, after: View) -> Literal["", "added", "removed"]:
    """Whether null is newly allowed or no longer; nothing where a side allows any type."""
    if before.types is None or after.types is None or before.types == {"null"} or after.types == {"null"} or before.never or after.never:
        return ""
    if before.nullable == after.nullable:
        return ""
    return "added" if after.nullable else "removed"


def values_lost(before: View, after: View) -> list[Any]:
    """The listed values that are allowed no longer, in their old order; empty where a side lists none."""
    first, second = before.values, after.values
    return [] if first is None or second is None else [value for form, value in first.items() if form not in second]


def recased(before: View, after: View) -> list[tuple[str, str]]:
    """The lost texts that come back under another case: (old, new)."""
    gained = {value.casefold(): value for value in values_lost(after, before) if type(value) is str}
    lost = [value for value in values_lost(before, after) if type(value) is str]
    return [(value, gained[value.casefold()]) for value in lost if value.casefold() in gained]


def bound_changes(before: View, after: View) -> Iterator[BoundChange]:
    """The ends of a range of numbers that changed or are spelled in another way."""
    for low in (True, False):
        keywords = ("minimum", "exclusiveMinimum") if low else ("maximum", "exclusiveMaximum")
        said = [{name: side.schema[name] for name in keywords if name in side.schema} for side in (before, after)]
        if same(said[0], said[1]):
            continue
        first, second = _bound(before, low=low), _bound(after, low=low)
        keyword = second.keyword or first.keyword or next(iter({**said[1], **said[0]}))
        old, new = said[0].get(first.keyword), said[1].get(second.keyword)
        real = _bound(before, low=low, generated=False), _bound(after, low=low, generated=False)
        if _rank(first, low=low) == _rank(second, low=low):
            yield BoundChange("respelled", keyword, old, new)
        elif _rank(real[0], low=low) == _rank(real[1], low=low):
            yield BoundChange("generator", keyword, old, new)
        else:
            kind: Literal["tightened", "loosened"] = "tightened" if _rank(real[1], low=low) > _rank(real[0], low=low) else "loosened"
            yield BoundChange(kind, keyword, old, new)


def _rank(bound: Bound, *, low: bool) -> tuple[float, bool]:
    """A number that grows as the end tightens."""
    return (bound.limit if low else -bound.limit, bound.exclusive)


def _bound(side: View, *, low: bool, generated: bool = True) -> Bound:
    """One end of the range that a schema allows; `generated` False: without limits that generators write."""
    inclusive, exclusive = ("minimum", "exclusiveMinimum") if low else ("maximum", "exclusiveMaximum")
    found = Bound(-math.inf if low else math.inf, exclusive=False, keyword="")
    integral = side.types == frozenset(("integer",))
    said_exclusive = side.schema.get(exclusive)
    for keyword in (inclusive, exclusive):
        limit = side.schema.get(keyword)
        if not isinstance(limit, int | float) or type(limit) is bool or (not generated and limit in GENERATOR_LIMITS):
            continue
        # Draft 04: `exclusiveMinimum: true` turns `minimum` into an exclusive end.
        shut = keyword == exclusive or said_exclusive is True
        if integral and shut and math.isfinite(limit):
            limit, shut = (math.floor(limit) + 1, False) if low else (math.ceil(limit) - 1, False)
        elif integral and math.isfinite(limit):
            limit = math.ceil(limit) if low else math.floor(limit)
        bound = Bound(limit, shut, keyword)
        if _rank(bound, low=low) > _rank(found, low=low):
            found = bound
    return found


def length_changes(before: View, after: View) -> Iterator[tuple[str, bool, Any, Any]]:
    """(keyword, whether it narrows, old value, new value) of the lengths and counts that changed."""
    for keyword, direction, absent in LENGTHS:
        first, second = before.schema.get(keyword, absent), after.schema.get(keyword, absent)
        if type(first) in (int, float) and type(second) in (int, float) and first != second:
            yield keyword, (second - first) * direction > 0, before.schema.get(keyword), after.schema.get(keyword)


def step_change(before: View, after: View) -> Literal["", "tightened", "loosened"]:
    """How `multipleOf` changed: loosened where every old multiple is a new one."""
    first, second = before.schema.get("multipleOf"), after.schema.get("multipleOf")
    if first is None and second is None:
        return ""
    if second is None:
        return "loosened"
    if not isinstance(first, int | float) or not isinstance(second, int | float) or not second:
        return "tightened"
    if first == second:
        return ""
    return "loosened" if math.isfinite(first / second) and (first / second).is_integer() else "tightened"


def limits_items(side: View) -> bool:
    """Whether the items of a list must fit a schema."""
    items = side.schema.get("items")
    return items is False or (type(items) is dict and bool(items))


def limits_more(side: View) -> bool:
    """Whether values under undeclared names must fit a schema."""
    further = side.schema.get("additionalProperties")
    return type(further) is dict and bool(further)


def members(side: View) -> int:
    """How many schemas a conjunction has."""
    held = side.schema.get("allOf")
    return len(held) if type(held) is list else 0
