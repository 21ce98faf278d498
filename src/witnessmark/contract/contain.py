"""Whether one JSON Schema allows every value that another allows, asked of a library.

Pure: no I/O, no clock. The library (`jsonschema-rs`, canonical forms) is imported on first use and works offline. It
decides about nine of ten real pairs and says when it cannot; what it never sees (formats, defaults, texts, swallowed
names) is the rules' business. Its work is bounded before it starts: by size, by depth, by what references and
combinators multiply. It runs no pattern: it compares patterns as texts.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from witnessmark.contract.canonical import canonical_bytes
from witnessmark.contract.closing import closed
from witnessmark.contract.schema_walk import ANNOTATION_KEYWORDS, map_subschemas, subschemas
from witnessmark.contract.spot_facts import GENERATOR_LIMITS
from witnessmark.errors import PeerError

Answer = Literal["yes", "no", "unknown"]

# Canonical bytes of one schema without texts: the largest captured input schema has 14,000.
MAX_SCHEMA_BYTES: Final = 128 * 1024
# Schemas of one document: the largest captured one has 945.
MAX_SCHEMAS: Final = 4_000
# Levels of schemas: captured ones have at most 22.
MAX_LEVELS: Final = 32
# Listed values of one document: the library compares lists value by value, 400 against 400 take some 40 ms.
MAX_VALUES: Final = 400
# Cases that combinators multiply one schema into when each is written out; captured schemas stay below 30.
MAX_CASES: Final = 2_000

_LIMITS: Final = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))
_MULTIPLY: Final = ("anyOf", "oneOf")
# Keywords whose meaning depends on the dialect: beside them `$schema` is kept, so that the library reads them by it.
_DIALECT_KEYWORDS: Final = frozenset(
    ("dependencies", "$recursiveRef", "$recursiveAnchor", "$dynamicRef", "$dynamicAnchor", "additionalItems", "id")
)


def covers(wide: object, narrow: object, *, arguments: bool) -> Answer:
    """Whether `wide` allows every value that `narrow` allows; never raises.

    An absent schema (None) allows everything. `arguments`: both are schemas of a tool's arguments, which are an
    object; objects of `narrow` that declare names and do not speak of further ones are read as closed (an agent sends
    declared names only). Limits that generators write on integers are left out. `unknown` where the library cannot say, where
    a schema refers outside itself, or where a bound is met.
    """
    if wide is None:
        return "yes"
    try:
        first = _prepared(wide, arguments=arguments, close=False)
        second = _prepared(narrow if narrow is not None else {}, arguments=arguments, close=arguments)
        if first is None or second is None:
            return "unknown"
        if canonical_bytes(first) == canonical_bytes(second):
            return "yes"
    except (PeerError, RecursionError):
        return "unknown"
    # 30 ms to import, and an unchanged catalog never asks.
    import jsonschema_rs  # noqa: PLC0415

    try:
        dialect = None if "$schema" in first or "$schema" in second else jsonschema_rs.Draft202012
        form = jsonschema_rs.canonicalize(first, draft=dialect, offline=True)
        answer = form.covers(jsonschema_rs.canonicalize(second, draft=dialect, offline=True))
    except (ValueError, TypeError, RecursionError, OverflowError):
        # Mixed dialects, a keyword with a value that its draft does not allow, a reference that leads nowhere.
        return "unknown"
    if answer == jsonschema_rs.canonical.Containment.YES:
        return "yes"
    return "no" if answer == jsonschema_rs.canonical.Containment.NO else "unknown"


def _prepared(schema: object, *, arguments: bool, close: bool) -> Any:
    """A copy without texts, closed where asked; None if a bound is met or it refers outside itself."""
    if type(schema) is not dict:
        return schema if type(schema) is bool else None
    bare = _bare(schema, MAX_LEVELS)
    if arguments and bare is not None:
        bare.setdefault("type", "object")
    if close and bare is not None:
        bare = closed(bare)
    if bare is None or len(canonical_bytes(bare)) > MAX_SCHEMA_BYTES or not _is_bounded(bare):
        return None
    if "$schema" in bare and not reads_by_dialect(bare):
        bare = {name: value for name, value in bare.items() if name != "$schema"}
    return bare


def _bare(schema: Any, levels_left: int) -> Any:
    """The schema without annotations at any level; None if it is too deep."""
    if type(schema) is not dict:
        return schema
    if not levels_left:
        return None
    failed = False

    def child(value: Any) -> Any:
        nonlocal failed
        inner = _bare(value, levels_left - 1)
        failed = failed or (inner is None and value is not None)
        return inner

    result = map_subschemas({name: value for name, value in schema.items() if not _is_dropped(name, value)}, child)
    if type(result.get("items")) is list and "prefixItems" not in result:
        # Until 2019-09 a tuple is a list under `items`, and `additionalItems` is what follows it.
        result["prefixItems"] = result.pop("items")
        if "additionalItems" in result:
            result["items"] = result.pop("additionalItems")
    return None if failed else result


def _is_dropped(keyword: str, value: Any) -> bool:
    """Whether a keyword decides nothing: it only tells, or it is a limit that generators write on every integer."""
    return keyword in ANNOTATION_KEYWORDS or (keyword in _LIMITS and type(value) in (int, float) and value in GENERATOR_LIMITS)


def _is_bounded(schema: dict[str, Any]) -> bool:
    """Whether number of schemas, references and cases stay within the limits, references inside the document."""
    waiting: list[Any] = [schema]
    count = values = 0
    while waiting:
        node = waiting.pop()
        if type(node) is not dict:
            continue
        count += 1
        listed = node.get("enum")
        values += len(listed) if type(listed) is list else 0
        reference = node.get("$ref")
        if count > MAX_SCHEMAS or values > MAX_VALUES:
            return False
        if reference is not None and (type(reference) is not str or not reference.startswith("#")):
            return False
        if "$dynamicRef" in node or "$recursiveRef" in node or "$id" in node:
            return False
        waiting.extend(subschemas(node))
    return _Cases(schema).of(schema, MAX_LEVELS) <= MAX_CASES


class _Cases:
    """Counts into how many cases a document's combinators multiply, references written out."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._known: dict[int, int] = {}

    def of(self, node: Any, levels_left: int) -> int:
        """The cases of one schema; more than the limit where it is too deep."""
        if type(node) is not dict:
            return 1
        if id(node) in self._known:
            return self._known[id(node)]
        if not levels_left:
            return MAX_CASES + 1
        # A reference back into an open schema counts one case: the library keeps it as a reference.
        self._known[id(node)] = 1
        cases = 1
        for keyword, held in ((each, node[each]) for each in _MULTIPLY if type(node.get(each)) is list):
            held_cases = max(1, sum(self.of(each, levels_left - 1) for each in held))
            # Exactly one of n means n times "this one and none of the others".
            cases *= held_cases * (len(held) or 1) if keyword == "oneOf" else held_cases
        for each in node["allOf"] if type(node.get("allOf")) is list else ():
            # The count stops at the limit: a product of ten thousand parts has thousands of digits.
            cases = min(cases * self.of(each, levels_left - 1), MAX_CASES + 1)
        for keyword in ("not", "if", "then", "else", "dependentSchemas"):
            if keyword in node:
                cases *= 2 * sum(self.of(each, levels_left - 1) for each in _held(node[keyword], keyword))
        if "$ref" in node:
            cases *= self.of(_target(self._root, node["$ref"]), levels_left - 1)
        inner = sum(self.of(each, levels_left - 1) - 1 for each in _plain_children(node))
        self._known[id(node)] = min(cases + inner, MAX_CASES + 1)
        return self._known[id(node)]


def _held(member: Any, keyword: str) -> list[Any]:
    """The schemas of a keyword that holds one, or several by name."""
    return list(member.values()) if keyword == "dependentSchemas" and type(member) is dict else [member]


def _plain_children(node: dict[str, Any]) -> list[Any]:
    """The schemas inside that are not combinators: their cases add up, they do not multiply."""
    found: list[Any] = []
    for keyword in ("properties", "patternProperties"):
        held = node.get(keyword)
        if type(held) is dict:
            found.extend(held.values())
    found.extend(
        node[keyword] for keyword in ("items", "additionalProperties", "contains", "propertyNames") if type(node.get(keyword)) is dict
    )
    held = node.get("prefixItems")
    found.extend(held if type(held) is list else ())
    return found


def _target(root: Any, reference: str) -> Any:
    """The node that a local JSON Pointer names, None if there is none."""
    node = root
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if type(node) is dict else None
    return node


def reads_by_dialect(schema: object) -> bool:
    """Whether a keyword occurs whose meaning depends on the dialect."""
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        if type(node) is not dict:
            continue
        if (
            not _DIALECT_KEYWORDS.isdisjoint(node)
            or type(node.get("exclusiveMaximum")) is bool
            or type(node.get("exclusiveMinimum")) is bool
        ):
            return True
        if "$ref" in node and len(node) > 1 and "$defs" not in node and "definitions" not in node:
            return True
        waiting.extend(subschemas(node))
    return False
