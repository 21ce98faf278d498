"""The two clocks of a live session: when to wake, what ran out, and whether the wall clock jumped meanwhile.

Deadlines are measured on the monotonic clock, so that a wall clock that is set neither ends a call nor keeps one alive. Facts are
not looked at as they pass: they are put aside and read when the session was quiet for SETTLE_US, or when a deadline is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final

from witnessmark.adapters.clock import now_us
from witnessmark.model.chain import Entry
from witnessmark.model.evidence import CallAnswered, CallStarted, ClockJumped, EffectDeclared, Fact, decode_fact
from witnessmark.model.policy import Policy
from witnessmark.state.calls import ENDS
from witnessmark.state.clock_watch import WATCHED, ClockWatch, Expiry

SETTLE_US: Final = 10_000
"""How long facts may lie unread: a deadline is told at most so much too late. Most calls are answered sooner and cost little; what
gathers meanwhile at 20,000 calls a second is read in a millisecond."""
JUMP_US: Final = 2_000_000
"""A wall clock that moved against the monotonic one by more than this was set; NTP slews by less in ten seconds (500 ppm)."""


def steady_us() -> int:
    """Microseconds of the monotonic clock."""
    return time.monotonic_ns() // 1000


class LiveClocks:
    """Both clocks of a session's open calls. `wall` and `steady` are clocks in microseconds."""

    def __init__(self, policy: Policy, wall: Callable[[], int] = now_us, steady: Callable[[], int] = steady_us) -> None:
        self._watch = ClockWatch(policy)
        self._wall = wall
        self._steady = steady
        self._ahead = wall() - steady()
        self._unread: list[tuple[Entry, int]] = []
        self._due: int | None = None
        self.cancels = policy.on_deadline == "cancel"

    def declare(self, fact: EffectDeclared) -> None:
        """The clocks of a tool, for the calls after it."""
        self._read()
        self._watch.declare(fact, self._steady())

    def note(self, entries: Iterable[Entry]) -> None:
        """Put the facts of calls aside, to be read when there is time."""
        for entry in entries:
            if entry.kind in WATCHED:
                self._unread.append((entry, self._steady()))

    @property
    def due_us(self) -> int | None:
        """When to call `expired`, on the wall clock; None: never."""
        due = self._due
        if self._unread:
            settled = self._unread[0][1] + SETTLE_US
            due = settled if due is None else min(due, settled)
        return None if due is None else due + self._ahead

    def expired(self) -> list[Expiry]:
        """The clocks that ran out by now, each once."""
        self._read()
        found = self._watch.expired(self._steady())
        self._due = self._watch.due_us()
        return found

    def again(self) -> None:
        """Ask to be woken once more soon, for something that could not be done now."""
        soon = self._steady() + SETTLE_US
        self._due = soon if self._due is None else min(self._due, soon)

    def jumped(self) -> ClockJumped | None:
        """The fact that the wall clock was set since the last look, None where it was not. Asked at every sign of life."""
        ahead = self._wall() - self._steady()
        by_us = ahead - self._ahead
        self._ahead = ahead
        return ClockJumped(by_s=by_us / 1_000_000) if abs(by_us) > JUMP_US else None

    def _read(self) -> None:
        unread, self._unread = self._unread, []
        facts = [(decode_fact(entry.kind, entry.data), seen_us) for entry, seen_us in unread]
        for fact, seen_us in _still_open(facts):
            self._watch.see(fact, seen_us)


def _still_open(facts: list[tuple[Fact, int]]) -> list[tuple[Fact, int]]:
    """The facts without the calls that began and ended among them: their clocks were never due."""
    answers: dict[tuple[str, str], int] = {}
    over: set[int] = set()
    for place in range(len(facts) - 1, -1, -1):
        fact = facts[place][0]
        if isinstance(fact, CallAnswered) and fact.outcome in ENDS:
            answers[fact.channel, fact.id] = place
        elif isinstance(fact, CallStarted):
            # A later round of a call belongs to its first one, which may stand outside.
            answered = answers.pop((fact.channel, fact.id), None)
            if answered is not None and not (fact.echo or fact.answers_input):
                over.update((place, answered))
    return [one for place, one in enumerate(facts) if place not in over]
