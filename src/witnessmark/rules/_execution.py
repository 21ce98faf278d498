"""What a tool says about being run as a task, for the execution rules.

Pure: no I/O, no clock. Specification 2025-11-25, Tool.execution: `taskSupport` is `forbidden` where absent.
"""

from __future__ import annotations

from typing import Any

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same


def supports(pair: Pair) -> tuple[str, str] | None:
    """(task support before, now) where `execution` differs at all, else None."""
    if not pair.changed("execution"):
        return None
    return support(pair.old), support(pair.new)


def support(tool: dict[str, Any]) -> str:
    """`forbidden`, `optional` or `required`; what is none of them counts as forbidden."""
    held = tool.get("execution")
    said = held.get("taskSupport") if type(held) is dict else None
    return said if type(said) is str and said in {"optional", "required"} else "forbidden"


def others(tool: dict[str, Any]) -> dict[str, Any]:
    """The further members of `execution`, which no revision defines."""
    held = tool.get("execution")
    return {name: value for name, value in held.items() if name != "taskSupport"} if type(held) is dict else {}


def same_others(pair: Pair) -> bool:
    """Whether the further members are equal."""
    return same(others(pair.old), others(pair.new))
