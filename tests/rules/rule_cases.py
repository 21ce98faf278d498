"""The fixture folders of rules: `tests/rules/KIND/{fires,silent}/NAME.json`, read into cases.

A case: {"before": tool or catalog, "after": ..., "expect": [...]}. A tool has `name`; a catalog has `tools` and may have
`instructions` and other members of a capture. `expect` of a `fires` case lists every change, each with `kind` and
`pointer` and any further members that must be equal; `why` is a text that must occur in it. A `silent` case expects that
its kind is not among the changes, and exactly `expect` where it is given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from witnessmark.model.capture import Capture
from witnessmark.model.change import Change
from witnessmark.rules.comparing import compare

FOLDER: Final = Path(__file__).parent


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One fixture: its kind, whether the kind must fire, where it stands and what it holds."""

    kind: str
    fires: bool
    name: str
    before: dict[str, Any]
    after: dict[str, Any]
    expect: list[dict[str, Any]] | None = None


def cases() -> list[Case]:
    """Every case of every kind."""
    found = []
    for path in sorted(FOLDER.glob("*/*/*.json")):
        kind, side = path.parent.parent.name, path.parent.name
        held = json.loads(path.read_text(encoding="utf-8"))
        found.append(Case(kind=kind, fires=side == "fires", name=f"{kind}/{side}/{path.stem}", **held))
    return found


def capture(held: dict[str, Any]) -> Capture:
    """A capture of a tool or of a catalog, as server `s` shows it to a bare client."""
    if "tools" not in held:
        return Capture(server="s", complete=True, tools=(held,))
    return msgspec.convert({"server": "s", "complete": True, **held}, Capture)


def changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[Change, ...]:
    """What comparing two tools or catalogs gives."""
    return compare(capture(before), capture(after))


def told(change: Change) -> dict[str, Any]:
    """A change as plain members."""
    held: dict[str, Any] = msgspec.to_builtins(change)
    return held
