"""Whether a JSON value fits a schema that a server sent, in bounded work.

Pure: no I/O, no clock. The validator (`jsonschema-rs`) is imported on first use and works offline: a schema that refers to
another document is unusable, nothing is fetched. Patterns run on its linear-time engine. Never a value, never the
validator's text.

Schema and value may both come from a peer, so the work is bounded before it starts: by their sizes, by the product of the two
(a list of alternatives against a list of items), and by the schemas that `$ref`s multiply.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final, Literal

from witnessmark.contract.canonical import MAX_DEPTH_LEVELS, canonical_bytes
from witnessmark.contract.schema_walk import subschemas
from witnessmark.errors import PeerError

# Canonical bytes of one schema: the largest schema of 3,300 captured tools has 19,000.
MAX_SCHEMA_BYTES: Final = 256 * 1024
# Size of one value as `_weight` counts it, about its JSON bytes. Larger results are forwarded, not judged.
MAX_INSTANCE_BYTES: Final = 1024 * 1024
# Schema bytes times instance bytes: measured, the worst pair below it (alternatives against items) takes 0.6 s.
MAX_WORK_BYTES_SQUARED: Final = 2**31
# Schemas after every `$ref` is written out. Forty definitions can stand for 2^40 of them.
MAX_EXPANDED_SCHEMAS: Final = 20_000
# `$ref`s that need no counting: pairs of them double at most 2^12 times.
_HARMLESS_REFERENCES: Final = 24
# Compiled validators kept: as many as the tools of a busy server that are called in turn.
MAX_KEPT_VALIDATORS: Final = 64

_Validator = Callable[[Any], bool]

Fit = Literal["fits", "breaks", "unusable", "unchecked"]
"""`unusable`: the schema is none that can be used; `unchecked`: the value is too large for it, or no JSON. Both prove nothing."""


class SchemaFit:
    """One schema that values are held against: what does not depend on the value is found out once."""

    __slots__ = ("_key", "_schema", "_size")

    def __init__(self, schema: object) -> None:
        self._schema = schema
        try:
            form = canonical_bytes(schema)
        except PeerError:
            self._key, self._size = None, 0
        else:
            self._key, self._size = sha256(form).digest(), len(form)

    def of(self, value: object) -> Fit:
        """How a value stands to the schema, by the dialect that it declares, else 2020-12. Never raises."""
        validator = _VALIDATORS.get(self._key, self._schema, self._size) if self._key is not None else None
        if validator is None:
            return "unusable"
        weight = _weight(value)
        if weight is None or weight * self._size > MAX_WORK_BYTES_SQUARED:
            return "unchecked"
        try:
            return "fits" if validator(value) else "breaks"
        except ValueError:
            # A lone surrogate, or nesting above the validator's own limit.
            return "unchecked"


class _Validators:
    """Compiled validators by the digest of their schema, the least recently used one dropped first."""

    def __init__(self) -> None:
        self._kept: dict[bytes, _Validator | None] = {}

    def get(self, key: bytes, schema: object, size: int) -> _Validator | None:
        """The validator of a schema whose canonical form has that digest and size in bytes; None if the schema is unusable."""
        validator = self._kept.pop(key) if key in self._kept else _compiled(schema, size)
        self._kept[key] = validator
        if len(self._kept) > MAX_KEPT_VALIDATORS:
            del self._kept[next(iter(self._kept))]
        return validator


_VALIDATORS: Final = _Validators()


def _compiled(schema: object, size: int) -> _Validator | None:
    """The validator of a schema, None if the schema is too large, multiplies itself, or is refused."""
    if type(schema) is not dict or size > MAX_SCHEMA_BYTES or not _is_bounded(schema):
        return None
    # 30 ms to import, and most sessions never see a schema that must be checked.
    import jsonschema_rs  # noqa: PLC0415

    try:
        return jsonschema_rs.validator_for(
            schema,
            offline=True,
            validate_formats=False,
            pattern_options=jsonschema_rs.RegexOptions(),
        ).is_valid
    except ValueError:
        return None


def _weight(value: object) -> int | None:
    """About how many JSON bytes a value has; None above `MAX_INSTANCE_BYTES`, too deep, or if it is not JSON."""
    weight = 0
    waiting: list[tuple[Any, int]] = [(value, MAX_DEPTH_LEVELS)]
    while waiting:
        node, levels_left = waiting.pop()
        kind = type(node)
        weight += 2
        if kind is str:
            weight += len(node)
        elif kind is int:
            weight += node.bit_length() // 3
        elif kind is float:
            if not math.isfinite(node):
                return None
            weight += 8
        elif kind is dict or kind is list:
            if not levels_left:
                return None
            if kind is dict:
                weight += sum(len(name) + 3 for name in node)
                waiting.extend((child, levels_left - 1) for child in node.values())
            else:
                waiting.extend((child, levels_left - 1) for child in node)
        elif kind is not bool and node is not None:
            return None
        if weight + 2 * len(waiting) > MAX_INSTANCE_BYTES:
            return None
    return weight


def _is_bounded(schema: dict[str, Any]) -> bool:
    """Whether the schema has at most `MAX_EXPANDED_SCHEMAS` schemas when its references are written out."""
    references: list[object] = []
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        if type(node) is dict:
            references.extend(node[each] for each in ("$ref", "$dynamicRef", "$recursiveRef") if each in node)
            waiting.extend(node.values())
        elif type(node) is list:
            waiting.extend(node)
    if len(references) <= _HARMLESS_REFERENCES:
        return True
    # Anchors, dynamic references and percent-encoded pointers in such numbers are not followed.
    if not all(type(each) is str and (each == "#" or each.startswith("#/")) and "%" not in each for each in references):
        return False
    return _Expansion(schema).size(schema, MAX_DEPTH_LEVELS) <= MAX_EXPANDED_SCHEMAS


class _Expansion:
    """Counts the schemas of a document with its references written out; a reference into an open one counts one."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        # By identity: nodes are compared as places of this document, which outlives the count.
        self._sizes: dict[int, int] = {}

    def size(self, node: Any, levels_left: int) -> int:
        """The count for one node; above the limit where the chain of references is too long to follow."""
        if type(node) is not dict:
            return 1
        if id(node) in self._sizes:
            return self._sizes[id(node)]
        if not levels_left:
            return MAX_EXPANDED_SCHEMAS + 1
        self._sizes[id(node)] = 1
        size = 1 + sum(self.size(child, levels_left - 1) for child in subschemas(node))
        if "$ref" in node:
            size += self.size(_target(self._root, node["$ref"]), levels_left - 1)
        self._sizes[id(node)] = size
        return size


def _target(root: Any, reference: str) -> Any:
    """The node that a local JSON Pointer names (RFC 6901), None if there is none."""
    node = root
    for part in reference.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if type(node) is dict and name in node:
            node = node[name]
        elif type(node) is list and name.isdecimal() and int(name) < len(node):
            node = node[int(name)]
        else:
            return None
    return node
