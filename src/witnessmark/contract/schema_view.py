"""A schema at one place as rules read it: references followed, wrappers of one taken off, "or null" set apart.

Pure: no I/O, no clock. JSON Schema 2020-12 and the drafts back to 04 that servers still send. Nothing is fetched: a
reference that leads out of its document is `unread`, and so is one that leads in a circle. No pattern is run.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import msgspec

from witnessmark.contract.canonical import canonical_bytes
from witnessmark.contract.schema_walk import ANNOTATION_KEYWORDS
from witnessmark.errors import PeerError

# References and wrappers taken off one after the other at one place; real schemas have at most three.
_MAX_STEPS: Final = 32
# Characters of one reference that are followed.
_MAX_REFERENCE_CHARS: Final = 2_000

ALL_TYPES: Final = frozenset(("null", "boolean", "integer", "number", "string", "array", "object"))
_UNIONS: Final = ("anyOf", "oneOf")
# Keywords of a reference that a validator of this document alone cannot decide.
_DYNAMIC: Final = ("$dynamicRef", "$recursiveRef")


class View(msgspec.Struct, frozen=True, dict=True):
    """What stands at one place. `schema`: the schema object behind wrappers, texts of the wrapper first ({} where there
    is none); `nullable`: null is allowed beside it; `types`: the JSON types it allows without null, None for any;
    `branches`: the parts of a union that stays; `unread`: why it cannot be read (`remote`, `unresolved`, `circular`).
    """

    schema: dict[str, Any]
    nullable: bool = False
    never: bool = False
    types: frozenset[str] | None = None
    branches: tuple[Any, ...] = ()
    union: str = ""
    unread: str = ""
    identity: int = 0

    @property
    def properties(self) -> dict[str, Any]:
        """The declared properties by name."""
        held = self.schema.get("properties")
        return held if type(held) is dict else {}

    @property
    def required(self) -> frozenset[str]:
        """The required names."""
        held = self.schema.get("required")
        return frozenset(name for name in held if type(name) is str) if type(held) is list else frozenset()

    @property
    def closed(self) -> bool:
        """Whether an undeclared name is refused by the schema itself."""
        return self.schema.get("additionalProperties") is False or self.schema.get("unevaluatedProperties") is False

    @property
    def free_map(self) -> bool:
        """Whether it takes any names and declares none: there undeclared names are the contract."""
        return not self.properties and not self.closed and (self.types is None or "object" in self.types)

    @cached_property
    def values(self) -> dict[bytes, Any] | None:
        """The values that `enum`, `const` or a union of constants allows, by canonical form; None where any is."""
        schema = self.schema
        if "const" in schema:
            held: Any = [schema["const"]]
        elif type(schema.get("enum")) is list:
            held = schema["enum"]
        elif self.branches and all(type(each) is dict and ("const" in each or type(each.get("enum")) is list) for each in self.branches):
            held = [value for each in self.branches for value in ([each["const"]] if "const" in each else each["enum"])]
        else:
            return None
        try:
            found = {canonical_bytes(value): value for value in held}
        except PeerError:
            return None
        if self.nullable:
            found.pop(b"null", None)
        return found


NOTHING: Final = View({})


def only_null(schema: Any) -> bool:
    """Whether a part of a union allows null and nothing else."""
    return schema in ({"type": "null"}, {"const": None}, {"enum": [None]})


def follow(reference: object, root: Any) -> tuple[Any, str]:
    """What a `$ref` names in its own document, and why it names nothing (`remote`, `unresolved`), else ""."""
    if type(reference) is not str or len(reference) > _MAX_REFERENCE_CHARS:
        return None, "unresolved"
    if not reference.startswith("#"):
        return None, "remote"
    if reference == "#":
        return root, ""
    node = root
    for part in reference[1:].split("/")[1:] if reference.startswith("#/") else ("\0",):
        name = part.replace("~1", "/").replace("~0", "~")
        if type(node) is dict and name in node:
            node = node[name]
        elif type(node) is list and name.isascii() and name.isdigit() and int(name[:6]) < len(node):
            node = node[int(name[:6])]
        else:
            return None, "unresolved"
    return node, ""


def view(schema: Any, root: Any) -> View:
    """The schema as rules read it; never raises. `true`, `{}` and an absent schema (None) allow everything."""
    nullable = False
    told: dict[str, Any] = {}
    identity = id(schema)
    for _ in range(_MAX_STEPS):
        if schema is False:
            return View(told, nullable=nullable, never=True)
        if type(schema) is not dict:
            return View(told, nullable=nullable)
        if any(keyword in schema for keyword in _DYNAMIC):
            return View({**schema, **told}, nullable=nullable, unread="unresolved")
        if "$ref" in schema:
            target, unread = follow(schema["$ref"], root)
            beside = {name: value for name, value in schema.items() if name not in ("$ref", "$defs", "definitions")}
            if unread:
                return View({**schema, **told}, nullable=nullable, unread=unread)
            if type(target) is not dict:
                schema = beside or target
                continue
            identity = id(target)
            schema = {**target, **beside}
            continue
        inner, said_null = _unwrapped(schema)
        nullable = nullable or said_null
        if inner is None:
            return _finished({**schema, **told}, root, identity, nullable=nullable)
        told = {**{name: value for name, value in schema.items() if name in ANNOTATION_KEYWORDS}, **told}
        schema = inner
    return View(told, nullable=nullable, unread="circular")


def _unwrapped(schema: dict[str, Any]) -> tuple[Any, bool]:
    """The one schema inside a wrapper that adds nothing but texts and null, or None; and whether null was added."""
    for keyword in ("allOf", *_UNIONS):
        branches = schema.get(keyword)
        if type(branches) is not list or not branches:
            continue
        others = [each for each in branches if not only_null(each)]
        if keyword == "allOf":
            others = branches
        rest = schema.keys() - ANNOTATION_KEYWORDS - {keyword, "$defs", "definitions", "$schema"}
        if len(others) == 1 and not rest:
            return others[0], len(others) < len(branches)
    return None, False


def _finished(schema: dict[str, Any], root: Any, identity: int, *, nullable: bool) -> View:
    """The view of a schema object that needs no more steps."""
    for keyword in _UNIONS:
        held = schema.get(keyword)
        if type(held) is list and held:
            resolved = [(_behind(each, root)) for each in held]
            branches = [each for each in resolved if not only_null(each)]
            nullable = nullable or len(branches) < len(held)
            types = _union_types(branches)
            if own := _types(schema):
                types = own if types is None else (types & own or own)
            bare = types is not None and all(type(each) is dict and each.keys() <= {"type", *ANNOTATION_KEYWORDS} for each in branches)
            nullable = nullable or (types is not None and "null" in types)
            types = types - {"null"} if types is not None else None
            return View(
                schema,
                nullable=nullable,
                types=types,
                union="" if bare else keyword,
                branches=() if bare else tuple(branches),
                identity=identity,
            )
    types = _types(schema)
    if types is not None and "null" in types and types != {"null"}:
        nullable = True
        types -= {"null"}
    return View(schema, nullable=nullable, types=types, identity=identity)


def _behind(schema: Any, root: Any) -> Any:
    """A branch with its plain reference followed once or more; the branch itself where nothing is found."""
    for _ in range(_MAX_STEPS):
        if type(schema) is not dict or schema.keys() - ANNOTATION_KEYWORDS != {"$ref"}:
            return schema
        target, unread = follow(schema["$ref"], root)
        if unread or type(target) is not dict:
            return schema
        schema = target
    return schema


def _union_types(branches: list[Any]) -> frozenset[str] | None:
    """The types of all branches together; None where one of them allows any."""
    found: set[str] = set()
    for branch in branches:
        types = _types(branch) if type(branch) is dict else None
        if types is None:
            return None
        found |= types
    return frozenset(found)


def _types(schema: dict[str, Any]) -> frozenset[str] | None:
    """The types that one schema object allows by `type`, or by the values it lists; None where any."""
    said = schema.get("type")
    if type(said) is str:
        return frozenset((said,))
    if type(said) is list and all(type(each) is str for each in said):
        return frozenset(said)
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if type(listed) is list and listed:
        return frozenset(json_type(value) for value in listed)
    if type(schema.get("properties")) is dict and "type" not in schema:
        # No `type` beside `properties` allows everything else too; generators mean an object, and so does every reader.
        return frozenset(("object",))
    return None


def json_type(value: Any) -> str:
    """The JSON Schema type of a value; an integral float is an integer, as in 2020-12."""
    if value is None:
        return "null"
    if type(value) is bool:
        return "boolean"
    if type(value) is int:
        return "integer"
    if type(value) is float:
        return "integer" if value.is_integer() else "number"
    if type(value) is str:
        return "string"
    return "array" if type(value) is list else "object"


def same_fast(one: Any, other: Any) -> bool:
    """What `same` says, for whole definitions: equality and encoding of the interpreter's speed decide most of them."""
    if one != other:
        # The interpreter's equality is by value, true is 1 and 1 is 1.0: what it finds unequal is unequal.
        return False
    try:
        if msgspec.json.encode(one, order="deterministic") == msgspec.json.encode(other, order="deterministic"):
            return True
    except (TypeError, ValueError, RecursionError, OverflowError):
        pass
    return same(one, other)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal by mathematical value: 1 is 1.0 and is not true."""
    if type(one) is dict and type(other) is dict:
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if type(one) is list and type(other) is list:
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is bool or type(other) is bool:
        return one is other
    return bool(one == other) and (type(one) is type(other) or json_type(one) == json_type(other))
