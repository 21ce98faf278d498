"""Whether an exported evidence log is whole: what its chains say, session by session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO, Final, Literal

from witnessmark.adapters.input_files import kind_of, lines_of, rewinds
from witnessmark.errors import InputError
from witnessmark.model.evidence import EvidenceCheckpoint, EvidenceClosed, EvidenceGap
from witnessmark.render.cloudevents import TRUNCATED, read_logged_lines
from witnessmark.state.chain_check import Problem, verify_chain
from witnessmark.state.order import Logged, canonical_order

PROBLEMS_KEPT: Final = 10
"""Problems listed of a session: after the first, the rest mostly follow from it. All are counted."""

NO_DAMAGE: Final[frozenset[Problem]] = frozenset(("gap", "unattested"))
"""An observer that states a gap, and a session whose end is unknown: nothing was changed."""

Finding = Literal["intact", "damaged", "not closed"]


@dataclass
class SessionCheck:
    """One session: what was found, and where its chain stands."""

    source: str
    session: str
    run: str = ""
    events: int = 0
    head: str = ""
    first_us: int | None = None
    last_us: int | None = None
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

    def take(self, event: Logged) -> None:
        """Count the next event, in canonical order."""
        self.run = event.run
        self.events += 1
        self.head = event.hash.hex()
        self.first_us = event.time_us if self.first_us is None else min(self.first_us, event.time_us)
        self.last_us = event.time_us if self.last_us is None else max(self.last_us, event.time_us)
        self.gaps += isinstance(event.fact, EvidenceGap)
        self.closed = self.closed or isinstance(event.fact, EvidenceClosed)


@dataclass
class LogCheck:
    """All sessions of a log, and the line of a last event that was cut in the middle."""

    sessions: list[SessionCheck]
    truncated_line: int | None = None

    @property
    def finding(self) -> Finding:
        """The worst of the sessions; a log without any event proves nothing, so it is not closed."""
        found = {session.finding for session in self.sessions}
        if "damaged" in found:
            return "damaged"
        return "not closed" if "not closed" in found or self.truncated_line is not None or not found else "intact"


def check_log(events: Iterable[Logged]) -> LogCheck:
    """What is to be said of the log; memory grows with its sessions if `events` can be iterated again, else with the log."""
    sessions: dict[tuple[str, str], SessionCheck] = {}
    attested: dict[str, int] = {}
    result = LogCheck([])

    def seen() -> Iterator[Logged]:
        for event in canonical_order(events):
            fact = event.fact
            if isinstance(fact, EvidenceGap) and fact.reason == TRUNCATED and not event.hash:
                result.truncated_line = fact.line
                continue
            place = (event.source, event.session)
            sessions.setdefault(place, SessionCheck(*place)).take(event)
            if isinstance(fact, EvidenceCheckpoint):
                attested[fact.of] = max(event.time_us, attested.get(fact.of, event.time_us))
            yield event

    for finding in verify_chain(seen()):
        place = (finding.source, finding.session)
        check = sessions.setdefault(place, SessionCheck(*place))
        if finding.problem in NO_DAMAGE:
            continue
        check.damage += 1
        if len(check.problems) < PROBLEMS_KEPT:
            check.problems.append(f"event {finding.sequence}: {finding.message}")
    result.sessions = list(sessions.values())
    for check in result.sessions:
        check.attested_us = attested.get(check.session)
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
