"""Closing a schema of arguments: undeclared names are refused, and nothing that an agent may send is taken away."""

from __future__ import annotations

from typing import Any, Final

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from witnessmark.contract.closing import closed

LEAVES: Final[st.SearchStrategy[dict[str, Any]]] = st.sampled_from([{"type": "string"}, {"type": "integer"}, {"const": "x"}, {}])
NAMES: Final = ("a", "b", "c")
PARTS: Final[st.SearchStrategy[dict[str, Any]]] = st.builds(
    lambda properties, required: {"properties": properties, "required": required},
    st.dictionaries(st.sampled_from(NAMES), LEAVES, max_size=2),
    st.lists(st.sampled_from(NAMES), unique=True, max_size=1),
)
COMBINED: Final[st.SearchStrategy[dict[str, Any]]] = st.builds(
    lambda own, keyword, parts, condition: {"type": "object", **own, keyword: parts, **condition},
    PARTS,
    st.sampled_from(["allOf", "anyOf", "oneOf"]),
    st.lists(PARTS | st.just({"$ref": "#/$defs/part"}), min_size=1, max_size=3),
    st.builds(
        lambda part, condition: {"$defs": {"part": part}, **condition},
        PARTS,
        st.just({}) | st.builds(lambda a, b: {"if": a, "then": b}, PARTS, PARTS),
    ),
)
VALUES: Final = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["x", "y", 1]), max_size=3)


def named(schema: Any) -> set[str]:
    """Every property name that occurs in a schema."""
    if type(schema) is list:
        return set().union(*map(named, schema))
    if type(schema) is not dict:
        return set()
    held = schema.get("properties", {})
    return set(held).union(*(named(child) for keyword, child in schema.items() if keyword != "properties"), set())


@given(COMBINED, VALUES)
@settings(max_examples=300)
def test_what_an_agent_may_send_stays_allowed(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    referred = "#/$defs/part" in str(schema)
    declared = named({keyword: child for keyword, child in schema.items() if referred or keyword != "$defs"})
    if arguments.keys() <= declared and jsonschema_rs.is_valid(schema, arguments, offline=True):
        assert jsonschema_rs.is_valid(closed(schema), arguments, offline=True)


@given(COMBINED, VALUES)
@settings(max_examples=100)
def test_nothing_is_newly_allowed(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    if jsonschema_rs.is_valid(closed(schema), arguments, offline=True):
        assert jsonschema_rs.is_valid(schema, arguments, offline=True)


@pytest.mark.parametrize(
    "schema, arguments, allowed",
    [
        ({"type": "object", "properties": {"a": {}}}, {"b": 1}, False),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, {"b": 1}, False),
        ({"type": "object"}, {"b": 1}, False),
        ({"type": "object", "additionalProperties": True}, {"b": 1}, True),
        ({"type": "object", "properties": {"a": {"type": "object"}}}, {"a": {"b": 1}}, True),
        ({"type": "object", "properties": {"a": {"type": "object", "properties": {"c": {}}}}}, {"a": {"b": 1}}, False),
        ({"type": "object", "properties": {"a": {"items": {"properties": {"c": {}}}}}}, {"a": [{"b": 1}]}, False),
        ({"type": "object", "patternProperties": {"^b": {}}}, {"b": 1}, True),
        ({"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"properties": {"c": {}}}}}, {"a": {"b": 1}}, False),
    ],
)
def test_undeclared_names_are_refused_but_in_free_maps(schema: dict[str, Any], arguments: dict[str, Any], allowed: bool) -> None:
    before = str(schema)
    assert jsonschema_rs.is_valid(closed(schema), arguments, offline=True) is allowed
    assert str(schema) == before
