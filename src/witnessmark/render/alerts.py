"""What is said the moment something happens, as one line. Pure: no I/O, no clock."""

from __future__ import annotations

from witnessmark.model.evidence import CallExpired
from witnessmark.render.escape import name


def alert(fact: CallExpired) -> str:
    """The line about a clock that ran out: which call, which clock, and what has not happened by it."""
    call = f"call {name(fact.id)} of {name(fact.tool)}"
    if fact.clock == "inactivity":
        return f"{call}: no valid heartbeat for {fact.limit_s:g} s; it may still be at work, do not repeat it"
    waiting = " while a person was asked" if fact.waiting else ""
    return f"{call}: not answered within {fact.limit_s:g} s{waiting}; it may still be at work, do not repeat it"
