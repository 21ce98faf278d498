"""Whether an exported evidence log is whole: hash chain, holes, and the count and head that each session's last word states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO, Final, Literal

from witnessmark.adapters.input_files import kind_of, lines_of, rewinds
from witnessmark.errors import InputError
from witnessmark.model.chain import GENESIS
from witnessmark.model.evidence import EvidenceCheckpoint, EvidenceClosed, EvidenceGap
from witnessmark.render.cloudevents import TRUNCATED, read_logged_lines
from witnessmark.state.order import Logged, canonical_order, covered

PROBLEMS: Final = 10
"""Problems kept of a session: after the first, the rest mostly follow from it."""

Finding = Literal["intact", "damaged", "not closed"]


@dataclass
class SessionCheck:
    """One session's chain: what was found, and where it stands."""

    source: str
    session: str
    run: str
    events: int = 0
    sequence: int = -1
    head: bytes = GENESIS
    first_us: int = 0
    last_us: int = 0
    gaps: int = 0
    closed: bool = False
    attested_us: int | None = None
    problems: list[str] = field(default_factory=list)
    damage: int = 0

    @property
    def finding(self) -> Finding:
        """Damage outranks a missing close."""
        if self.damage:
            return "damaged"
        return "intact" if self.closed else "not closed"

    def damaged(self, problem: str) -> None:
        """Note a problem; the first ten are kept, all are counted."""
        self.damage += 1
        if len(self.problems) < PROBLEMS:
            self.problems.append(problem)

    def take(self, event: Logged) -> None:
        """Check the next event, in the order of sequence."""
        if self.events == 0:
            self.first_us = event.time_us
        self.events += 1
        self.last_us = max(self.last_us, event.time_us)
        expected = self.sequence + 1
        if self.closed:
            self.damaged(f"event {event.sequence} comes after the session's close")
        if event.sequence < expected:
            self.damaged(f"two different events {event.sequence}")
            return
        if event.sequence > expected:
            missing = event.sequence - expected
            which = f"event {expected} is" if missing == 1 else f"events {expected} to {event.sequence - 1} are"
            self.damaged(f"{which} missing")
        elif event.prev and event.prev != self.head:
            self.damaged(f"event {event.sequence} does not follow from the one before it")
        if not event.hash or not event.prev:
            self.damaged(f"event {event.sequence} has no hash")
        elif not covered(event):
            self.damaged(f"event {event.sequence} was changed: its hash does not cover its content")
        before, self.sequence, self.head = self.head, event.sequence, event.hash
        if isinstance(event.fact, EvidenceGap):
            self.gaps += 1
        if isinstance(event.fact, EvidenceClosed):
            self.closed = True
            if event.fact.count != event.sequence or event.fact.head != before.hex():
                self.damaged(f"the close states {event.fact.count} events before it, and {event.sequence} are numbered")

    def attest(self, claim: EvidenceCheckpoint, at_us: int) -> None:
        """Compare with what a holder of the log stated of this session."""
        self.attested_us = max(at_us, self.attested_us or 0)
        here = self.sequence + 1
        if claim.count > here:
            self.damaged(f"{claim.count} events are attested, and the log ends at {here}")
        elif claim.count == here and claim.head != self.head.hex():
            self.damaged("the attested head is another one")


@dataclass
class LogCheck:
    """All sessions of a log, and what concerns the file as a whole."""

    sessions: list[SessionCheck]
    truncated_line: int | None = None
    unattested: list[str] = field(default_factory=list)

    @property
    def finding(self) -> Finding:
        """The worst of the sessions; a log without any event proves nothing, so it is not closed."""
        found = {session.finding for session in self.sessions}
        if "damaged" in found or self.unattested:
            return "damaged"
        if "not closed" in found or self.truncated_line is not None or not self.sessions:
            return "not closed"
        return "intact"


def check_log(events: Iterable[Logged]) -> LogCheck:
    """What is to be said of the log; memory grows with its sessions if `events` can be iterated again, else with the log."""
    sessions: dict[tuple[str, str], SessionCheck] = {}
    claims: list[tuple[EvidenceCheckpoint, int]] = []
    result = LogCheck([])
    for event in canonical_order(events):
        if isinstance(event.fact, EvidenceGap) and event.fact.reason == TRUNCATED and not event.hash:
            result.truncated_line = event.fact.line
            continue
        place = (event.source, event.session)
        if place not in sessions:
            sessions[place] = SessionCheck(event.source, event.session, event.run)
        sessions[place].take(event)
        if isinstance(event.fact, EvidenceCheckpoint):
            claims.append((event.fact, event.time_us))
    result.sessions = list(sessions.values())
    named: dict[str, list[SessionCheck]] = {}
    for session in result.sessions:
        named.setdefault(session.session, []).append(session)
    for claim, at_us in claims:
        found = named.get(claim.of)
        if found is None and claim.count:
            result.unattested.append(claim.of)
        elif found is not None and len(found) == 1:
            found[0].attest(claim, at_us)
    return result


class _LoggedFile:
    """The events of an evidence log with their bytes, from the start of the file each time."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name

    def __iter__(self) -> Iterator[Logged]:
        if rewinds(self._file):
            self._file.seek(0)
        lines = lines_of(self._file, self._name)
        first = next(lines, b"")
        if kind_of(first, self._name) != "evidence log":
            raise InputError("is a transcript, which has no chain", where=f"{self._name}:1", hint="verify what `witnessmark export` wrote")
        yield from read_logged_lines(chain((first,), lines), self._name)


def logged_file(file: BinaryIO, name: str) -> Iterable[Logged]:
    """The events of an evidence log with their bytes; they can be iterated again if the file can be rewound.

    Iterating raises InputError for a file that is no evidence log.
    """
    events = _LoggedFile(file, name)
    return events if rewinds(file) else iter(events)
