"""Sessions: how a negotiation moves, and which authorization challenges stand.

A session of MCP <= 2025-11-25 is negotiated once, by initialize, and confirmed by `notifications/initialized`. In 2026-07-28
there is none: each request carries its version and each accepted response is a proof of its own, so ACCEPT confirms at once.
A refusal after a confirmation falsifies until something is accepted again; what clears it depends on its reason:

    version, http, lost     any accepted request
    header, capability      an accepted request of the same method
    error, not_mcp          a new negotiation

An absent pair in the table is a decision: the trigger changes nothing there.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from witnessmark.model.evidence import (
    SessionChallenged,
    SessionClosed,
    SessionNegotiated,
    SessionOffered,
    SessionOpened,
    SessionRefused,
)


class Phase(Enum):
    """Where a negotiation stands."""

    __hash__ = object.__hash__  # members are singletons; the inherited hash is Python code on the hot path

    NONE = auto()
    OFFERED = auto()
    NEGOTIATED = auto()
    CONFIRMED = auto()
    REFUSED = auto()


class Trigger(Enum):
    """What moves a negotiation."""

    __hash__ = object.__hash__  # members are singletons; the inherited hash is Python code on the hot path

    OFFER = auto()
    ACCEPT_LEGACY = auto()
    ACCEPT_MODERN = auto()
    CONFIRM = auto()
    USE = auto()
    REFUSE = auto()


SESSION: Final[dict[tuple[Phase, Trigger], Phase]] = {
    (Phase.NONE, Trigger.OFFER): Phase.OFFERED,
    (Phase.REFUSED, Trigger.OFFER): Phase.REFUSED,
    (Phase.NONE, Trigger.ACCEPT_LEGACY): Phase.NEGOTIATED,
    (Phase.OFFERED, Trigger.ACCEPT_LEGACY): Phase.NEGOTIATED,
    (Phase.REFUSED, Trigger.ACCEPT_LEGACY): Phase.NEGOTIATED,
    (Phase.NEGOTIATED, Trigger.ACCEPT_LEGACY): Phase.NEGOTIATED,
    (Phase.CONFIRMED, Trigger.ACCEPT_LEGACY): Phase.NEGOTIATED,
    (Phase.NONE, Trigger.ACCEPT_MODERN): Phase.CONFIRMED,
    (Phase.OFFERED, Trigger.ACCEPT_MODERN): Phase.CONFIRMED,
    (Phase.REFUSED, Trigger.ACCEPT_MODERN): Phase.CONFIRMED,
    (Phase.NEGOTIATED, Trigger.ACCEPT_MODERN): Phase.CONFIRMED,
    (Phase.NEGOTIATED, Trigger.CONFIRM): Phase.CONFIRMED,
    (Phase.NEGOTIATED, Trigger.USE): Phase.CONFIRMED,
    (Phase.NONE, Trigger.REFUSE): Phase.REFUSED,
    (Phase.OFFERED, Trigger.REFUSE): Phase.REFUSED,
    (Phase.NEGOTIATED, Trigger.REFUSE): Phase.REFUSED,
    (Phase.CONFIRMED, Trigger.REFUSE): Phase.REFUSED,
}
"""USE is an accepted request after the negotiation: it confirms where a client forgot `notifications/initialized`."""


class Mark(NamedTuple):
    """A place in the history: ordinal in the canonical order, time, and the event's id."""

    n: int
    time_us: int
    ref: str


MAX_STREAMS: Final = 64
"""Open notification streams of one session that are remembered; servers allow a few. A forgotten one is no channel."""

UNAUTHORIZED: Final = 401

CLEARED_BY_ANY: Final = frozenset({"version", "http", "lost"})
CLEARED_BY_METHOD: Final = frozenset({"header", "capability"})


class Refusal(NamedTuple):
    """A standing refusal and where it was seen."""

    fact: SessionRefused
    mark: Mark


class Challenge(NamedTuple):
    """A standing authorization challenge and where it was seen."""

    fact: SessionChallenged
    mark: Mark


class Session:
    """One session (or, in 2026-07-28, one peer) of a server."""

    __slots__ = (
        "accepted", "capabilities", "client", "closed", "closed_mark", "era", "negotiated", "offered", "offered_version", "opened",
        "peer", "phase", "refusal", "server", "streams", "streams_since", "transport", "version", "was_confirmed",
    )  # fmt: skip

    def __init__(self, server: str, peer: str) -> None:
        self.server = server
        self.peer = peer
        self.transport = "stdio"
        self.streams: set[str] = set()
        self.streams_since: Mark | None = None
        self.client = ""
        self.phase = Phase.NONE
        self.era: str = ""
        self.version = ""
        self.offered_version = ""
        self.capabilities: frozenset[str] = frozenset()
        self.opened: Mark | None = None
        self.offered: Mark | None = None
        self.negotiated: Mark | None = None
        self.accepted: Mark | None = None
        self.refusal: Refusal | None = None
        self.closed: SessionClosed | None = None
        self.closed_mark: Mark | None = None
        self.was_confirmed = False

    def _move(self, trigger: Trigger) -> bool:
        target = SESSION.get((self.phase, trigger))
        if target is None:
            return False
        self.phase = target
        return True

    def open(self, fact: SessionOpened, mark: Mark) -> bool:
        """Note an opened channel; True where it follows a closed one (a reconnect)."""
        self.opened = mark
        self.transport = fact.transport
        self.client = fact.client or self.client
        if fact.listening and len(self.streams) < MAX_STREAMS:
            if not self.streams:
                self.streams_since = mark
            self.streams.add(fact.channel)
        again = self.closed is not None
        self.closed = self.closed_mark = None
        return again

    def reopen(self) -> None:
        """Another channel carries on what the closed one carried."""
        self.closed = self.closed_mark = None

    def offer(self, fact: SessionOffered, mark: Mark) -> None:
        """Note what the client proposed."""
        self._move(Trigger.OFFER)
        self.transport = fact.transport
        self.offered = mark
        self.offered_version = fact.version
        self.client = fact.client or self.client

    def negotiate(self, fact: SessionNegotiated, mark: Mark) -> bool:
        """Note an acceptance; True where a session that was negotiated before is negotiated anew (a reconnect)."""
        again = self.negotiated is not None and fact.method == "initialize"
        self._move(Trigger.ACCEPT_MODERN if fact.era == "modern" else Trigger.ACCEPT_LEGACY)
        self.era = fact.era
        self.transport = fact.transport
        self.version = fact.version
        if fact.capabilities or not self.capabilities:
            self.capabilities = frozenset(fact.capabilities)
        self.negotiated = self.accepted = mark
        self.refusal = None
        self.closed = self.closed_mark = None
        return again

    def confirm(self, mark: Mark) -> None:
        """Note `notifications/initialized`."""
        self._move(Trigger.CONFIRM)
        self.accepted = mark

    def use(self, method: str, mark: Mark) -> None:
        """Note an accepted request: it confirms, and clears a refusal where its reason allows."""
        self.accepted = mark
        refusal = self.refusal
        if refusal is None:
            self._move(Trigger.USE)
            return
        reason = refusal.fact.reason
        if reason in CLEARED_BY_ANY or (reason in CLEARED_BY_METHOD and refusal.fact.method == method):
            self.refusal = None
            self.phase = Phase.CONFIRMED if self.was_confirmed or self.negotiated is not None else Phase.OFFERED

    def refuse(self, fact: SessionRefused, mark: Mark) -> None:
        """Note a refusal."""
        self.was_confirmed = self.was_confirmed or self.phase is Phase.CONFIRMED
        if self.phase is Phase.REFUSED or self._move(Trigger.REFUSE):
            self.refusal = Refusal(fact, mark)

    def close(self, fact: SessionClosed, mark: Mark) -> bool:
        """Note the end of a channel: of the session itself over stdio, of one exchange or stream over HTTP. True where the
        last stream that could carry unsolicited notifications ended.
        """
        if self.transport == fact.transport == "stdio":
            self.closed = fact
            self.closed_mark = mark
            return False
        had = fact.channel in self.streams
        self.streams.discard(fact.channel)
        return had and not self.streams


class Authorization:
    """The standing challenges of a server, and the newest acceptance. Bounded: one challenge per (method, tool)."""

    __slots__ = ("accepted", "challenges")

    def __init__(self) -> None:
        self.challenges: dict[tuple[str, str], Challenge] = {}
        self.accepted: Mark | None = None

    def challenge(self, fact: SessionChallenged, mark: Mark) -> None:
        """A challenge stands until it is followed by an accepted request."""
        self.challenges[fact.method, fact.tool] = Challenge(fact, mark)

    def accept(self, method: str, tool: str, mark: Mark) -> None:
        """An accepted request clears what it proves wrong: a green handshake is no authorization to call, so a challenge
        on a call is cleared by an accepted call only, and one for a scope or a person by a call of the same tool.
        """
        self.accepted = mark
        if not self.challenges:
            return
        for key, standing in list(self.challenges.items()):
            fact = standing.fact
            if fact.method != "tools/call":
                cleared = True
            elif method != "tools/call":
                cleared = False
            else:
                cleared = fact.status == UNAUTHORIZED or fact.tool in ("", tool)
            if cleared:
                del self.challenges[key]
