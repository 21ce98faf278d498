from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import hostile_json
from witnessmark.contract.wire_tool import ToolFinding, read_tool

OK: dict[str, Any] = {"name": "t", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    "value, findings, has_contract",
    [
        (OK, (), True),
        ({**OK, "name": ""}, (), True),
        (None, (ToolFinding.NOT_OBJECT,), False),
        (["t"], (ToolFinding.NOT_OBJECT,), False),
        ({"inputSchema": {}}, (ToolFinding.NAME_MISSING,), False),
        ({"name": None, "inputSchema": {}}, (ToolFinding.NAME_NOT_STRING,), False),
        ({"name": 7, "inputSchema": {}}, (ToolFinding.NAME_NOT_STRING,), False),
        ({"name": "t"}, (ToolFinding.INPUT_SCHEMA_MISSING,), True),
        ({"name": "t", "inputSchema": None}, (ToolFinding.INPUT_SCHEMA_NOT_OBJECT,), True),
        ({"name": "t", "inputSchema": True}, (ToolFinding.INPUT_SCHEMA_NOT_OBJECT,), True),
        ({}, (ToolFinding.NAME_MISSING, ToolFinding.INPUT_SCHEMA_MISSING), False),
    ],
)
def test_each_defect_of_a_wire_tool_has_a_name(value: object, findings: tuple[ToolFinding, ...], has_contract: bool) -> None:
    tool = read_tool(value)
    assert (tool.findings, tool.has_contract) == (findings, has_contract)


def test_a_tool_with_two_readings_has_no_contract_whatever_else_is_right() -> None:
    tool = read_tool(OK, ambiguous=True)
    assert tool.findings == (ToolFinding.AMBIGUOUS,)
    assert not tool.has_contract
    assert tool.name == "t"


@given(hostile_json.values)
def test_any_json_can_be_read_as_a_tool_without_an_error(value: Any) -> None:
    tool = read_tool(value)
    assert tool.has_contract == (isinstance(value, dict) and isinstance(value.get("name"), str))
