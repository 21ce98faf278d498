"""The JSON Schema of `witnessmark.toml`: `python -m witnessmark.render.configuration_schema > docs/configuration.schema.json`.

It holds every rule of shape; what needs two members at once or the kinds of a plug-in, `witnessmark config check` says. Kinds that
are not built in are left open. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from witnessmark.model import gate
from witnessmark.model.declaration import Kind
from witnessmark.model.declaration_tables import BUILT_IN, OUTCOME, TASK, TOOL
from witnessmark.model.gate import GatePolicy
from witnessmark.model.members import Member, MemberType, Table
from witnessmark.model.policy import DURATIONS, MAX_DURATION_S, Policy

_DURATION: Final[dict[str, Any]] = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_DURATION_S},
        {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(ms|s|m|h|d)\s*$"},
    ]
}
_TYPES: Final[dict[MemberType, dict[str, Any]]] = {
    "text": {"type": "string", "minLength": 1},
    "texts": {"type": "array", "items": {"type": "string", "minLength": 1}},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "duration": _DURATION,
    "pointer": {"type": "string", "pattern": "^(/([^~/]|~[01])*)*$"},
    "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    "table": {"type": "object"},
    "list": {"type": "array", "items": {"type": "object"}},
    "any": {},
}
_NAME: Final = "^[A-Za-z0-9_.-]{1,64}$"
_REFERENCES: Final = {"type": "object", "additionalProperties": {"type": "string", "pattern": "^([!-~]+ )?env:[A-Za-z_][A-Za-z0-9_]*$"}}
_VERIFY: Final = {"type": "string", "pattern": r"^(always|ttl|signal|max_age(=[0-9]+(\.[0-9]+)?\s*(ms|s|m|h|d))?)$"}
_SERVER: Final = {
    "type": "object",
    "properties": {
        "command": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "url": {"type": "string", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"},
        "env": _REFERENCES,
        "headers": _REFERENCES,
        "gate": {"$ref": "#/$defs/gate"},
    },
    "additionalProperties": False,
    "oneOf": [{"required": ["command"], "not": {"required": ["headers"]}}, {"required": ["url"], "not": {"required": ["env"]}}],
}


def schema() -> dict[str, Any]:
    """The schema, draft 2020-12."""
    destination = _kinds(BUILT_IN.destinations)
    tool = _table(TOOL, destination={"anyOf": [{"type": "string", "pattern": _NAME}, destination], **_about(TOOL["destination"])})
    outcome = _table(OUTCOME, name={"type": "string", "pattern": _NAME, **_about(OUTCOME["name"])}, verify=_kinds(BUILT_IN.verifiers))
    task = _table(TASK, outcomes={"type": "array", "items": outcome, **_about(TASK["outcomes"])})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "witnessmark.toml",
        "type": "object",
        "properties": {
            "servers": _named(_SERVER),
            "tools": {"type": "object", "propertyNames": {"pattern": "^[A-Za-z0-9_.-]{1,64}/.{1,1024}$"}, "additionalProperties": tool},
            "destinations": _named(destination),
            "tasks": _named(task),
            "policy": _policy(),
            "gate": {"$ref": "#/$defs/gate"},
            "redact": {"type": "array", "items": {"type": "string", "minLength": 1}},
        },
        "additionalProperties": False,
        "$defs": {"gate": _gate()},
    }


def _gate() -> dict[str, Any]:
    """The members of a gate's policy, from its record."""
    own: dict[str, Any] = {}
    for name, one in msgspec.json.schema(GatePolicy)["$defs"]["GatePolicy"]["properties"].items():
        plain = name.removesuffix("_s")
        if plain in gate.DURATIONS:
            own[plain] = {"anyOf": [{"const": 0}, *_DURATION["anyOf"]]}
            own[name] = {"type": "number", "minimum": 0, "maximum": MAX_DURATION_S}
        elif plain in gate.WORDS:
            own[plain] = {"enum": list(gate.WORDS[plain])}
        elif plain == "verify":
            own[plain] = _VERIFY
        elif plain == "tools":
            own[plain] = {"type": "object", "additionalProperties": _VERIFY}
        else:
            own[plain] = {key: value for key, value in one.items() if key != "default"}
    return {"type": "object", "properties": own, "additionalProperties": False}


def _named(one: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "propertyNames": {"pattern": _NAME}, "additionalProperties": one}


def _about(member: Member) -> dict[str, Any]:
    return {"description": member.text}


def _member(member: Member) -> dict[str, Any]:
    choices = {"enum": list(member.choices)} if member.choices else {}
    return {**_TYPES[member.type], **choices, **_about(member)}


def _table(table: Table, **other: dict[str, Any]) -> dict[str, Any]:
    required = [name for name, member in table.items() if member.required]
    return {
        "type": "object",
        "properties": {name: other.get(name) or _member(member) for name, member in table.items()},
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def _kinds(kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """A table of one of the kinds: the built-in ones by their tables, any other one as its plug-in says."""
    kind = {"kind": {"type": "string", "minLength": 1}}
    rules = [
        {
            "if": {"properties": {"kind": {"const": name}}},
            "then": {**(rest := _table(one.members)), "properties": {"kind": {"const": name}, **rest["properties"]}},
        }
        for name, one in kinds.items()
    ]
    return {"type": "object", "properties": kind, "required": ["kind"], "allOf": rules}


def _policy() -> dict[str, Any]:
    """The members of a policy, from its record: durations by their name, with `_s` as a number of seconds."""
    found = msgspec.json.schema(Policy)
    own: dict[str, Any] = found["$defs"]["Policy"]["properties"]
    plain = {name: {key: value for key, value in one.items() if key != "default"} for name, one in own.items()}
    durations: dict[str, Any] = {name: {"anyOf": [{"const": 0}, *_DURATION["anyOf"]]} for name in DURATIONS}
    durations |= {f"{name}_s": {"type": "number", "minimum": 0, "maximum": MAX_DURATION_S} for name in DURATIONS}
    rest = {name: one for name, one in plain.items() if name.removesuffix("_s") not in DURATIONS}
    return {"type": "object", "properties": {**durations, **rest}, "additionalProperties": False}


def text() -> str:
    """The schema as the file holds it."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
