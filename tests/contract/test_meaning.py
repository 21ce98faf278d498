from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile_json
from witnessmark.contract.digest import contract_digest, meaning_digest

POINT = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}


def tool(schema: object = None, **members: object) -> dict[str, Any]:
    return {"name": "t", "inputSchema": {"type": "object"} if schema is None else schema, **members}


def with_defs(defs: dict[str, Any], keyword: str = "$defs", **members: Any) -> dict[str, Any]:
    return tool({"type": "object", keyword: defs, **members})


@pytest.mark.parametrize(
    "one, other",
    [
        (tool({"required": ["a", "b"]}), tool({"required": ["b", "a"]})),
        (tool({"properties": {"p": {"enum": ["a", 1, None]}}}), tool({"properties": {"p": {"enum": [None, 1.0, "a"]}}})),
        (tool({"anyOf": [{"items": {"enum": [1, 2]}}]}), tool({"anyOf": [{"items": {"enum": [2, 1]}}]})),
        (tool(outputSchema={"required": ["a", "b"]}), tool(outputSchema={"required": ["b", "a"]})),
        (tool({"maximum": 1}), tool({"maximum": 1.0})),
        (tool(), tool(annotations={})),
        (tool(), tool(annotations={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True})),
        (tool(annotations={"title": "T"}), tool(annotations={"title": "T", "openWorldHint": True})),
        (with_defs({"point": POINT}, properties={"at": {"$ref": "#/$defs/point"}}), tool({"type": "object", "properties": {"at": POINT}})),
        (
            with_defs({"point": POINT}, properties={"at": {"$ref": "#/$defs/point"}}),
            with_defs({"p": POINT}, "definitions", properties={"at": {"$ref": "#/definitions/p"}}),
        ),
        (
            with_defs({"point": POINT}, properties={"at": {"$ref": "#/$defs/point", "description": "where"}}),
            tool({"type": "object", "properties": {"at": {**POINT, "description": "where"}}}),
        ),
        (with_defs({"unused": POINT}), tool()),
        (
            with_defs({"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"enum": [2, 1]}}, properties={"p": {"$ref": "#/$defs/a"}}),
            tool({"type": "object", "properties": {"p": {"items": {"enum": [1, 2]}}}}),
        ),
        (
            with_defs({"n": {"items": {"$ref": "#/$defs/n"}}, "unused": {}}, items={"$ref": "#/$defs/n"}),
            with_defs({"n": {"items": {"$ref": "#/$defs/n"}}}, items={"$ref": "#/$defs/n"}),
        ),
    ],
)
def test_a_cosmetic_difference_leaves_the_meaning_alone(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert meaning_digest(one) == meaning_digest(other)


@pytest.mark.parametrize(
    "one, other",
    [
        (tool({"required": ["a"]}), tool({"required": ["b"]})),
        (tool({"enum": [1]}), tool({"enum": [1, 2]})),
        (tool({"enum": ["1"]}), tool({"enum": [1]})),
        (tool(annotations={"readOnlyHint": True}), tool()),
        (tool(annotations={"destructiveHint": False}), tool()),
        (tool(annotations={"readOnlyHint": 0}), tool()),
        (tool(annotations={"readOnlyHint": None}), tool()),
        (tool(annotations={"title": ""}), tool()),
        (tool(annotations={"title": None}), tool()),
        (tool(title="T"), tool()),
        (tool(description="a"), tool(description="b")),
        # Order means something here: these are data or ordered lists.
        (tool({"default": {"required": ["a", "b"]}}), tool({"default": {"required": ["b", "a"]}})),
        (tool({"const": {"enum": [1, 2]}}), tool({"const": {"enum": [2, 1]}})),
        (tool({"enum": [{"required": ["a", "b"]}]}), tool({"enum": [{"required": ["b", "a"]}]})),
        (tool({"prefixItems": [{}, True]}), tool({"prefixItems": [True, {}]})),
        (tool({"properties": {"required": {"enum": [1]}}}), tool({"properties": {"required": {"enum": [2]}}})),
        # Written in place these would mean something else, or nobody knows.
        (with_defs({"p": {}}, items={"$ref": "#/$defs/p", "not": {}}), tool({"type": "object", "items": {"not": {}}})),
        (
            with_defs({"p": {"description": "one"}}, items={"$ref": "#/$defs/p", "description": "here"}),
            with_defs({"p": {"description": "two"}}, items={"$ref": "#/$defs/p", "description": "here"}),
        ),
        (
            with_defs({"p": POINT}, items={"$ref": "#/$defs/p", "required": []}),
            tool({"type": "object", "items": {**POINT, "required": []}}),
        ),
        (with_defs({"p": {"$id": "u"}}, items={"$ref": "#/$defs/p"}), tool({"type": "object", "items": {"$id": "u"}})),
        (with_defs({"p": POINT}, items={"$ref": "#/$defs/q"}), tool({"type": "object", "items": POINT})),
        (with_defs({"n": {"items": {"$ref": "#/$defs/n"}}}, items={"$ref": "#/$defs/n"}), with_defs({}, items={"items": {}})),
        (with_defs({"a/b": POINT}, items={"$ref": "#/$defs/a/b"}), tool({"type": "object", "items": POINT})),
    ],
)
def test_any_other_difference_stays(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert meaning_digest(one) != meaning_digest(other)


def test_a_description_beside_a_reference_is_told_apart_from_another_one() -> None:
    def told(text: str) -> dict[str, Any]:
        return with_defs({"p": {**POINT, "description": "a point"}}, items={"$ref": "#/$defs/p", "description": text})

    assert meaning_digest(told("start")) != meaning_digest(told("end"))


def test_definitions_that_double_themselves_are_left_as_they_are() -> None:
    defs: dict[str, Any] = {"d0": {"type": "string"}}
    for level in range(1, 60):
        defs[f"d{level}"] = {"allOf": [{"$ref": f"#/$defs/d{level - 1}"}, {"$ref": f"#/$defs/d{level - 1}"}]}
    doubled = with_defs(defs, items={"$ref": "#/$defs/d59"}, required=["b", "a"])
    again = with_defs(dict(reversed(defs.items())), items={"$ref": "#/$defs/d59"}, required=["a", "b"])
    assert meaning_digest(doubled) == meaning_digest(again)


def test_the_tool_is_not_changed() -> None:
    given_tool = with_defs({"p": {"enum": [2, 1]}}, items={"$ref": "#/$defs/p"}, required=["b", "a"])
    before = contract_digest(given_tool)
    meaning_digest(given_tool)
    assert contract_digest(given_tool) == before


@given(hostile_json.values, hostile_json.values)
def test_any_json_has_a_meaning_that_depends_on_the_contract_alone(schema: Any, other: Any) -> None:
    first = tool({"properties": schema, "items": other}, annotations=schema, outputSchema=other)
    second = dict(reversed(first.items()))
    assert meaning_digest(first) == meaning_digest({**second, "icons": []})


schemas: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([{}, True, {"type": "string"}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}, {"$ref": "#"}, {"enum": [2, 1]}]),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"items": inner}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"properties": st.fixed_dictionaries({"enum": inner}), "required": st.just(["b", "a"])}),
    ),
    max_leaves=4,
)


@given(
    schemas,
    schemas,
    schemas,
    st.sampled_from([1, "x", [1], [[2]], {"enum": 1}, {"enum": "x"}, {"b": 1, "a": 1}, {"a": 1, "b": 2, "enum": []}]),
)
def test_what_the_meaning_leaves_out_no_validator_can_see(body: Any, a: Any, b: Any, instance: Any) -> None:
    import jsonschema_rs

    from witnessmark.contract.meaning import meaning

    original = {"$defs": {"a": a, "b": b}, "items": body}
    reduced = meaning({"name": "t", "inputSchema": original})["inputSchema"]
    answers = [jsonschema_rs.validator_for(each, offline=True).is_valid([instance]) for each in (original, reduced)]
    assert answers[0] == answers[1]
