"""Comparing two captures: what is cosmetic stays quiet, what nobody can judge is never green, hostile schemas end in time."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.rule_cases import cases, changes
from witnessmark.contract.pairing import Pair
from witnessmark.model.capture import Capture
from witnessmark.rules.catalogue import RULES
from witnessmark.rules.comparing import compare

TEXT: Final = {"type": "string"}


def tool(schema: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"name": "find", "description": "Finds notes.", "inputSchema": schema, **members}


def capture(*tools: dict[str, Any], **members: Any) -> Capture:
    return Capture(server="s", complete=True, tools=tools, **members)


BASE: Final = tool(
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1},
            "state": {"type": "string", "enum": ["open", "closed", "all"], "default": "open"},
            "limit": {"type": "integer", "maximum": 100},
            "zone": {"$ref": "#/$defs/zone"},
        },
        "required": ["query", "state"],
        "$defs": {"zone": {"type": "string", "enum": ["north", "south"]}},
    },
    annotations={"readOnlyHint": True},
)


def edited(**properties: Any) -> dict[str, Any]:
    schema = {**BASE["inputSchema"], "properties": {**BASE["inputSchema"]["properties"], **properties}}
    return {**BASE, "inputSchema": schema}


EQUAL: Final = {
    "key order": {name: BASE[name] for name in reversed(BASE)},
    "1 and 1.0": edited(query={"type": "string", "minLength": 1.0}),
    "order of required": {**BASE, "inputSchema": {**BASE["inputSchema"], "required": ["state", "query"]}},
    "order of an enum": edited(state={"type": "string", "enum": ["all", "closed", "open"], "default": "open"}),
    "a definition written in place": {
        **BASE,
        "inputSchema": {
            name: member
            for name, member in edited(zone={"type": "string", "enum": ["north", "south"]})["inputSchema"].items()
            if name != "$defs"
        },
    },
    "a definition renamed": {
        **BASE,
        "inputSchema": {
            **edited(zone={"$ref": "#/$defs/area"})["inputSchema"],
            "$defs": {"area": {"type": "string", "enum": ["north", "south"]}},
        },
    },
    "an exclusive bound": edited(limit={"type": "integer", "exclusiveMaximum": 101}),
    "an explicit default annotation": {**BASE, "annotations": {"readOnlyHint": True, "openWorldHint": True}},
    "a title of a schema": {**BASE, "inputSchema": {**BASE["inputSchema"], "title": "findArguments"}},
    "a declared dialect": {**BASE, "inputSchema": {**BASE["inputSchema"], "$schema": "https://json-schema.org/draft/2020-12/schema"}},
    "a limit of a generator": edited(limit={"type": "integer", "maximum": 100, "minimum": -9007199254740991}),
}


@pytest.mark.parametrize("name", EQUAL)
def test_what_means_the_same_is_cosmetic_both_ways(name: str) -> None:
    for before, after in ((BASE, EQUAL[name]), (EQUAL[name], BASE)):
        found = changes(before, after)
        assert all(change.cosmetic for change in found), found


@pytest.mark.parametrize("name", ["key order", "1 and 1.0"])
def test_what_has_one_canonical_form_is_no_change_at_all(name: str) -> None:
    assert changes(BASE, EQUAL[name]) == ()


def test_page_cuts_are_no_change() -> None:
    other = {**BASE, "name": "other"}
    assert compare(capture(BASE, other, pages=1), capture(BASE, other, pages=2)) == ()


def test_the_gravest_change_comes_first() -> None:
    before = tool({"type": "object", "properties": {"query": TEXT, "max_results": {"type": "integer"}, "state": {"enum": ["a", "b"]}}})
    after = tool(
        {"type": "object", "properties": {"query": TEXT, "limit": {"type": "integer", "default": 10}, "state": {"enum": ["a"]}, "x": TEXT}}
    )
    assert [change.old_caller for change in changes(before, after)] == ["silent", "loud", "none"]


def test_a_swallowed_argument_is_told_in_words() -> None:
    before = tool({"type": "object", "properties": {"query": TEXT, "max_results": {"type": "integer"}}})
    after = tool({"type": "object", "properties": {"query": TEXT, "limit": {"type": "integer", "default": 10}}})
    (change,) = changes(before, after)
    assert (change.kind, change.old_caller, change.renamed_to) == ("param-renamed-open", "silent", "limit")
    words = "an agent that still sends `max_results` is accepted and the value is swallowed, and the new `limit` keeps its default 10"
    assert words in change.why


def test_names_of_a_server_are_escaped_in_sentences() -> None:
    (change,) = changes(
        tool({"type": "object", "properties": {"q": TEXT, "a\u202eb": TEXT}}), tool({"type": "object", "properties": {"q": TEXT}})
    )
    assert "\u202e" not in change.why
    assert "\\u202e" in change.why


def test_an_sdk_swap_is_cosmetic_and_an_sdk_swap_with_a_change_is_not() -> None:
    swapped = {**EQUAL["a title of a schema"]["inputSchema"], "$schema": "http://json-schema.org/draft-07/schema#"}
    alone = changes(BASE, {**BASE, "inputSchema": swapped})
    assert {change.group for change in alone} == {"toolchain"}
    assert all(change.cosmetic for change in alone)
    swapped = {**swapped, "properties": {name: child for name, child in swapped["properties"].items() if name != "limit"}}
    assert "silent" in {change.old_caller for change in changes(BASE, {**BASE, "inputSchema": swapped})}


def test_a_fingerprint_is_of_what_was_seen() -> None:
    def prints(before: Capture, after: Capture) -> set[str]:
        return {change.fingerprint for change in compare(before, after)}

    one, other = edited(state={"type": "string", "default": "closed"}), edited(state={"type": "string", "default": "all"})
    seen = prints(capture(BASE), capture(one))
    assert all(len(each) == 32 for each in seen)
    assert seen == prints(capture(BASE), capture(one))
    assert seen != prints(capture(BASE), capture(other))
    assert seen.isdisjoint(prints(capture(BASE), capture(one, profile="full")))
    assert seen.isdisjoint(prints(capture(BASE), msgspec.structs.replace(capture(one), server="t")))


def test_a_yes_of_the_oracle_takes_back_what_spelling_suggested() -> None:
    before = tool({"type": "object", "properties": {"v": {"anyOf": [{"type": "integer"}, {"type": "integer", "minimum": 3}]}}})
    after = tool({"type": "object", "properties": {"v": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}})
    assert "loud" not in {change.old_caller for change in changes(before, after)}


def test_a_member_that_no_rule_knows_is_never_green() -> None:
    (change,) = changes(tool({"type": "object"}, outputSchema="a"), tool({"type": "object"}, outputSchema="b"))
    assert (change.kind, change.old_caller, change.confidence) == ("member-changed", "silent", "low")


def doubled(levels: int, keyword: str) -> dict[str, Any]:
    definitions: dict[str, Any] = {"d0": TEXT}
    for level in range(levels):
        definitions[f"d{level + 1}"] = {keyword: [{"$ref": f"#/$defs/d{level}"}, {"$ref": f"#/$defs/d{level}"}]}
    return {"type": "object", "properties": {"a": {"$ref": f"#/$defs/d{levels}"}}, "$defs": definitions}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = TEXT
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def listed(numbers: range) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"enum": list(numbers)}}}


def parts(width: int) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"oneOf": [{"minimum": each, "maximum": each + width} for each in range(300)]}}}


HOSTILE: Final = {
    "deep": (nested(100), nested(101)),
    "deeper than JSON is read": (nested(400), nested(401)),
    "definitions that double": (doubled(30, "allOf"), doubled(31, "allOf")),
    "unions that double": (doubled(30, "anyOf"), doubled(31, "anyOf")),
    "references in a circle": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/b", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "type": "object"},
    ),
    "a list of 20,000 values": (listed(range(20_000)), listed(range(1, 20_001))),
    "300 parts that exclude each other": (parts(3), parts(4)),
    "patterns that never end": (
        {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}, "patternProperties": {"^(([a-z])+.)+[A-Z]([a-z])+$": {}}},
        {"properties": {"a": {"type": "string", "pattern": "^(a|a)*$"}}, "patternProperties": {"(x+x+)+y": {}}},
    ),
    "3,000 other names": (
        {"type": "object", "properties": {f"p{each}": TEXT for each in range(3_000)}},
        {"type": "object", "properties": {f"q{each}": TEXT for each in range(3_000)}},
    ),
    "keywords of wrong types": (
        {"type": 5, "properties": [], "required": {"a": 1}, "enum": "x", "anyOf": {}, "allOf": 7, "items": 3, "$ref": 9, "minimum": "x"},
        {
            "type": ["a", 3],
            "properties": {"a": []},
            "required": [1, None],
            "enum": {},
            "oneOf": [1, None, "x"],
            "not": [],
            "items": [1, {}],
            "if": 3,
        },
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.timeout(20)
def test_a_hostile_schema_ends_in_time_and_is_not_green(name: str) -> None:
    old, new = HOSTILE[name]
    for before, after in ((old, new), (new, old)):
        found = changes(tool(before), tool(after))
        assert found
        # A name or a shape may be proved harmless; silence may not.
        assert all(change.why for change in found)
    assert not [change for change in changes(tool(old), tool(old)) if change.kind not in {"ambiguous-contract", "member-changed"}]


# --- properties -------------------------------------------------------------------------------------------------------

LEAVES: Final[st.SearchStrategy[dict[str, Any]]] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 2},
        {"type": "integer"},
        {"type": "number"},
        {"type": "number", "minimum": 3},
        {"type": ["string", "null"]},
        {"enum": ["a", "b"]},
        {"enum": ["b", "a", "c"]},
        {"const": "a"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array"},
        {"type": "object"},
        {"not": {"type": "string"}},
        {},
        {"type": "integer", "default": 3},
        {"type": "string", "pattern": "^a"},
        {"type": "integer", "multipleOf": 2},
    ]
)


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda properties, required, more: {"type": "object", "properties": properties, "required": required, **more},
        st.dictionaries(st.sampled_from(["a", "b", "c", "limit"]), inner, max_size=3),
        st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=2),
        st.sampled_from(
            [{}, {"additionalProperties": False}, {"additionalProperties": True}, {"additionalProperties": {"type": "string"}}]
        ),
    )


def unions(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda keyword, held: {keyword: held}, st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, min_size=1, max_size=3)
    )


SCHEMAS: Final = objects(st.recursive(LEAVES, lambda inner: objects(inner) | unions(inner), max_leaves=6))


@given(SCHEMAS, SCHEMAS)
@settings(max_examples=150)
def test_none_is_never_said_where_the_oracle_says_no(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = changes(tool(before), tool(after))
    if all(change.old_caller == "none" for change in found):
        assert Pair(tool(before), tool(after)).input.keeps == "yes"


@given(SCHEMAS, SCHEMAS)
@settings(max_examples=150)
def test_two_schemas_that_differ_are_never_passed_over(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = changes(tool(before), tool(after))
    assert bool(found) == (msgspec.json.encode(before, order="deterministic") != msgspec.json.encode(after, order="deterministic"))
    assert all(change.kind in RULES and change.action for change in found)


@given(SCHEMAS)
@settings(max_examples=60)
def test_a_contract_is_equal_to_itself(schema: dict[str, Any]) -> None:
    assert changes(tool(schema), tool(schema)) == ()


def test_cases_hold_every_grade() -> None:
    grades = {expected.get("old_caller") for case in cases() for expected in case.expect or ()}
    assert {"none", "loud", "silent"} <= grades
