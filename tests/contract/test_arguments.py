from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile_json
from witnessmark.contract.arguments import Fit, fits

DECLARED: dict[str, Any] = {"type": "object", "properties": {"q": {}, "n": {}}, "required": ["q"]}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"properties": {"a": {}}}
    for _ in range(levels):
        schema = {"allOf": [schema, schema]}
    return schema


@pytest.mark.parametrize(
    "names, schema, fit",
    [
        ("q n", DECLARED, Fit(0, 0)),
        ("q old", DECLARED, Fit(1, 0)),
        ("old older", DECLARED, Fit(2, 1)),
        ("", DECLARED, Fit(0, 1)),
        ("q old", {**DECLARED, "additionalProperties": True}, Fit(1, 0)),
        ("q old", {**DECLARED, "additionalProperties": False}, Fit(1, 0)),
        ("q old", {**DECLARED, "additionalProperties": {"type": "string"}}, Fit(0, 0)),
        ("a b", {"type": "object"}, Fit(0, 0)),
        ("a b", {"type": "object", "additionalProperties": True}, Fit(0, 0)),
        ("a b", {"type": "object", "properties": {}, "additionalProperties": True}, Fit(0, 0)),
        ("a b", {"type": "object", "properties": {}}, Fit(2, 0)),
        ("a b", {"type": "object", "additionalProperties": False}, Fit(2, 0)),
        ("x-a y", {"patternProperties": {"^x-": {}}, "additionalProperties": False}, Fit(1, 0)),
        ("a.b ab", {"patternProperties": {"^a\\.b$": {}}, "additionalProperties": False}, Fit(1, 0)),
        ("ends end", {"patternProperties": {"end$": {}}, "properties": {}}, Fit(1, 0)),
        ("zzz", {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, Fit(0, 0)),
        ("a b c", {"allOf": [{"properties": {"a": {}}, "required": ["a", "z"]}, {"properties": {"b": {}}}]}, Fit(1, 1)),
        ("b c", {"anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]}, Fit(1, 0)),
        ("a b c", {"if": {"properties": {"a": {}}}, "then": {"properties": {"b": {}}, "required": ["d"]}}, Fit(1, 0)),
        ("a b", {"dependentSchemas": {"a": {"properties": {"a": {}}}}}, Fit(1, 0)),
        ("p x", {"$ref": "#/$defs/in", "$defs": {"in": {"properties": {"p": {}}, "required": ["r"]}}}, Fit(1, 1)),
        ("p x", {"$ref": "#/$defs/gone", "properties": {"p": {}}}, Fit(0, 0)),
        ("p x", {"$ref": "https://example.test/s", "properties": {"p": {}}}, Fit(0, 0)),
        ("p x", {"$dynamicRef": "#m", "properties": {"p": {}}}, Fit(0, 0)),
        ("a b", {"$ref": "#/$defs/loop", "$defs": {"loop": {"$ref": "#/$defs/loop", "properties": {"a": {}}}}}, Fit(0, 0)),
        ("a b", deep(60), Fit(0, 0)),
        ("a b", deep(2), Fit(1, 0)),
        ("a", True, Fit(0, 0)),
        ("a", None, Fit(0, 0)),
        ("a", {"properties": ["a"], "required": "a"}, Fit(0, 0)),
    ],
)
def test_names_that_do_not_fit_are_counted(names: str, schema: object, fit: Fit) -> None:
    assert fits(dict.fromkeys(names.split(), "a value"), schema) == fit


def test_absent_arguments_are_an_empty_object() -> None:
    assert fits(None, DECLARED) == fits({}, DECLARED) == Fit(0, 1)


@given(hostile_json.names_to(hostile_json.leaves), hostile_json.values)
def test_any_json_is_a_schema_that_can_be_read_without_an_error(arguments: dict[str, Any], schema: Any) -> None:
    fit = fits(arguments, schema)
    assert 0 <= fit.undeclared <= len(arguments)


@given(st.dictionaries(st.sampled_from("abcd"), st.none()), st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")))
def test_a_call_by_its_own_contract_always_fits(arguments: dict[str, None], more: set[str], required: set[str]) -> None:
    schema = {"properties": {name: {} for name in more | arguments.keys()}, "required": sorted(required & arguments.keys())}
    assert fits(arguments, schema) == Fit(0, 0)
