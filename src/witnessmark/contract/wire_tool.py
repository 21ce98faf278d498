"""What is wrong with a tool as it stands in a `tools/list` answer, before anything is made of it.

Pure: no I/O, no clock. Members: specification, schema of Tool, the same in all revisions since 2024-11-05: `name` is a
string and `inputSchema` an object, both required.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class ToolFinding(StrEnum):
    """One thing that is wrong with a wire tool; the value is the word that reports use."""

    NOT_OBJECT = "ToolNotObject"
    NAME_MISSING = "ToolNameMissing"
    NAME_NOT_STRING = "ToolNameNotString"
    INPUT_SCHEMA_MISSING = "InputSchemaMissing"
    INPUT_SCHEMA_NOT_OBJECT = "InputSchemaNotObject"
    AMBIGUOUS = "AmbiguousContract"


# With any of these the tool has no contract: nothing says which tool it is, or two readers read two definitions.
_NO_CONTRACT = frozenset((ToolFinding.NOT_OBJECT, ToolFinding.NAME_MISSING, ToolFinding.NAME_NOT_STRING, ToolFinding.AMBIGUOUS))


class WireTool(msgspec.Struct, frozen=True):
    """A wire tool after its check: its name and members as far as they can be read, and what is wrong with it."""

    name: str
    members: dict[str, Any]
    findings: tuple[ToolFinding, ...] = ()

    @property
    def has_contract(self) -> bool:
        """Whether its digest may stand for it: it has a name and one reading.

        A tool with a contract may still have findings: a server that sends no input schema breaks the protocol, yet
        what it sent is known. Its digest can still be refused by `contract_digest` (no canonical form).
        """
        return _NO_CONTRACT.isdisjoint(self.findings)


def read_tool(value: object, *, ambiguous: bool = False) -> WireTool:
    """The wire tool with its findings; never raises.

    `ambiguous`: the strict JSON decoder reported duplicate names, NaN or broken text inside this value, so that what
    was decoded is one of several readings.
    """
    findings = [ToolFinding.AMBIGUOUS] if ambiguous else []
    if type(value) is not dict:
        return WireTool("", {}, (ToolFinding.NOT_OBJECT, *findings))
    name = value.get("name")
    if "name" not in value:
        findings.append(ToolFinding.NAME_MISSING)
    elif type(name) is not str:
        findings.append(ToolFinding.NAME_NOT_STRING)
    if "inputSchema" not in value:
        findings.append(ToolFinding.INPUT_SCHEMA_MISSING)
    elif type(value["inputSchema"]) is not dict:
        findings.append(ToolFinding.INPUT_SCHEMA_NOT_OBJECT)
    return WireTool(name if type(name) is str else "", value, tuple(findings))
