"""A tool's projection without the differences that contracts.md calls cosmetic.

Pure: no I/O, no clock. Removed: the order of `required` and of `enum`, an annotation hint that repeats the protocol's
default, and local `$defs` that can be written in place. Key order and `1` against `1.0` fall to the canonical form.

The direction of error is chosen: a difference may survive here although it means nothing, but two tools that become
equal here do mean the same. So keywords are looked for only where JSON Schema has schemas (a property named `enum` or
a default value with a member `required` is data), and `$ref` is replaced only where the replacement is exact.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.contract.canonical import MAX_DEPTH_LEVELS, canonical_bytes
from witnessmark.contract.schema_walk import ANNOTATION_KEYWORDS, local_definition, map_subschemas, subschemas

# Defaults of tool annotations: specification, schema of ToolAnnotations, the same from 2025-03-26 to 2026-07-28.
DEFAULT_HINTS: Final = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}

# Schema objects after `$defs` are written in place. Real schemas stay below 2,000; definitions that double themselves
# (2^n copies from n lines) end here, and such a schema keeps its `$ref`s.
MAX_INLINED_SCHEMAS: Final = 20_000

# Keywords that give `$ref` another target than the document's own `$defs`, or make a copy mean something else.
_REBASING_KEYWORDS: Final = frozenset(("$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"))


def meaning(projection: dict[str, Any]) -> dict[str, Any]:
    """A copy of a tool's projection in which cosmetic differences are gone; the projection is not changed.

    PeerError if a value under `enum` has no canonical form.
    """
    result = dict(projection)
    annotations = result.get("annotations")
    if type(annotations) is dict:
        told = {name: hint for name, hint in annotations.items() if not _is_default_hint(name, hint)}
        if told:
            result["annotations"] = told
        else:
            del result["annotations"]
    for member in ("inputSchema", "outputSchema"):
        if type(result.get(member)) is dict:
            result[member] = _ordered(_inlined(result[member]), MAX_DEPTH_LEVELS)
    return result


def _is_default_hint(name: str, hint: object) -> bool:
    """Whether the hint says only what the protocol says without it."""
    return type(hint) is bool and DEFAULT_HINTS.get(name) is hint


def _ordered(schema: Any, levels_left: int) -> Any:
    """The schema with `required` and `enum` of every subschema sorted."""
    if type(schema) is not dict or not levels_left:
        return schema
    result = map_subschemas(schema, lambda child: _ordered(child, levels_left - 1))
    required = result.get("required")
    if type(required) is list and all(type(name) is str for name in required):
        result["required"] = sorted(required)
    values = result.get("enum")
    if type(values) is list:
        result["enum"] = sorted(values, key=canonical_bytes)
    return result


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every definition that is not recursive written in place, or the schema itself if in doubt."""
    definitions: dict[str, Any] = {}
    for keyword in ("$defs", "definitions"):
        held = schema.get(keyword)
        if held is None:
            continue
        if type(held) is not dict:
            return schema
        for name, body in held.items():
            definitions[f"#/{keyword}/{name}"] = body
    if not definitions:
        return schema
    references = _references(schema, definitions)
    if references is None:
        return schema
    recursive = _recursive(references)
    inliner = _Inliner(definitions, recursive)
    body = {name: value for name, value in schema.items() if name not in ("$defs", "definitions")}
    result: dict[str, Any] | None = inliner.write(body, MAX_DEPTH_LEVELS)
    if result is None:
        return schema
    # What is still referred to stays defined; a definition that nobody refers to means nothing.
    for pointer in sorted(inliner.kept):
        _, keyword, name = pointer.split("/")
        result.setdefault(keyword, {})[name] = inliner.bodies[pointer]
    return result


def _references(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, set[str]] | None:
    """For each definition the definitions it refers to; None if any reference is not plainly one of them."""
    root_body = {name: value for name, value in schema.items() if name not in ("$defs", "definitions")}
    found: dict[str, set[str]] = {}
    for pointer, start in (("", root_body), *definitions.items()):
        targets = found.setdefault(pointer, set())
        waiting = [(start, MAX_DEPTH_LEVELS)]
        while waiting:
            node, levels_left = waiting.pop()
            if type(node) is not dict:
                continue
            if not levels_left or not _REBASING_KEYWORDS.isdisjoint(node):
                return None
            reference = node.get("$ref")
            if reference is not None:
                if local_definition(reference) is None or reference not in definitions:
                    return None
                targets.add(reference)
            waiting.extend((child, levels_left - 1) for child in subschemas(node))
    return found


def _recursive(references: dict[str, set[str]]) -> frozenset[str]:
    """The definitions that reach themselves."""
    loops = set()
    for start, direct in references.items():
        seen: set[str] = set()
        waiting = list(direct)
        while waiting:
            pointer = waiting.pop()
            if pointer not in seen:
                seen.add(pointer)
                waiting.extend(references[pointer])
        if start in seen:
            loops.add(start)
    return frozenset(loops)


class _Inliner:
    """Writes definitions in place; `kept` are those that stay referred to, with their own `bodies` written likewise."""

    def __init__(self, definitions: dict[str, Any], recursive: frozenset[str]) -> None:
        self._definitions = definitions
        self._recursive = recursive
        self._schemas_left = MAX_INLINED_SCHEMAS
        self.kept: set[str] = set()
        self.bodies: dict[str, Any] = {}

    def write(self, node: Any, levels_left: int) -> Any:
        """The node with its references replaced; None if a bound was met anywhere in it."""
        if type(node) is not dict:
            return node
        self._schemas_left -= 1
        if self._schemas_left < 0 or not levels_left:
            return None
        reference = node.get("$ref")
        if reference is not None:
            if reference in self._recursive:
                if reference not in self.kept:
                    self.kept.add(reference)
                    self.bodies[reference] = self.write(self._definitions[reference], levels_left - 1)
                    if self.bodies[reference] is None:
                        return None
            else:
                target = self._definitions[reference]
                beside = {name: value for name, value in node.items() if name != "$ref"}
                # Beside `$ref` only texts may stand, and none that the target has too: then one object says the same.
                if not ANNOTATION_KEYWORDS.issuperset(beside):
                    return None
                if beside and (type(target) is not dict or not beside.keys().isdisjoint(target)):
                    return None
                written = self.write(target, levels_left - 1)
                return {**written, **beside} if beside and written is not None else written
        failed = False

        def child(value: Any) -> Any:
            nonlocal failed
            written = self.write(value, levels_left - 1)
            failed = failed or (written is None and value is not None)
            return written

        result = map_subschemas(node, child)
        return None if failed else result
