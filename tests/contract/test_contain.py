"""What the containment oracle says of arguments, where it says nothing, and that its work is bounded."""

from __future__ import annotations

from typing import Any, Final

import pytest

from witnessmark.contract.contain import covers


def of(value: object, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"v": value}, **more}


RESPELLED: Final = {
    "exclusive bound of an integer": (of({"type": "integer", "exclusiveMaximum": 10}), of({"type": "integer", "maximum": 9})),
    "null as a part of a union": (of({"anyOf": [{"type": "string"}, {"type": "null"}]}), of({"type": ["string", "null"]})),
    "order of an enum": (of({"enum": ["a", "b"]}), of({"enum": ["b", "a"]})),
    "conjunction of one": (of({"allOf": [{"type": "string"}]}), of({"type": "string"})),
    "definition in place": (of({"$ref": "#/$defs/x"}, **{"$defs": {"x": {"type": "string"}}}), of({"type": "string"})),
    "an empty list of required names": (of({"type": "string"}, required=[]), of({"type": "string"})),
    "dialect without a keyword that depends on it": (
        of({"type": "string"}, **{"$schema": "http://json-schema.org/draft-07/schema#"}),
        of({"type": "string"}, **{"$schema": "https://json-schema.org/draft/2020-12/schema"}),
    ),
    "tuple of draft 07": (of({"items": [{"type": "string"}]}), of({"prefixItems": [{"type": "string"}]})),
    "no type, for arguments are an object": ({"properties": {"v": {"type": "string"}}}, of({"type": "string"})),
    "limit that a generator writes": (of({"type": "integer", "maximum": 2**53 - 1}), of({"type": "integer"})),
    "texts": (of({"type": "string", "description": "a", "title": "b"}), of({"type": "string", "description": "c"})),
}


@pytest.mark.parametrize("name", RESPELLED)
def test_one_set_of_values_is_covered_both_ways(name: str) -> None:
    one, other = RESPELLED[name]
    assert covers(one, other, arguments=True) == "yes"
    assert covers(other, one, arguments=True) == "yes"


NARROWED: Final = {
    "a value of an enum less": (of({"enum": ["a", "b"]}), of({"enum": ["a"]})),
    "a pattern": (of({"type": "string"}), of({"type": "string", "pattern": "^a"})),
    "a smaller maximum": (of({"type": "integer", "maximum": 9}), of({"type": "integer", "maximum": 8})),
    "a required name": (of({"type": "string"}), of({"type": "string"}, required=["v"])),
    "a condition": (of({"type": "string"}), of({"type": "string"}, **{"if": {"required": ["v"]}, "then": {"required": ["w"]}})),
}


@pytest.mark.parametrize("name", NARROWED)
def test_what_is_refused_now_is_a_no(name: str) -> None:
    wide, narrow = NARROWED[name]
    assert covers(narrow, wide, arguments=True) == "no"


def test_a_new_optional_name_takes_nothing_from_an_agent_that_sends_declared_names_only() -> None:
    before, after = of({"type": "string"}), {"type": "object", "properties": {"v": {"type": "string"}, "w": {"type": "integer"}}}
    assert covers(after, before, arguments=True) == "yes"
    assert covers(after, before, arguments=False) == "no"


def test_the_keys_of_a_free_map_are_its_contract() -> None:
    before, after = of({"type": "object"}), of({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert covers(after, before, arguments=True) == "no"


def test_a_swallowed_name_is_covered() -> None:
    assert covers({"type": "object", "properties": {}}, of({"type": "string"}), arguments=True) == "yes"


TOGETHER: Final[dict[str, dict[str, Any]]] = {
    "a conjunction": {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]},
    "names beside a union": {
        "properties": {"a": {"type": "string"}},
        "anyOf": [{"properties": {"b": {"type": "string"}}}, {"required": ["a"]}],
    },
    "a definition in a conjunction": {
        "allOf": [{"$ref": "#/$defs/x"}, {"properties": {"b": {"type": "string"}}}],
        "$defs": {"x": {"properties": {"a": {"type": "string"}}}},
    },
    "a definition beside names": {
        "$ref": "#/$defs/x",
        "properties": {"b": {"type": "string"}},
        "$defs": {"x": {"properties": {"a": {"type": "string"}}}},
    },
    "a condition": {
        "properties": {"a": {"type": "string"}},
        "if": {"properties": {"a": {"const": "x"}}},
        "then": {"properties": {"b": {"type": "string"}}},
    },
}


@pytest.mark.parametrize("name", TOGETHER)
def test_an_object_that_several_schemas_describe_is_closed_over_all_their_names(name: str) -> None:
    before = {"type": "object", **TOGETHER[name]}
    other_type = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    assert covers(other_type, before, arguments=True) == "no"
    one_more = {**before, "properties": {**before.get("properties", {}), "c": {"type": "integer"}}}
    assert covers(one_more, before, arguments=True) == "yes"


UNDECIDED: Final = {
    "a reference out of the document": of({"$ref": "https://schemas.example/a.json"}),
    "a dynamic reference": of({"$dynamicRef": "#a"}),
    "5,000 schemas": {"type": "object", "properties": {f"p{each}": {"type": "string"} for each in range(5_000)}},
    "too many levels": of({"items": {"items": {"items": {}}}}, allOf=[of(of(of(of({}))))]) | {"not": {"not": {}}},
    "a list of 2,000 values": of({"enum": list(range(2_000))}),
    "2^20 cases": of({"allOf": [{"anyOf": [{"minLength": each}, {"maxLength": each}]} for each in range(20)]}),
    "200 parts that exclude each other": of({"oneOf": [{"minimum": each, "maximum": each + 3} for each in range(200)]}),
    "a lone surrogate is a name like any other": {"type": "object", "properties": {"\ud800": {"type": "string"}}},
    "no schema at all": "text",
    "a closed object that lacks the name: the rules about names decide it": {"type": "object", "additionalProperties": False},
}


@pytest.mark.parametrize("name", [name for name in UNDECIDED if "levels" not in name and "surrogate" not in name])
def test_what_cannot_be_asked_is_unknown(name: str) -> None:
    assert covers(UNDECIDED[name], of({"type": "integer"}), arguments=True) == "unknown"
    if "lacks the name" not in name:
        assert covers(of({"type": "integer"}), UNDECIDED[name], arguments=True) == "unknown"


@pytest.mark.parametrize("name", ["too many levels", "a lone surrogate is a name like any other"])
def test_nothing_raises(name: str) -> None:
    assert covers(UNDECIDED[name], of({"type": "integer"}), arguments=True) in {"yes", "no", "unknown"}


def test_a_depth_that_nobody_writes_is_unknown() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        schema = of(schema)
    assert covers(schema, of({"type": "integer"}), arguments=True) == "unknown"


def test_an_absent_schema_allows_everything() -> None:
    assert covers(None, of({"type": "string"}), arguments=False) == "yes"
    assert covers(of({"type": "string"}), None, arguments=False) == "no"
