"""What the containment oracle proves of two output schemas, some rule says: no broken reader goes unnamed."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.rule_cases import changes
from witnessmark.contract.pairing import Pair

scalars: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.sampled_from([{"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": ["string", "null"]}, {}]),
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True).map(lambda values: {"enum": values}),
    st.integers(0, 4).map(lambda bound: {"type": "integer", "maximum": bound}),
    st.integers(0, 4).map(lambda bound: {"type": "string", "minLength": bound}),
    st.just({"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 2}]}),
)


def objects(member: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Object schemas over the names a, b and c, open or closed."""

    def built(properties: dict[str, Any], required: list[str], closed: bool) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object", "properties": properties, "required": [name for name in required if name in properties]}
        return {**schema, "additionalProperties": False} if closed else schema

    names = st.sampled_from(["a", "b", "c"])
    return st.builds(built, st.dictionaries(names, member, min_size=1, max_size=3), st.lists(names, max_size=2, unique=True), st.booleans())


schemas = objects(st.one_of(scalars, scalars.map(lambda items: {"type": "array", "items": items}), objects(scalars)))


def tool(schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": "find", "inputSchema": {"type": "object"}, "outputSchema": schema}


@settings(max_examples=150)
@given(schemas, schemas)
def test_a_result_that_an_old_reader_refuses_is_never_called_harmless(old: dict[str, Any], new: dict[str, Any]) -> None:
    pair = Pair(tool(old), tool(new))
    found = changes(tool(old), tool(new))
    if pair.output.keeps == "no":
        assert any(change.old_caller != "none" or change.group == "toolchain" for change in found), (old, new, found)


@settings(max_examples=100)
@given(schemas, schemas)
def test_equal_sets_of_results_break_nobody(old: dict[str, Any], new: dict[str, Any]) -> None:
    side = Pair(tool(old), tool(new)).output
    if side.keeps == "yes" and side.kept_back == "yes":
        assert all(change.old_caller != "loud" for change in changes(tool(old), tool(new)))


@given(schemas)
def test_a_schema_is_no_change_of_itself(schema: dict[str, Any]) -> None:
    assert changes(tool(schema), tool(schema)) == ()
