"""A walk: one traversal of `tools/list` by its chain of cursors, complete or broken by a named reason.

A traversal is complete when its first request has no cursor, each further cursor is exactly the previous answer's
`nextCursor`, every answer is a result, the last has none (absent or null; the empty string is a cursor), no cursor repeats,
no two tools share a name with different digests, and one protocol version carried it all (verdicts.md section 2;
specification 2026-07-28, server/utilities/pagination). Walks may run beside each other and share cursors: a page belongs to
the walk that asked for it.

    AWAITING --page with next--> WALKING --list with that cursor--> AWAITING
    AWAITING --page without next--> COMPLETE
    AWAITING, WALKING --error, loss, conflict, repeated cursor--> BROKEN

Pure: no I/O, no clock.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from witnessmark.contract.digest import catalog_digest
from witnessmark.model.evidence import ListPage, ListStarted, ToolRef
from witnessmark.state.session import Mark

MAX_PAGES: Final = 10_000
"""Pages of one walk that are followed; the largest real catalog of the corpus has 20. Beyond it the walk is broken."""


class WalkPhase(Enum):
    """Where a walk stands."""

    __hash__ = object.__hash__  # members are singletons; the inherited hash is Python code on the hot path

    AWAITING = auto()
    WALKING = auto()
    COMPLETE = auto()
    BROKEN = auto()


class Step(Enum):
    """What moves a walk."""

    __hash__ = object.__hash__  # members are singletons; the inherited hash is Python code on the hot path

    ASK = auto()
    PAGE_MORE = auto()
    PAGE_LAST = auto()
    BREAK = auto()


WALK: Final[dict[tuple[WalkPhase, Step], WalkPhase]] = {
    (WalkPhase.WALKING, Step.ASK): WalkPhase.AWAITING,
    (WalkPhase.AWAITING, Step.PAGE_MORE): WalkPhase.WALKING,
    (WalkPhase.AWAITING, Step.PAGE_LAST): WalkPhase.COMPLETE,
    (WalkPhase.AWAITING, Step.BREAK): WalkPhase.BROKEN,
    (WalkPhase.WALKING, Step.BREAK): WalkPhase.BROKEN,
}
"""An absent pair changes nothing: a complete walk stays complete, a broken one broken."""


class Walk:
    """One traversal under way or ended."""

    __slots__ = (
        "_digest", "ambiguous", "asked", "channel", "ended", "id", "last", "next", "pages", "phase", "reason", "seen",
        "started", "tools", "ttl_until_us", "version",
    )  # fmt: skip

    def __init__(self, fact: ListStarted, mark: Mark) -> None:
        self.phase = WalkPhase.AWAITING
        self.started = mark
        self.asked = mark
        self.last = mark
        self.ended: Mark | None = None
        self.channel = fact.channel
        self.id = fact.id
        self.version = fact.version
        self.next: str | None = None
        self.seen: set[str] = set()
        self.pages = 0
        self.tools: dict[str, ToolRef] = {}
        self.ambiguous: tuple[str, ...] = ()
        self.ttl_until_us: int | None = None
        self.reason = ""
        self._digest = ""

    @property
    def open(self) -> bool:
        """True while the walk may still complete."""
        return self.phase is WalkPhase.AWAITING or self.phase is WalkPhase.WALKING

    @property
    def digest(self) -> str:
        """The catalog digest over the names and contract digests of the pages so far; "" where a contract is ambiguous."""
        if not self._digest and not self.ambiguous:
            self._digest = catalog_digest((tool.name, f"sha256:{tool.digest}") for tool in self.tools.values())
        return self._digest

    def ask(self, fact: ListStarted, mark: Mark) -> None:
        """The request for the page after the last one."""
        self.phase = WALK[self.phase, Step.ASK]
        if fact.version != self.version:
            self.break_off("VersionChanged", mark)
            return
        if self.next is not None:
            self.seen.add(self.next)
        self.channel = fact.channel
        self.id = fact.id
        self.asked = self.last = mark

    def page(self, fact: ListPage, mark: Mark) -> None:
        """A page arrived: take its tools, then end, go on, or break."""
        self.pages += 1
        self.last = mark
        self._digest = ""
        self.ambiguous += fact.ambiguous
        for tool in fact.tools:
            known = self.tools.setdefault(tool.name, tool)
            if known.digest != tool.digest:
                self.break_off("DuplicateNames", mark)
                return
        until = mark.time_us + fact.ttl_ms * 1000 if fact.ttl_ms is not None and fact.ttl_ms > 0 else -1
        self.ttl_until_us = until if self.ttl_until_us is None else min(self.ttl_until_us, until)
        if fact.next is None:
            self.phase = WALK[self.phase, Step.PAGE_LAST]
            self.ended = mark
        elif fact.next in self.seen or fact.next == self.next:
            self.break_off("RepeatedCursor", mark)
        elif self.pages >= MAX_PAGES:
            self.break_off("TooManyPages", mark)
        else:
            self.phase = WALK[self.phase, Step.PAGE_MORE]
            self.next = fact.next

    def break_off(self, reason: str, mark: Mark) -> None:
        """The walk cannot complete any more."""
        target = WALK.get((self.phase, Step.BREAK))
        if target is not None:
            self.phase = target
            self.reason = reason
            self.ended = mark
