"""A schema of arguments as an agent reads it: only declared names are sent.

Pure: no I/O, no clock. Closing must never take away what the schema allows an agent to send: a smaller old side would
turn a refusal into a yes. So what is combined with other schemas for the same object (`allOf`, a union, `not`, `if`)
stays as it is, and the object that they describe together is closed over all their names.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from witnessmark.contract.schema_walk import map_subschemas, resolve

# Keywords whose schemas describe the same object together with what stands beside them.
_TOGETHER: Final = frozenset(("allOf", "not", "if", "then", "else", "dependentSchemas", "propertyNames", "anyOf", "oneOf"))
_DEFINITIONS: Final = frozenset(("$defs", "definitions"))
_SPEAKS_OF_MORE: Final = ("unevaluatedProperties", "patternProperties", "$dynamicRef", "$recursiveRef")
# Schemas read for the names of one object.
_MAX_PARTS: Final = 200


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """A copy in which every object that declares names takes no others; the argument is not changed.

    `additionalProperties: true` beside declared names says nothing: no agent sends a name that it was not told of.
    Without any it makes the object a free map, whose keys are its contract. At the top an object without names takes
    none: a tool without parameters is called without arguments.
    """
    shared = _shared_definitions(schema)
    result: dict[str, Any] = _closed(schema, schema, shared, here=True)
    if not result.get("properties") and not any(each in result for each in ("additionalProperties", "$ref", *_SPEAKS_OF_MORE, *_TOGETHER)):
        result["additionalProperties"] = False
    return result


def _closed(schema: Any, root: dict[str, Any], shared: frozenset[str], *, here: bool) -> Any:
    """The schema with the objects inside it closed, and itself where `here` says so."""
    if type(schema) is not dict:
        return schema
    result: dict[str, Any] = {}
    for keyword, member in schema.items():
        if keyword in _DEFINITIONS and type(member) is dict:
            result[keyword] = {
                name: _closed(child, root, shared, here=f"#/{keyword}/{name}" not in shared) for name, child in member.items()
            }
        else:
            inside = partial(_closed, root=root, shared=shared, here=keyword not in _TOGETHER)
            result |= map_subschemas({keyword: member}, inside)
    if not here or schema.get("additionalProperties", True) is not True or any(each in schema for each in _SPEAKS_OF_MORE):
        return result
    if "$ref" in schema and not schema.get("properties"):
        # The definition referred to is closed by itself.
        return result
    names = _names(schema, root)
    if names:
        result["properties"] = {**dict.fromkeys(sorted(names), True), **result.get("properties", {})}
        result["additionalProperties"] = False
    return result


def _names(schema: dict[str, Any], root: dict[str, Any]) -> set[str] | None:
    """The names that a schema and those it is combined with declare; None if they cannot all be read."""
    found: set[str] = set()
    waiting: list[Any] = [schema]
    for read, part in enumerate(waiting):
        if read >= _MAX_PARTS:
            return None
        if type(part) is not dict:
            continue
        if any(each in part for each in _SPEAKS_OF_MORE):
            return None
        held = part.get("properties")
        found.update(held if type(held) is dict else ())
        if "$ref" in part:
            target = resolve(part, root)
            if target is None:
                return None
            waiting.append(target)
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = part.get(keyword)
            waiting.extend(branches if type(branches) is list else ())
        waiting.extend(part[keyword] for keyword in ("if", "then", "else") if keyword in part)
        dependent = part.get("dependentSchemas")
        waiting.extend(dependent.values() if type(dependent) is dict else ())
    return found


def _shared_definitions(root: dict[str, Any]) -> frozenset[str]:
    """The references to definitions that somewhere describe an object together with another schema."""
    found: set[str] = set()
    # (schema, whether it describes its object together with another one)
    waiting: list[tuple[Any, bool]] = [(root, False)]
    seen: set[tuple[int, bool]] = set()
    while waiting:
        node, together = waiting.pop()
        if type(node) is not dict or (id(node), together) in seen:
            continue
        seen.add((id(node), together))
        reference = node.get("$ref")
        beside = together or bool(node.get("properties")) or "allOf" in node
        if type(reference) is str and beside:
            found.add(reference)
            waiting.append((resolve(node, root), True))
        for keyword, member in node.items():
            held: list[Any] = []
            map_subschemas({keyword: member}, held.append)
            waiting.extend((child, keyword in _TOGETHER) for child in held)
    return frozenset(found)
