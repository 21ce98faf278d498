"""Output schemas at one place: what a client that validates by the old schema meets. Shared by the output rules.

Pure: no I/O, no clock. The direction is that of results: what is newly allowed may break an old reader, what is newly
forbidden cannot. The old schema counts as published: an open object stays open.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.contract.object_names import Names
from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import View, same
from witnessmark.contract.spots import Spot
from witnessmark.rules._naming import quoted, shown_value

_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
# Keywords that narrow in a way that is not compared: another value counts as newly allowing something.
_OTHER: Final = (
    "pattern",
    "multipleOf",
    "uniqueItems",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
)
# Bounds that generators write for "any integer": 2^53 - 1 and the limits of 32 and 64 bits.
_GENERATED: Final = frozenset((2**53 - 1, 2**53, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1))
# Values named in one explanation.
_VALUES_SHOWN: Final = 5


def allowed(spot: Spot) -> tuple[list[str], list[str]]:
    """(what results may newly hold at a place, what they no longer hold), in words."""
    more: list[str] = []
    less: list[str] = []
    old, new = spot.old, spot.new
    _types(old, new, more, less)
    _values(old, new, more, less)
    if spot.branches_new:
        more.append(f"{len(spot.branches_new)} further shape(s)")
    if spot.branches_gone:
        less.append(f"{len(spot.branches_gone)} of its shapes")
    for keyword in (*_LOWER, *_UPPER):
        _bound(keyword, old.schema, new.schema, more, less)
    for keyword in _OTHER:
        if keyword in old.schema and not same(old.schema[keyword], new.schema.get(keyword)):
            more.append(f"`{keyword}` is another or gone")
        elif keyword in new.schema and keyword not in old.schema:
            less.append(f"what `{keyword}` excludes")
    if new.unread and not old.unread:
        more.append("what its reference leads to cannot be read")
    return (less, more) if spot.polarity == -1 else (more, less)


def guard(spot: Spot) -> str:
    """`opened` or `closed` where an object began or ceased to take undeclared members, else ""."""
    if not spot.old.properties or not spot.new.properties or spot.old.closed == spot.new.closed:
        return ""
    return "opened" if spot.old.closed else "closed"


def object_names(pair: Pair) -> list[Names]:
    """What happened to the members of result objects; nothing where one side has no output schema: that is one change."""
    return pair.output.names if pair.output.old is not None and pair.output.new is not None else []


def required_before(names: Names, name: str) -> bool:
    """Whether the old schema promised the member in every result."""
    return name in names.spot.old.required


def retyped(pair: Pair) -> bool:
    """Whether an object of any members became one that names them: the old schema still lets it through."""
    side = pair.output
    return side.old is not None and side.new is not None and side.old_top.free_map and bool(side.new_top.properties)


def is_wrapper(schema: Any) -> bool:
    """Whether a schema is a framework's envelope round a plain result: one member `result`, marked or named so."""
    if type(schema) is not dict:
        return False
    properties, title = schema.get("properties"), schema.get("title")
    one = type(properties) is dict and list(properties) == ["result"]
    return schema.get("x-fastmcp-wrap-result") is True or (one and type(title) is str and title.endswith("Output"))


def _types(old: View, new: View, more: list[str], less: list[str]) -> None:
    if old.types is not None:
        wide = old.types | ({"integer"} if "number" in old.types else set())
        if new.types is None and not new.branches and not old.branches:
            more.append("any type")
        elif new.types is not None and (extra := new.types - wide):
            more.append("the type " + " or ".join(sorted(extra)))
    if (
        new.types is not None
        and old.types is not None
        and (lost := old.types - new.types - ({"integer"} if "number" in new.types else set()))
    ):
        less.append("the type " + " or ".join(sorted(lost)))
    if new.nullable and not old.nullable and (old.types is not None or old.branches):
        more.append("null")
    if old.nullable and not new.nullable:
        less.append("null")


def _values(old: View, new: View, more: list[str], less: list[str]) -> None:
    before, after = old.values, new.values
    if before is not None and after is not None:
        extra, lost = after.keys() - before.keys(), before.keys() - after.keys()
        if extra:
            more.append("the value " + ", ".join(shown_value(after[key]) for key in sorted(extra)[:_VALUES_SHOWN]))
        if lost:
            less.append("the value " + ", ".join(shown_value(before[key]) for key in sorted(lost)[:_VALUES_SHOWN]))
    elif before is not None and not new.branches:
        more.append("values outside the old list")
    elif after is not None and not old.branches:
        less.append("values outside a list")


def _bound(keyword: str, old: dict[str, Any], new: dict[str, Any], more: list[str], less: list[str]) -> None:
    before, after = (side.get(keyword) if type(side.get(keyword)) in {int, float} else None for side in (old, new))
    if before == after or abs(before or 0) in _GENERATED or abs(after or 0) in _GENERATED:
        return
    loosened = after is None or (before is not None and ((after < before) if keyword in _LOWER else (after > before)))
    (more if loosened else less).append(f"what {quoted(keyword)} {'let not through before' if loosened else 'shuts out now'}")
