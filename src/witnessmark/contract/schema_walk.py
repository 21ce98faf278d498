"""Where a JSON Schema object holds further schemas: one table, used by every walk.

Pure: no I/O, no clock. Keywords of JSON Schema 2020-12 and of the drafts back to 07 that servers still send.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

# The member is a schema.
_ONE: Final = frozenset(
    (
        "not",
        "if",
        "then",
        "else",
        "additionalProperties",
        "additionalItems",
        "contains",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
    )
)
# The member is a list of schemas.
_LIST: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
# The member is an object whose values are schemas.
_MAP: Final = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
# The member is a schema, or before 2020-12 a list of schemas.
_ONE_OR_LIST: Final = frozenset(("items",))

# Keywords that only tell; no validator's answer depends on them.
ANNOTATION_KEYWORDS: Final = frozenset(("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"))


def subschemas(schema: dict[str, Any]) -> Iterator[Any]:
    """The schemas that stand directly inside a schema object, definitions included."""
    for keyword, member in schema.items():
        if keyword in _ONE:
            yield member
        elif keyword in _MAP:
            if type(member) is dict:
                yield from member.values()
        elif keyword in _LIST or keyword in _ONE_OR_LIST:
            if type(member) is list:
                yield from member
            elif keyword in _ONE_OR_LIST:
                yield member


def map_subschemas(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """A copy of a schema object in which each schema directly inside it is replaced by `change` of it."""
    result: dict[str, Any] = {}
    for keyword, member in schema.items():
        if keyword in _ONE:
            result[keyword] = change(member)
        elif keyword in _MAP and type(member) is dict:
            result[keyword] = {name: change(child) for name, child in member.items()}
        elif (keyword in _LIST or keyword in _ONE_OR_LIST) and type(member) is list:
            result[keyword] = [change(child) for child in member]
        elif keyword in _ONE_OR_LIST:
            result[keyword] = change(member)
        else:
            result[keyword] = member
    return result


def local_definition(reference: object) -> tuple[str, str] | None:
    """(`$defs` or `definitions`, name) if the `$ref` points plainly at a definition of its own document, else None.

    A name with an escape (`~`, `%`) or a deeper pointer is not plain.
    """
    if type(reference) is not str:
        return None
    for keyword in ("$defs", "definitions"):
        name = reference.removeprefix(f"#/{keyword}/")
        if name != reference:
            return None if any(sign in name for sign in "/~%") else (keyword, name)
    return None


def resolve(schema: Any, root: Any) -> Any:
    """The schema itself, or the definition of `root` that its plain local `$ref` names; None if it names none."""
    if type(schema) is not dict or "$ref" not in schema:
        return schema
    place = local_definition(schema["$ref"])
    held = root.get(place[0]) if place is not None and type(root) is dict else None
    return held.get(place[1]) if place is not None and type(held) is dict else None
