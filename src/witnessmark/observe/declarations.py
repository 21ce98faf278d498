"""Declarations that reach an observer at work. Pure: no I/O, no clock."""

from __future__ import annotations

from witnessmark.model.evidence import EffectDeclared
from witnessmark.observe.observer import Observer


def take_up(observer: Observer, fact: EffectDeclared) -> None:
    """Tells an observer at work where a tool's operation key stands, by a declaration that was recorded meanwhile."""
    if fact.server not in ("", observer.server):
        return
    tool = fact.tool.removeprefix(f"{observer.server}/")
    if not fact.has_key:
        observer.declare_no_key(tool)
        return
    try:
        observer.declare_key(tool, fact.pointer)
    except ValueError:
        # It was checked when it was declared; a pointer that an older version wrote differently gives no key.
        observer.declare_no_key(tool)
