"""A JSON answer, strictly read, and a place in it by JSON Pointer (RFC 6901)."""

from __future__ import annotations

from typing import Any

from witnessmark.adapters.asking.question import EffectAnswer, Unanswered, counted
from witnessmark.wire.strictjson import JsonLimits, decode


def decoded(data: bytes, limit_bytes: int) -> Any:
    """The value; Unanswered where it is no JSON, or says two things under one name."""
    found = decode(data, JsonLimits(max_bytes=limit_bytes))
    if found.findings:
        raise Unanswered("not_understood")
    return found.value


def at(value: Any, pointer: str) -> Any:
    """The value at that place; KeyError where there is none."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value[name]
        elif isinstance(value, list) and name.isascii() and name.isdigit() and (name == "0" or name[0] != "0"):
            if int(name) >= len(value):
                raise KeyError(name)
            value = value[int(name)]
        else:
            raise KeyError(name)
    return value


def count_at(value: Any, pointer: str, *, by_key: bool) -> EffectAnswer:
    """Applied or absent by the number, or the length of the list, at that place."""
    try:
        count = at(value, pointer)
    except KeyError:
        raise Unanswered("not_understood") from None
    return counted(len(count) if isinstance(count, list) else count, "operation_key" if by_key else "query")
