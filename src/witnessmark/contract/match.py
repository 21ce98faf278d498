"""Whether what a model is shown of a tool agrees with a wire definition of it, and at which grade.

Pure: no I/O, no clock. Grades: verdicts.md, section 2. `exact`: description and input schema are literally those of the
wire. `core`: what survives the rewrites that clients are known to make. Anything below is `different`, with reasons.

What `core` cannot see: bounds, patterns, formats and defaults; a text of a parameter; a changed description that still
contains the other one; an enum or a nested schema that only one side shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from witnessmark.contract.canonical import canonical_bytes
from witnessmark.contract.digest import shown_digest
from witnessmark.contract.schema_walk import resolve
from witnessmark.contract.shown import ShownDefinition

# Levels of nested schemas that are compared. Below them nothing is concluded; real input schemas stay below 10.
_MAX_COMPARED_LEVELS: Final = 16
# Schemas that are compared in one tool; the rest is left without a conclusion. Definitions that refer to each other
# could otherwise be walked 2^16 times.
_MAX_COMPARED_SCHEMAS: Final = 5_000

# A line of a client's own around a text that it does not trust, as one agent framework does it.
_WRAPPER: Final = re.compile(r"\s*<<<BEGIN_[A-Z_]{1,64}>>>\n(?P<text>.*)\n<<<END_[A-Z_]{1,64}>>>\s*", re.DOTALL)


class Grade(StrEnum):
    """How far a shown definition agrees with a wire definition."""

    EXACT = "exact"
    CORE = "core"
    DIFFERENT = "different"


class Difference(StrEnum):
    """Why a shown definition does not agree with a wire definition."""

    DESCRIPTION_DIFFERS = "DescriptionDiffers"
    PROPERTY_MISSING = "PropertyMissing"
    PROPERTY_ADDED = "PropertyAdded"
    REQUIRED_DROPPED = "RequiredDropped"
    REQUIRED_ADDED = "RequiredAdded"
    ENUM_DIFFERS = "EnumDiffers"


class InstallProjection(msgspec.Struct, frozen=True):
    """What a client version is known to add of its own to every tool's parameters.

    `added_properties`: top-level property names; `requires_all`: it lists every property as required.
    """

    added_properties: frozenset[str] = frozenset()
    requires_all: bool = False


class Match(msgspec.Struct, frozen=True):
    """The grade, and for `different` the reasons, each once, in the order of `Difference`."""

    grade: Grade
    reasons: tuple[Difference, ...] = ()


NO_ADDITIONS: Final = InstallProjection()


def match(shown: ShownDefinition, wire: Mapping[str, Any], additions: InstallProjection = NO_ADDITIONS) -> Match:
    """The grade at which a shown definition agrees with a wire tool; names are mapped before (see `names`).

    PeerError if either side has no canonical form: nothing can be said about such a definition.
    """
    description, schema = wire.get("description"), wire.get("inputSchema")
    if shown_digest(shown.description, shown.input_schema) == shown_digest(description, schema):
        return Match(Grade.EXACT)
    comparison = _Comparison(schema, shown.input_schema, additions)
    comparison.compare_top()
    if not _describes(shown.description, description):
        comparison.found.add(Difference.DESCRIPTION_DIFFERS)
    if comparison.found:
        return Match(Grade.DIFFERENT, tuple(each for each in Difference if each in comparison.found))
    return Match(Grade.CORE)


def _describes(shown: str | None, wire: object) -> bool:
    """Whether the shown description is or contains the wire's, white space aside."""
    wire_words = " ".join(wire.split()) if type(wire) is str else ""
    wrapped = _WRAPPER.fullmatch(shown or "")
    shown_words = " ".join((wrapped["text"] if wrapped else shown or "").split())
    # The empty text is contained in every other one, which would make each old description agree with a removed one.
    return wire_words in shown_words if wire_words else not shown_words


class _Comparison:
    """One walk over both input schemas side by side; `found` collects the differences."""

    def __init__(self, wire: Any, shown: Any, additions: InstallProjection) -> None:
        self._wire_root = wire
        self._shown_root = shown
        self._additions = additions
        self._schemas_left = _MAX_COMPARED_SCHEMAS
        self.found: set[Difference] = set()

    def compare_top(self) -> None:
        """At the top both sides show their parameters: what one side lacks there is a difference."""
        wire, _ = _plain(self._wire_root, self._wire_root)
        shown, _ = _plain(self._shown_root, self._shown_root)
        self._names(_properties(wire) or {}, _properties(shown) or {}, self._additions.added_properties)
        self._required(_required(wire) or frozenset(), _required(shown) or frozenset())
        self._members(wire, shown, _MAX_COMPARED_LEVELS)

    def _compare(self, wire: Any, shown: Any, levels_left: int) -> None:
        """Below the top only what both sides show is compared."""
        self._schemas_left -= 1
        if self._schemas_left < 0 or not levels_left:
            return
        wire, wire_nullable = _plain(wire, self._wire_root)
        shown, shown_nullable = _plain(shown, self._shown_root)
        if wire is None or shown is None:
            return
        self._enum(wire, shown, nullable=wire_nullable or shown_nullable)
        wire_properties, shown_properties = _properties(wire), _properties(shown)
        if wire_properties is not None and shown_properties is not None:
            self._names(wire_properties, shown_properties, frozenset())
            wire_required, shown_required = _required(wire), _required(shown)
            if shown_required is not None:
                self._required(wire_required or frozenset(), shown_required)
        self._members(wire, shown, levels_left)

    def _members(self, wire: dict[str, Any] | None, shown: dict[str, Any] | None, levels_left: int) -> None:
        """The schemas that stand under one name on both sides."""
        if wire is None or shown is None:
            return
        shown_properties = _properties(shown) or {}
        for name, child in (_properties(wire) or {}).items():
            if name in shown_properties:
                self._compare(child, shown_properties[name], levels_left - 1)
        for keyword in ("items", "additionalProperties"):
            self._compare(wire.get(keyword), shown.get(keyword), levels_left - 1)

    def _names(self, wire: dict[str, Any], shown: dict[str, Any], own: frozenset[str]) -> None:
        if not wire.keys() <= shown.keys():
            self.found.add(Difference.PROPERTY_MISSING)
        if not shown.keys() <= wire.keys() | own:
            self.found.add(Difference.PROPERTY_ADDED)

    def _required(self, wire: frozenset[str], shown: frozenset[str]) -> None:
        if not wire <= shown:
            self.found.add(Difference.REQUIRED_DROPPED)
        if not self._additions.requires_all and not shown <= wire | self._additions.added_properties:
            self.found.add(Difference.REQUIRED_ADDED)

    def _enum(self, wire: dict[str, Any], shown: dict[str, Any], *, nullable: bool) -> None:
        wire_values, shown_values = _enum(wire), _enum(shown)
        if wire_values is None or shown_values is None:
            return
        # Clients move null between `enum`, `type` and `anyOf`; where one of them did, null says nothing.
        ignored = frozenset((b"null",)) if nullable else frozenset()
        if wire_values - ignored != shown_values - ignored:
            self.found.add(Difference.ENUM_DIFFERS)


def _plain(schema: Any, root: Any) -> tuple[dict[str, Any] | None, bool]:
    """The schema behind a local `$ref` and behind "or null", and whether null was said to be allowed.

    None where nothing can be read: no object, or a reference that leads nowhere.
    """
    nullable = False
    for _ in range(_MAX_COMPARED_LEVELS):
        schema = resolve(schema, root)
        if type(schema) is not dict:
            return None, nullable
        nullable = nullable or schema.get("nullable") is True or _has_null(schema.get("type"))
        if "$ref" in schema:
            continue
        branches = _first_list(schema, ("anyOf", "oneOf", "allOf"))
        if branches is None or "properties" in schema:
            return schema, nullable
        others = [each for each in branches if not (type(each) is dict and each.get("type") == "null")]
        if len(others) != 1:
            return schema, nullable
        nullable = nullable or len(others) < len(branches)
        schema = others[0]
    return None, nullable


def _has_null(kinds: object) -> bool:
    return type(kinds) is list and "null" in kinds


def _first_list(schema: dict[str, Any], keywords: tuple[str, ...]) -> list[Any] | None:
    return next((schema[each] for each in keywords if type(schema.get(each)) is list), None)


def _properties(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """The declared properties, None where the schema does not show any."""
    declared = schema.get("properties") if schema is not None else None
    return declared if type(declared) is dict else None


def _required(schema: dict[str, Any] | None) -> frozenset[str] | None:
    """The required names, None where the schema does not show any."""
    names = schema.get("required") if schema is not None else None
    return frozenset(name for name in names if type(name) is str) if type(names) is list else None


def _enum(schema: dict[str, Any]) -> frozenset[bytes] | None:
    """The canonical forms of the values that `enum` allows; `const` is an enum of one."""
    if "const" in schema:
        return frozenset((canonical_bytes(schema["const"]),))
    values = schema.get("enum")
    return frozenset(canonical_bytes(value) for value in values) if type(values) is list else None
