"""Whether a call's arguments fit the names that an input schema declares: a trace of a call by another contract.

Pure: no I/O, no clock. Structural only: names are compared, values are neither read nor kept, and only counts come out.
In doubt nothing is counted: an undeclared name is taken as proof that the caller holds another contract.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from witnessmark.contract.schema_walk import resolve

# Schema objects that are read for one call: the top one and those it is composed of.
_MAX_COMPOSED_SCHEMAS: Final = 200

# Keywords whose branches add names to the object they stand in. Branches of `allOf` always hold; of the others any may.
_ALWAYS: Final = ("allOf",)
_PERHAPS: Final = ("anyOf", "oneOf")
_PERHAPS_ONE: Final = ("if", "then", "else")

# A pattern that is a literal, anchored or not: all that is decided here. A server's regular expressions are not run.
_LITERAL_PATTERN: Final = re.compile(r"(?P<start>\^?)(?P<literal>(?:[A-Za-z0-9_ :/@-]|\\[.$-])*)(?P<end>\$?)")


class Fit(msgspec.Struct, frozen=True):
    """How many top-level argument names are not declared, and how many required names are missing."""

    undeclared: int = 0
    missing_required: int = 0


def fits(arguments: Mapping[str, Any] | None, input_schema: object) -> Fit:
    """How the argument names of a call fit the input schema; absent arguments (None) are an empty object.

    Counts are lower bounds: a schema that cannot be read to its end (a reference that leads out of it, a pattern that
    is no literal, more than 200 composed schemas) declares every name.
    """
    names = frozenset(arguments or ())
    declared = _Declared(input_schema)
    declared.read(input_schema, always=True)
    undeclared = 0 if declared.open else sum(not declared.has(name) for name in names)
    return Fit(undeclared, len(declared.required - names))


def undeclared_names(arguments: Mapping[str, Any], input_schema: object) -> tuple[str, ...]:
    """The top-level argument names that the schema does not declare, in their order; none where it is a free map."""
    declared = _Declared(input_schema)
    declared.read(input_schema, always=True)
    return () if declared.open else tuple(name for name in arguments if not declared.has(name))


def declares(name: str, input_schema: object) -> bool:
    """Whether the schema says the name itself: a schema that takes any name declares none."""
    declared = _Declared(input_schema)
    declared.read(input_schema, always=True)
    return declared.has(name)


class _Declared:
    """The names that a schema and those it is composed of declare at its top level."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._schemas_left = _MAX_COMPOSED_SCHEMAS
        self._names: set[str] = set()
        self._patterns: list[re.Match[str]] = []
        # Whether some schema takes any name; whether some schema says which names there are.
        self._free = False
        self._says_names = False
        self.required: set[str] = set()

    @property
    def open(self) -> bool:
        """Whether every name counts as declared."""
        return self._free or not self._says_names

    def has(self, name: str) -> bool:
        """Whether the name is declared, by itself or by a pattern."""
        return name in self._names or any(_fits_literal(name, pattern) for pattern in self._patterns)

    def read(self, schema: Any, *, always: bool) -> None:
        """Take what the schema declares; `always`: it holds for every call, so that its `required` counts."""
        self._schemas_left -= 1
        if self._schemas_left < 0:
            self._free = True
            return
        if type(schema) is not dict:
            # `true` takes everything and `false` nothing; neither declares a name.
            return
        if "$ref" in schema:
            target = resolve(schema, self._root)
            if target is None:
                self._free = True
            else:
                self.read(target, always=always)
        elif "$dynamicRef" in schema or "$recursiveRef" in schema:
            self._free = True
        self._read_names(schema)
        if always and type(schema.get("required")) is list:
            self.required.update(name for name in schema["required"] if type(name) is str)
        self._read_parts(schema, always=always)

    def _read_names(self, schema: dict[str, Any]) -> None:
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        if type(properties) is dict:
            self._says_names = True
            self._names.update(properties)
        if type(patterns) is dict and patterns:
            self._says_names = True
            for pattern in patterns:
                literal = _LITERAL_PATTERN.fullmatch(pattern)
                if literal is None:
                    self._free = True
                else:
                    self._patterns.append(literal)
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            more = schema.get(keyword)
            if more is False:
                self._says_names = True
            elif (type(more) is dict and more) or (more is True and not properties):
                # A schema for further names is their declaration; `true` beside no names makes the object a free map.
                # `true` beside names declares nothing: the server swallows what it does not know.
                self._free = True

    def _read_parts(self, schema: dict[str, Any], *, always: bool) -> None:
        for keyword in (*_ALWAYS, *_PERHAPS):
            branches = schema.get(keyword)
            if type(branches) is list:
                for branch in branches:
                    self.read(branch, always=always and keyword in _ALWAYS)
        for keyword in _PERHAPS_ONE:
            if keyword in schema:
                self.read(schema[keyword], always=False)
        dependent = schema.get("dependentSchemas")
        if type(dependent) is dict:
            for branch in dependent.values():
                self.read(branch, always=False)


def _fits_literal(name: str, pattern: re.Match[str]) -> bool:
    """Whether a name matches a pattern that is a literal with or without anchors."""
    literal = pattern["literal"].replace("\\", "")
    if pattern["start"] and pattern["end"]:
        return name == literal
    if pattern["start"]:
        return name.startswith(literal)
    return name.endswith(literal) if pattern["end"] else literal in name
