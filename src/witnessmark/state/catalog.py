"""A server's catalog as one client discovers it: signals, walks, delivery channel, blind moments, and what is installed.

Three separate events (verdicts.md section 2): a change signal, a discovery (full traversal), an install (what the client
shows the model). This file keeps the newest of each and in which order they came; judges/catalog.py decides.
Order is by ordinal in the canonical history, age is by time. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from witnessmark.model.evidence import (
    CatalogChanged,
    CatalogInstalled,
    GateListed,
    ListFailed,
    ListPage,
    ListStarted,
    SubscriptionAcknowledged,
    SubscriptionAsked,
    SubscriptionEnded,
    ToolRef,
)
from witnessmark.state.session import Mark
from witnessmark.state.walk import Walk, WalkPhase

MAX_OPEN_WALKS: Final = 8
"""Walks of one client that run beside each other; SDK clients were seen with two. The oldest is broken off beyond it."""
MAX_PENDING_CALLS: Final = 1_024
"""Calls sent after an unread signal that wait for the next traversal to tell whether their contract had changed."""
MAX_SOURCES: Final = 64
"""Sources of installed reports per server that are kept; a forgotten one leaves the catalog unverifiable."""

FAILURES: Final = {"lost": "ConnectionLost", "unanswered": "PageUnanswered"}


class Installed(NamedTuple):
    """The newest report of one source."""

    fact: CatalogInstalled
    mark: Mark


class WrongCall(NamedTuple):
    """A call that the current catalog contradicts."""

    tool: str
    mark: Mark


class PendingCall(NamedTuple):
    """A call sent while a signal was unread: which contract the client held then."""

    tool: str
    contract: ToolRef | None
    call: object


def same_contract(one: ToolRef | None, other: ToolRef | None) -> bool:
    """Whether two contracts are equal, or differ only cosmetically: their meaning digests are equal (verdicts.md section 3)."""
    if one is None or other is None:
        return one is other
    return one.digest == other.digest or (one.meaning != "" and one.meaning == other.meaning)


class Catalog:
    """The discovery state of one (server, peer)."""

    __slots__ = (
        "blind", "blind_reason", "complete", "generation", "implicit", "lost_channel", "newest", "newest_generation", "pending",
        "outdated", "peer", "server", "signal", "stray", "subscriptions", "walks", "wrong",
    )  # fmt: skip

    def __init__(self, server: str, peer: str) -> None:
        self.server = server
        self.peer = peer
        self.signal: Mark | None = None
        self.generation = 0
        self.walks: list[Walk] = []
        self.complete: Walk | None = None
        self.newest: Walk | None = None
        self.newest_generation = 0
        self.blind: Mark | None = None
        self.blind_reason = ""
        self.lost_channel: Mark | None = None
        self.subscriptions: dict[tuple[str, str], bool] = {}
        self.wrong: WrongCall | None = None
        self.outdated: WrongCall | None = None
        self.pending: list[PendingCall] = []
        self.implicit = 0
        self.stray = 0

    @property
    def subscribed(self) -> bool:
        """True while an acknowledged subscription delivers tool changes (2026-07-28)."""
        return any(self.subscriptions.values())

    def changed(self, fact: CatalogChanged, mark: Mark) -> None:
        """A signal: every walk that began before it is torn. A malformed one still announces a change."""
        del fact
        self.signal = mark
        self.generation += 1

    def blinded(self, reason: str, mark: Mark) -> None:
        """From here back nothing is known of changes: only a traversal started after it speaks again."""
        self.blind = mark
        self.blind_reason = reason

    def list_started(self, fact: ListStarted, mark: Mark) -> None:
        """A list request: without a cursor it begins a walk, with one it continues the walk that was given it.

        A list that is not the client's own never stands for the client's traversal.
        """
        if fact.origin != "client":
            return
        if fact.cursor is None:
            walk = Walk(fact, mark)
            if self.generation == 0:
                self.generation = 1
            if len(self.walks) >= MAX_OPEN_WALKS:
                self.walks.pop(0).break_off("PageMissing", mark)
            self.walks.append(walk)
            self.newest = walk
            return
        for walk in reversed(self.walks):
            if walk.phase is WalkPhase.WALKING and walk.next == fact.cursor:
                walk.ask(fact, mark)
                return
        self.stray += 1

    def _awaiting(self, channel: str, id_: str) -> Walk | None:
        for walk in reversed(self.walks):
            if walk.phase is WalkPhase.AWAITING and walk.id == id_ and walk.channel == channel:
                return walk
        return next((w for w in reversed(self.walks) if w.phase is WalkPhase.AWAITING and w.id == id_), None)

    def page(self, fact: ListPage, mark: Mark) -> Walk | None:
        """A page: returns the walk that it completed, if it did."""
        walk = self._awaiting(fact.channel, fact.id)
        if walk is None:
            self.stray += 1
            return None
        walk.page(fact, mark)
        if walk.open:
            self._implicit(walk)
            return None
        self.walks.remove(walk)
        if walk.phase is not WalkPhase.COMPLETE:
            return None
        if self.complete is None or walk.started.n >= self.complete.started.n:
            self.complete = walk
            self.newest_generation = self.generation
            # Walks that began before this one can never be the newest again.
            self.walks = [other for other in self.walks if other.started.n > walk.started.n]
        return walk

    def _implicit(self, walk: Walk) -> None:
        """Count a first page asked around a call while a complete traversal is held (verdicts.md: ignored)."""
        if walk.pages == 1 and self.complete is not None:
            self.implicit += 1

    def failed(self, fact: ListFailed, mark: Mark) -> None:
        """A page was answered by an error or by nothing readable."""
        walk = self._awaiting(fact.channel, fact.id)
        if walk is not None:
            walk.break_off(FAILURES.get(fact.reason, "PageError"), mark)
            self.walks.remove(walk)

    def asked_subscription(self, fact: SubscriptionAsked) -> None:
        """A subscription was asked for: it delivers nothing before its acknowledgement."""
        if len(self.subscriptions) < MAX_PENDING_CALLS:
            self.subscriptions.setdefault((fact.channel, fact.id), False)

    def acknowledged(self, fact: SubscriptionAcknowledged, mark: Mark) -> None:
        """A subscription began: a traversal before it may have missed a change, unless another one delivered meanwhile.

        Specification 2026-07-28, basic/patterns/subscriptions: nothing is delivered before the acknowledgement.
        """
        if fact.tools_list_changed and not self.subscribed:
            self.blind = mark
            self.blind_reason = "subscription"
        key = next((key for key in self.subscriptions if key[1] == fact.id), (fact.channel, fact.id))
        self.subscriptions[key] = fact.tools_list_changed
        self.lost_channel = None

    def unsubscribed(self, fact: SubscriptionEnded, mark: Mark) -> None:
        """A subscription ended; without another one there is no delivery channel from here on."""
        key = next((key for key in self.subscriptions if key[1] == fact.id), None)
        if key is not None and self.subscriptions.pop(key) and not self.subscribed:
            self.lost_channel = mark

    def channel_lost(self, channel: str, mark: Mark, *, whole: bool) -> None:
        """The channel ended: walks in it are broken; `whole` says that it was the session's only one (stdio)."""
        for walk in list(self.walks):
            if (whole or walk.channel == channel) and walk.phase is WalkPhase.AWAITING:
                walk.break_off("ConnectionLost", mark)
                self.walks.remove(walk)
        for key in [key for key in self.subscriptions if whole or key[0] == channel]:
            self.subscriptions.pop(key)

    def current(self, tool: str) -> ToolRef | None:
        """The contract of `tool` in the newest complete traversal, if there is one."""
        return self.complete.tools.get(tool) if self.complete is not None else None

    def called(self, tool: str, mark: Mark, call: object, *, fits_older: bool) -> None:
        """A call was sent: note what the catalog says against it, or what only the next traversal can say."""
        complete = self.complete
        if complete is None:
            return
        current = complete.tools.get(tool)
        fresh = self.signal is None or self.signal.n < complete.started.n
        if fits_older or (current is None and fresh):
            self.wrong = WrongCall(tool, mark)
        if not fresh and (len(self.pending) < MAX_PENDING_CALLS or all(one.tool != tool for one in self.pending)):
            self.pending.append(PendingCall(tool, current, call))

    def witnessed(self, fact: GateListed, mark: Mark) -> None:
        """A list of our own: it never stands for the client's, but it can prove that what the client was given is old."""
        if fact.complete and fact.differs:
            self.outdated = WrongCall(fact.differs[0], mark)

    def settle_pending(self, walk: Walk) -> list[object]:
        """The calls that the completed `walk` proves to have been sent by a contract that was no longer current."""
        stale = []
        for pending in self.pending:
            now = walk.tools.get(pending.tool)
            if not same_contract(now, pending.contract):
                stale.append(pending.call)
        self.pending.clear()
        return stale


class InstalledReports:
    """The newest installed report of each source of one server. Bounded: sources are named by the user's adapters."""

    __slots__ = ("by_source", "forgotten", "gap")

    def __init__(self) -> None:
        self.by_source: dict[str, Installed] = {}
        self.forgotten: Mark | None = None
        self.gap: Mark | None = None

    def report(self, fact: CatalogInstalled, mark: Mark) -> None:
        """Keep the newest report of the fact's source."""
        self.by_source.pop(fact.source, None)
        if len(self.by_source) >= MAX_SOURCES:
            self.by_source.pop(next(iter(self.by_source)))
            self.forgotten = mark
        self.by_source[fact.source] = Installed(fact, mark)
