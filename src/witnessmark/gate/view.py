"""What is known of the server's catalog now: from the client's traversals and from lists of our own, and how old it is.

The states of a traversal are those of state/catalog.py; a list of ours feeds this view and never the client's. Pure: no I/O,
no clock: instants come in.
"""

from __future__ import annotations

from typing import Final

from witnessmark.model.evidence import (
    CatalogChanged,
    EvidenceGap,
    Fact,
    ListFailed,
    ListPage,
    ListStarted,
    SessionClosed,
    SessionNegotiated,
    SessionOpened,
    SubscriptionAcknowledged,
    SubscriptionAsked,
    SubscriptionEnded,
    ToolRef,
)
from witnessmark.model.gate import Verify
from witnessmark.state.catalog import Catalog
from witnessmark.state.session import Mark
from witnessmark.state.walk import Walk

_SECOND_US: Final = 1_000_000


class View:
    """The server's catalog as this session knows it."""

    def __init__(self) -> None:
        self._catalog = Catalog("", "")
        self._n = 0
        self._list_changed = False
        self._channel = False
        self.doubtful = False
        """A list after a signal showed no change, and the second look has not come yet."""

    def _mark(self, now_us: int) -> Mark:
        self._n += 1
        return Mark(self._n, now_us, "")

    # --- what was seen -----------------------------------------------------------------------------------------------

    def take(self, fact: Fact, now_us: int) -> bool:
        """Take what a fact says of the catalog; True for a signal."""
        catalog = self._catalog
        kind = type(fact)
        if kind is CatalogChanged:
            catalog.changed(fact, self._mark(now_us))  # type: ignore[arg-type]  # `kind` narrows it, here and below
            return True
        if kind is ListStarted:
            catalog.list_started(fact, self._mark(now_us))  # type: ignore[arg-type]
        elif kind is ListPage:
            catalog.page(fact, self._mark(now_us))  # type: ignore[arg-type]
        elif kind is ListFailed:
            catalog.failed(fact, self._mark(now_us))  # type: ignore[arg-type]
        elif kind is SessionNegotiated:
            negotiated: SessionNegotiated = fact  # type: ignore[assignment]
            if negotiated.list_changed is not None:
                self._list_changed = negotiated.list_changed
            # To 2025-11-25 the pipe itself delivers signals; since 2026-07-28 only an acknowledged subscription does.
            self._channel = self._channel or (negotiated.era == "legacy" and negotiated.transport == "stdio")
        elif kind is SubscriptionAsked:
            catalog.asked_subscription(fact)  # type: ignore[arg-type]
        elif kind is SubscriptionAcknowledged:
            catalog.acknowledged(fact, self._mark(now_us))  # type: ignore[arg-type]
        elif kind is SubscriptionEnded:
            catalog.unsubscribed(fact, self._mark(now_us))  # type: ignore[arg-type]
        elif kind is EvidenceGap or kind is SessionClosed or kind is SessionOpened:
            catalog.blinded("gap", self._mark(now_us))
            if kind is SessionOpened:
                opened: SessionOpened = fact  # type: ignore[assignment]
                self._channel = self._channel or (opened.transport == "http" and opened.listening)
        return False

    # --- lists of our own --------------------------------------------------------------------------------------------

    def begin(self, fact: ListStarted, now_us: int) -> Walk:
        """A list of ours begins with this request; its walk."""
        self._catalog.list_started(fact, self._mark(now_us))
        walk = self._catalog.newest
        assert walk is not None
        return walk

    def ask(self, walk: Walk, fact: ListStarted, now_us: int) -> None:
        """The request for the next page of that walk."""
        walk.ask(fact, self._mark(now_us))

    # --- what follows ------------------------------------------------------------------------------------------------

    @property
    def walk(self) -> Walk | None:
        """The newest complete traversal."""
        return self._catalog.complete

    def tool(self, name: str) -> ToolRef | None:
        """The tool in it."""
        return self._catalog.current(name)

    @property
    def unread(self) -> bool:
        """True where a signal, a reconnect or a loss came after the newest complete traversal began."""
        walk, catalog = self._catalog.complete, self._catalog
        if walk is None:
            return True
        return any(mark is not None and mark.n > walk.started.n for mark in (catalog.signal, catalog.blind))

    def signal_after(self, walk: Walk) -> bool:
        """Whether a signal came after that walk began."""
        signal = self._catalog.signal
        return signal is not None and signal.n > walk.started.n

    @property
    def position(self) -> int:
        """How far the history of the catalog has come: what begins later has a greater one, whatever the clock says."""
        return self._n

    def fresh(self, verify: Verify, arrived: int, now_us: int) -> bool:
        """Whether the newest complete traversal is young enough for a call that arrived at that position."""
        walk = self._catalog.complete
        if walk is None or self.doubtful or self.unread:
            return False
        if verify.mode == "always":
            return walk.started.n > arrived
        if verify.mode == "ttl" and walk.ttl_until_us is not None and walk.ttl_until_us >= 0:
            return now_us < walk.ttl_until_us
        if verify.mode == "signal" and self._list_changed and (self._channel or self._catalog.subscribed):
            return self._catalog.lost_channel is None
        return now_us - walk.started.time_us <= verify.max_age_s * _SECOND_US
