from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import hostile_json
from witnessmark.contract.match import Difference, Grade, InstallProjection, Match, match
from witnessmark.contract.shown import ShownDefinition
from witnessmark.errors import PeerError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1},
        "order": {"type": "string", "enum": ["up", "down"]},
        "kind": {"const": "fixed"},
        "at": {"$ref": "#/$defs/point"},
        "tags": {"type": "array", "items": {"enum": [1, 2]}},
    },
    "required": ["query"],
    "$defs": {"point": {"type": "object", "properties": {"x": {}, "y": {}}, "required": ["x"]}},
}
WIRE: dict[str, Any] = {"name": "find", "title": "Find", "description": "Finds records.", "inputSchema": SCHEMA}


def shown(schema: dict[str, Any] | None = None, description: str | None = "Finds records.", **properties: Any) -> ShownDefinition:
    base = SCHEMA if schema is None else schema
    merged = {**base, "properties": {**base["properties"], **properties}} if properties else base
    return ShownDefinition("mcp__s__find", description, merged)


def without(*names: str) -> dict[str, Any]:
    return {**SCHEMA, "properties": {name: each for name, each in SCHEMA["properties"].items() if name not in names}}


def test_a_literal_copy_is_exact_whatever_its_key_order_and_its_name() -> None:
    reordered = dict(reversed(SCHEMA.items()))
    assert match(shown(reordered), WIRE) == Match(Grade.EXACT)


@pytest.mark.parametrize(
    "definition",
    [
        shown({**SCHEMA, "additionalProperties": False, "$schema": "u"}),
        shown(query={"type": "string", "description": "Property query"}),
        shown(description="Finds   records.\n"),
        shown(description="[s] Finds records. Ask first."),
        shown(description="<<<BEGIN_UNTRUSTED_TEXT>>>\nFinds records.\n<<<END_UNTRUSTED_TEXT>>>"),
        shown(order={"enum": ["down", "up"]}),
        shown(order={"type": "string"}),
        shown(order={"anyOf": [{"enum": ["up", "down"]}, {"type": "null"}], "default": None}),
        shown(order={"type": ["string", "null"], "enum": ["up", "down", None]}),
        shown(kind={"type": "string", "enum": ["fixed"]}),
        shown(at=SCHEMA["$defs"]["point"]),
        shown(at={"allOf": [{"$ref": "#/$defs/point"}]}),
        shown(at={"$ref": "#/$defs/dropped"}),
        shown(at={"type": "object"}),
        shown(at={"type": "object", "properties": {"x": {"type": "number"}, "y": {}}}),
        shown(tags={"type": "array"}),
    ],
)
def test_what_clients_are_known_to_rewrite_is_core(definition: ShownDefinition) -> None:
    assert match(definition, WIRE) == Match(Grade.CORE)


@pytest.mark.parametrize(
    "definition, reasons",
    [
        (shown(description="Finds tickets."), [Difference.DESCRIPTION_DIFFERS]),
        (shown(description="Finds"), [Difference.DESCRIPTION_DIFFERS]),
        (shown(description=None), [Difference.DESCRIPTION_DIFFERS]),
        (shown(without("tags")), [Difference.PROPERTY_MISSING]),
        (shown(max={}), [Difference.PROPERTY_ADDED]),
        (shown(without("tags"), labels={}), [Difference.PROPERTY_MISSING, Difference.PROPERTY_ADDED]),
        (shown({**SCHEMA, "required": []}), [Difference.REQUIRED_DROPPED]),
        (shown({**SCHEMA, "required": ["query", "order"]}), [Difference.REQUIRED_ADDED]),
        (shown(order={"enum": ["up"]}), [Difference.ENUM_DIFFERS]),
        (shown(order={"enum": ["up", "down", None]}), [Difference.ENUM_DIFFERS]),
        (shown(kind={"enum": ["other"]}), [Difference.ENUM_DIFFERS]),
        (shown(tags={"items": {"enum": [1, 2, 3]}}), [Difference.ENUM_DIFFERS]),
        (shown(at={"properties": {"x": {}}}), [Difference.PROPERTY_MISSING]),
        (shown(at={"properties": {"x": {}, "y": {}, "z": {}}}), [Difference.PROPERTY_ADDED]),
        (shown(at={"properties": {"x": {}, "y": {}}, "required": ["y"]}), [Difference.REQUIRED_DROPPED, Difference.REQUIRED_ADDED]),
        (ShownDefinition("find", "Finds records.", None), [Difference.PROPERTY_MISSING, Difference.REQUIRED_DROPPED]),
        (
            ShownDefinition("find", "Other", {"properties": {"query": {}, "old": {}}, "required": ["old"]}),
            [
                Difference.DESCRIPTION_DIFFERS,
                Difference.PROPERTY_MISSING,
                Difference.PROPERTY_ADDED,
                Difference.REQUIRED_DROPPED,
                Difference.REQUIRED_ADDED,
            ],
        ),
    ],
)
def test_any_other_rewrite_is_a_difference_with_its_reasons(definition: ShownDefinition, reasons: list[Difference]) -> None:
    assert match(definition, WIRE) == Match(Grade.DIFFERENT, tuple(reasons))


def test_what_a_client_is_known_to_add_is_no_difference() -> None:
    every_name = [*SCHEMA["properties"], "wait"]
    definition = shown({**without(), "required": every_name}, wait={"type": "boolean"})
    assert match(definition, WIRE).grade is Grade.DIFFERENT
    assert match(definition, WIRE, InstallProjection(frozenset(("wait",)), requires_all=True)) == Match(Grade.CORE)


@pytest.mark.parametrize("text, grade", [(None, Grade.CORE), ("  ", Grade.CORE), ("An old text.", Grade.DIFFERENT)])
def test_a_description_that_the_server_does_not_give_is_not_contained_in_an_old_one(text: str | None, grade: Grade) -> None:
    assert match(shown(without(), text, query={}), {"name": "find", "description": "", "inputSchema": SCHEMA}).grade is grade


def test_definitions_that_refer_to_each_other_end() -> None:
    twice = {"a": {"$ref": "#/$defs/l"}, "b": {"$ref": "#/$defs/l"}, "c": {"$ref": "#/$defs/m"}}
    loop: dict[str, Any] = {"properties": twice, "$defs": {"l": {"properties": twice}, "m": {"$ref": "#/$defs/m"}}}
    definition = ShownDefinition("t", "d", {**loop, "title": "T"})
    assert match(definition, {"name": "t", "description": "d", "inputSchema": loop}) == Match(Grade.CORE)


def test_a_definition_without_a_canonical_form_agrees_with_nothing() -> None:
    with pytest.raises(PeerError, match="ambiguous"):
        match(shown(order={"enum": [float("nan")]}), WIRE)


@given(hostile_json.names_to(hostile_json.values), hostile_json.values)
def test_grades_of_any_json_are_reached_without_an_error_and_only_differences_have_reasons(left: dict[str, Any], right: Any) -> None:
    result = match(ShownDefinition("t", None, {"properties": left}), {"name": "t", "inputSchema": {"properties": right}})
    assert match(ShownDefinition("t", None, left), {"name": "t", "inputSchema": left}).grade is Grade.EXACT
    assert (result.grade is Grade.DIFFERENT) == bool(result.reasons)
