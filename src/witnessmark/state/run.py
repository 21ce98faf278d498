"""The state of a run: its servers, calls, effects, outcomes, and how far its logs are whole. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import Final

from witnessmark.model import evidence as e
from witnessmark.state.calls import Calls
from witnessmark.state.catalog import Catalog, InstalledReports
from witnessmark.state.effect import Effects
from witnessmark.state.outcome import Outcomes
from witnessmark.state.receipts import Receipts
from witnessmark.state.session import Authorization, Mark, Session

MODERN_PEER: Final = ""
"""The peer of every request of 2026-07-28, which has no sessions and is never keyed by its connection."""
MAX_MARKS: Final = 16
"""Places of one kind of damage that are named; more are counted."""


class Server:
    """What is known of one configured server."""

    __slots__ = ("approved", "approved_mark", "authorization", "called", "catalogs", "installed", "name", "pipes", "sessions", "signals")

    def __init__(self, name: str) -> None:
        self.name = name
        self.sessions: dict[str, Session] = {}
        self.pipes: set[str] = set()
        self.catalogs: dict[str, Catalog] = {}
        self.authorization = Authorization()
        self.installed = InstalledReports()
        self.approved: dict[str, e.ToolRef] | None = None
        self.approved_mark: Mark | None = None
        self.called: dict[str, Mark] = {}
        self.signals = 0

    def session(self, peer: str) -> Session:
        """The session of `peer`, made on first sight."""
        found = self.sessions.get(peer)
        if found is None:
            found = self.sessions[peer] = Session(self.name, peer)
        return found

    def catalog(self, peer: str) -> Catalog:
        """The catalog as `peer` discovers it, made on first sight."""
        found = self.catalogs.get(peer)
        if found is None:
            found = self.catalogs[peer] = Catalog(self.name, peer)
        return found


class Log:
    """One (source, session) log: how far it is whole."""

    __slots__ = ("attests", "brings", "closed", "covered_us", "expected", "head", "last_id", "observes")

    def __init__(self) -> None:
        self.expected = 0
        self.head = b""
        self.closed: Mark | None = None
        self.covered_us = -(1 << 62)
        self.observes = False
        self.brings = False
        self.attests = False
        self.last_id = ""


class Damage:
    """A kind of damage to the log: how often, and the first places."""

    __slots__ = ("count", "marks")

    def __init__(self) -> None:
        self.count = 0
        self.marks: list[Mark] = []

    def add(self, mark: Mark) -> None:
        """Note one more."""
        self.count += 1
        if len(self.marks) < MAX_MARKS:
            self.marks.append(mark)

    @property
    def last(self) -> Mark | None:
        """The newest named place."""
        return self.marks[-1] if self.marks else None


class RunState:
    """Everything that a verdict about one run may need; its size is bounded by what is open."""

    __slots__ = (
        "advisories", "calls", "chain", "checkpoints", "clock_jumped", "closed", "damaged", "effects", "equivocations",
        "events", "fatal", "first", "gaps", "junk", "last", "last_gap", "logs", "opened", "other_errors", "other_requests",
        "other_run", "outcomes", "receipts", "run", "servers", "unpaired",
    )  # fmt: skip

    def __init__(self) -> None:
        self.run = ""
        self.other_run = ""
        self.events = 0
        self.first: Mark | None = None
        self.last: Mark | None = None
        self.logs: dict[tuple[str, str], Log] = {}
        self.servers: dict[str, Server] = {}
        self.calls = Calls()
        self.effects = Effects()
        self.receipts = Receipts()
        self.outcomes = Outcomes()
        self.opened: e.RunOpened | None = None
        self.closed: Mark | None = None
        self.gaps = Damage()
        self.last_gap: Mark | None = None
        self.equivocations = Damage()
        self.chain = Damage()
        self.damaged: Mark | None = None
        self.clock_jumped: Mark | None = None
        self.fatal: dict[str, Damage] = {}
        self.unpaired: dict[str, Damage] = {}
        self.junk = 0
        self.advisories = 0
        self.other_requests = 0
        self.other_errors = 0
        self.checkpoints: dict[str, tuple[e.EvidenceCheckpoint, int]] = {}

    def server(self, name: str) -> Server:
        """The server of this name, made on first sight."""
        found = self.servers.get(name)
        if found is None:
            found = self.servers[name] = Server(name)
        return found

    # --- continuity --------------------------------------------------------------------------------------------------

    def gap(self, mark: Mark) -> None:
        """Observations were lost here: every catalog is blind until traversed again."""
        self.gaps.add(mark)
        self.last_gap = mark
        for server in self.servers.values():
            server.installed.gap = mark
            for catalog in server.catalogs.values():
                catalog.blinded("gap", mark)

    def damage(self, mark: Mark) -> None:
        """The log itself is not what its observer wrote: whatever was lost here, a later traversal does not make up for it."""
        self.damaged = mark
        self.gap(mark)

    @property
    def open_logs(self) -> list[Log]:
        """The logs that were not closed: what they said after `covered_us` may have been cut off."""
        return [log for log in self.logs.values() if (log.observes or log.brings or log.attests) and log.closed is None]

    def covered(self, asked_us: int, judged_us: int, silence_us: int) -> bool:
        """True where every open log speaks far enough: an observer's up to the instant that is judged, and one that brings
        receipts up to the instant that was asked for, because a receipt may speak of a closed run after its close. One that
        attests others is written in one instant: unless it goes on after it, its missing end may have attested more.
        """
        return all(
            asked_us < log.covered_us if log.attests else (asked_us if log.brings else judged_us) <= log.covered_us + silence_us
            for log in self.open_logs
        )
