from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile_json
from witnessmark.contract.shown import ShownDefinition, read_shown

SCHEMA: dict[str, Any] = {"type": "object"}
SOURCES = ("anthropic-messages", "openai-chat", "openai-responses", "gemini", "my-agent")


@pytest.mark.parametrize(
    "source, tool",
    [
        ("anthropic-messages", {"name": "t", "description": "d", "input_schema": SCHEMA}),
        ("anthropic-messages", {"type": "custom", "name": "t", "description": "d", "input_schema": SCHEMA, "strict": True}),
        ("openai-chat", {"type": "function", "function": {"name": "t", "description": "d", "parameters": SCHEMA}}),
        ("openai-responses", {"type": "function", "name": "t", "description": "d", "parameters": SCHEMA}),
        ("gemini", {"functionDeclarations": [{"name": "t", "description": "d", "parameters": SCHEMA}]}),
        ("gemini", {"functionDeclarations": [{"name": "t", "description": "d", "parametersJsonSchema": SCHEMA}]}),
        ("gemini", {"function_declarations": [{"name": "t", "description": "d", "parameters_json_schema": SCHEMA}]}),
        ("gemini", {"name": "t", "description": "d", "parametersJsonSchema": SCHEMA}),
        ("any-other-word", {"name": "t", "description": "d", "inputSchema": SCHEMA}),
    ],
)
def test_a_tool_is_read_from_the_shape_of_its_source(source: str, tool: dict[str, Any]) -> None:
    read = read_shown(source, [tool])
    assert read.definitions == (ShownDefinition("t", "d", SCHEMA),)
    assert read.unread == 0


@pytest.mark.parametrize(
    "source, tool, names",
    [
        (
            "openai-responses",
            {"type": "namespace", "name": "mcp__git", "tools": [{"type": "function", "name": "log"}, {"name": "add"}]},
            ["mcp__git.log", "mcp__git.add"],
        ),
        ("gemini", {"functionDeclarations": [{"name": "a"}, {"name": "b"}]}, ["a", "b"]),
        ("anthropic-messages", {"type": "web_search_20250305", "name": "web_search"}, ["web_search"]),
    ],
)
def test_one_entry_may_hold_several_tools_or_one_of_the_vendor(source: str, tool: dict[str, Any], names: list[str]) -> None:
    assert [each.name for each in read_shown(source, [tool]).definitions] == names


@pytest.mark.parametrize(
    "source, tool",
    [
        ("anthropic-messages", {"name": "t", "input_schema": SCHEMA, "defer_loading": True}),
        ("anthropic-messages", {"type": "tool_reference", "tool_name": "t"}),
        ("openai-responses", {"type": "function", "name": "t", "parameters": SCHEMA, "defer_loading": True}),
    ],
)
def test_an_entry_that_is_loaded_later_is_deferred(source: str, tool: dict[str, Any]) -> None:
    (definition,) = read_shown(source, [tool]).definitions
    assert (definition.name, definition.deferred) == ("t", True)


def test_absent_members_stay_absent_and_members_of_a_wrong_type_are_not_read() -> None:
    read = read_shown("anthropic-messages", [{"name": "a"}, {"name": "b", "description": 7, "input_schema": [1]}])
    assert read.definitions == (ShownDefinition("a", None, None), ShownDefinition("b", None, None))


@pytest.mark.parametrize(
    "source, tools, unread",
    [
        ("anthropic-messages", {"name": "t"}, 1),
        ("anthropic-messages", [{"input_schema": SCHEMA}, None, "t", {"name": 7}], 4),
        ("openai-chat", [{"name": "t", "parameters": SCHEMA}], 1),
        ("openai-responses", [{"type": "mcp", "server_url": "u"}, {"type": "namespace", "name": "n"}], 2),
        ("gemini", [{"googleSearch": {}}, {"functionDeclarations": {"name": "t"}}], 2),
        ("my-agent", [{"tool": "t"}], 1),
    ],
)
def test_what_cannot_be_read_is_counted_and_never_dropped_in_silence(source: str, tools: object, unread: int) -> None:
    assert read_shown(source, tools).unread == unread
    assert read_shown(source, tools).definitions == ()


def test_endless_namespaces_end_as_unread() -> None:
    entry: dict[str, Any] = {"type": "function", "name": "t"}
    for _ in range(200):
        entry = {"type": "namespace", "name": "n", "tools": [entry]}
    assert read_shown("openai-responses", [entry]).unread == 1


@given(st.sampled_from(SOURCES), hostile_json.values)
def test_any_json_can_be_read_as_a_tools_array_without_an_error(source: str, value: Any) -> None:
    read_shown(source, value)
    read = read_shown(source, [value])
    assert read.definitions or read.unread or value == {"functionDeclarations": []}
