"""Tool annotations by their effective values, for the annotation rules.

Pure: no I/O, no clock. Defaults: specification, schema of ToolAnnotations, the same from 2025-03-26 to 2026-07-28.
`destructiveHint` and `idempotentHint` mean something only while `readOnlyHint` is false (same place).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from witnessmark.contract.meaning import DEFAULT_HINTS
from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.model.change import ABSENT

# The value of each hint that promises less harm.
SAFE: Final = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_WHILE_WRITING: Final = ("destructiveHint", "idempotentHint")


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """One hint that is sent differently. `old` and `new` are what it means; `told` is whether it stood there literally."""

    name: str
    old: bool
    new: bool
    before: Any
    after: Any

    @property
    def pointer(self) -> str:
        """Its place."""
        return f"/annotations/{self.name}"

    @property
    def escalated(self) -> bool:
        """Whether the tool claims to be more dangerous than before."""
        return self.old != self.new and self.old is SAFE[self.name]

    @property
    def relaxed(self) -> bool:
        """Whether the tool claims to be safer than before."""
        return self.old != self.new and self.new is SAFE[self.name]

    @property
    def told(self) -> str:
        """The change in words."""
        return f"{self.name} {_word(self.before, self.name)} became {_word(self.after, self.name)}"


def hints(pair: Pair) -> list[Hint]:
    """The hints whose literal value differs, in the order of the specification."""
    old, new = hints_of(pair.old), hints_of(pair.new)
    found = []
    for name in DEFAULT_HINTS:
        before, after = old.get(name, ABSENT), new.get(name, ABSENT)
        if before is not after and not (before is not ABSENT and after is not ABSENT and same(before, after)):
            found.append(Hint(name=name, old=_effective(old, name), new=_effective(new, name), before=before, after=after))
    return found


def hints_of(tool: dict[str, Any]) -> dict[str, Any]:
    """The annotations of a tool, {} where it has none that can be read."""
    held = tool.get("annotations")
    return held if type(held) is dict else {}


def value(held: dict[str, Any], name: str) -> bool:
    """A hint after defaults; what is no boolean says nothing."""
    said = held.get(name)
    return said if type(said) is bool else DEFAULT_HINTS[name]


def is_new(pair: Pair) -> bool:
    """Whether the tool had no hint at all before: then what came is one change."""
    return not any(name in hints_of(pair.old) for name in DEFAULT_HINTS)


def is_gone(pair: Pair) -> bool:
    """Whether the tool has no hint at all any more."""
    return not any(name in hints_of(pair.new) for name in DEFAULT_HINTS)


def _effective(held: dict[str, Any], name: str) -> bool:
    """What a hint means: its value after defaults, and the safe one where a read-only tool makes it idle."""
    return SAFE[name] if name in _WHILE_WRITING and value(held, "readOnlyHint") else value(held, name)


def _word(said: Any, name: str) -> str:
    """A hint's value in words, with what it means where it is absent."""
    if said is ABSENT:
        return f"absent (so {str(DEFAULT_HINTS[name]).lower()})"
    return str(said).lower() if type(said) is bool else "no boolean"
