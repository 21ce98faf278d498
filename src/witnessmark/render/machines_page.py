"""`docs/machines.md`: the pictures of the state machines, drawn from the tables that run them.

`python -m witnessmark.render.machines_page` prints the page; a test compares it with the file. Pure: no I/O, no clock.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import Enum
from typing import Final

from witnessmark.state.call import CALL, CallPhase
from witnessmark.state.session import SESSION, Phase
from witnessmark.state.walk import WALK, WalkPhase

_INTRODUCTION: Final = """# State machines

Generated from the tables in `src/witnessmark/state/` by `make docs`; the theory stands above each table. A pair that is not in
a picture changes nothing there: that is a decision, not an accident. State holds times, never ticks: "expired", "aged" and
"idle" are derived from an instant when a verdict is asked for, so none of them is a state here."""

_MACHINES: Final[tuple[tuple[str, str, Mapping[tuple[Enum, Enum], Enum], Enum], ...]] = (
    ("A session", "`state/session.py`: from offer to use, and what a refusal does.", SESSION, Phase.NONE),
    ("A traversal", "`state/walk.py`: one walk of `tools/list` by its chain of cursors.", WALK, WalkPhase.AWAITING),
    ("A call", "`state/call.py`: one logical call, all its rounds; a late answer is welcome.", CALL, CallPhase.OPEN),
)  # type: ignore[assignment]  # each table has its own enums; the page reads names only


def machine(table: Mapping[tuple[Enum, Enum], Enum], start: Enum) -> str:
    """The table as a Mermaid state diagram; triggers that lead the same way share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for (state, trigger), target in table.items():
        arrows.setdefault((state.name, target.name), []).append(trigger.name)
    lines = ["stateDiagram-v2", f"    [*] --> {start.name}"]
    lines += [f"    {state} --> {target}: {', '.join(triggers)}" for (state, target), triggers in arrows.items()]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    parts = [_INTRODUCTION]
    for title, told, table, start in _MACHINES:
        parts.append(f"## {title}\n\n{told}\n\n```mermaid\n{machine(table, start)}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
