"""The two clocks of the calls that are open now, for a driver that wakes at their deadlines.

It is fed the facts of calls and keeps the open ones only. Verdicts never ask it: they derive deadlines from the evidence
(judges/deadlines.py), and what it says is evidence besides. Times are microseconds of whatever steady clock the driver has.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from witnessmark.model import evidence as e
from witnessmark.model.policy import Policy
from witnessmark.state.call import Call, CallPhase
from witnessmark.state.calls import Calls
from witnessmark.state.effect import Effects
from witnessmark.state.session import Mark

_SEES: Final[dict[type[e.Fact], Callable[[Calls, Any, Mark], object]]] = {
    e.CallProgress: Calls.progress,
    e.CallAnswered: Calls.answer,
    e.CallCancelled: Calls.cancel,
    e.PersonAsked: Calls.person_asked,
    e.PersonAnswered: Calls.person_answered,
    e.TaskReported: Calls.task,
    e.GateDecided: Calls.gated,
}

WATCHED: Final = frozenset({e.CallStarted.KIND, *(fact.KIND for fact in _SEES)})
"""The kinds of facts that move a clock."""


class Expiry:
    """A clock of a call ran out: the call, the fact about it, and whether a request of the client's is still in flight."""

    __slots__ = ("call", "cancellable", "fact")

    def __init__(self, call: Call, fact: e.CallExpired) -> None:
        self.call = call
        self.fact = fact
        # A call that waits for a person has no request in flight, and a task is not cancelled by its first request.
        self.cancellable = call.phase is CallPhase.OPEN


class ClockWatch:
    """Both clocks of every open call of one observer."""

    __slots__ = ("_calls", "_declared", "_policy", "_said", "_seen")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._calls = Calls()
        self._declared = Effects()
        self._said: set[tuple[int, str, int]] = set()
        self._seen = 0

    def declare(self, fact: e.EffectDeclared, time_us: int) -> None:
        """The clocks of a tool, for the calls after it."""
        self._declared.declare(fact, self._mark(time_us))

    def see(self, fact: e.Fact, time_us: int) -> None:
        """A fact of a call, in the order of its channel; others are none of this watch's business."""
        mark = self._mark(time_us)
        if isinstance(fact, e.CallStarted):
            self._calls.start(fact, mark, self._declared)
            return
        move = _SEES.get(type(fact))
        if move is not None:
            move(self._calls, fact, mark)

    def _mark(self, time_us: int) -> Mark:
        self._seen += 1
        return Mark(self._seen, time_us, "")

    def due_us(self) -> int | None:
        """The earliest end of a clock that was not told yet; None where no call is open."""
        self._calls.forget_ended()
        ends = (end for call in self._calls.held.values() for _, end in self._untold(call))
        return min(ends, default=None)

    def expired(self, now_us: int) -> list[Expiry]:
        """The clocks that ran out by now, each told once: the inactivity window again when it began anew meanwhile."""
        found: list[Expiry] = []
        for call in self._calls.held.values():
            if not call.open:
                continue
            for clock, end_us in self._untold(call):
                if end_us <= now_us:
                    self._said.add((call.started.n, clock, end_us))
                    found.append(Expiry(call, self._fact(call, clock)))
        self._said &= {(call.started.n, clock, end) for call in self._calls.held.values() for clock, end in self._ends(call)}
        return found

    def _fact(self, call: Call, clock: str) -> e.CallExpired:
        declared = call.inactivity_s if clock == "inactivity" else call.absolute_s
        limit_s = declared if declared is not None else getattr(self._policy, f"{clock}_s")
        return e.CallExpired(
            server=call.server,
            channel=call.channel,
            peer=call.peer,
            id=call.id,
            tool=call.tool,
            clock="inactivity" if clock == "inactivity" else "absolute",
            limit_s=limit_s,
            waiting=call.waiting,
        )

    def _ends(self, call: Call) -> list[tuple[str, int]]:
        absolute, inactivity = call.deadlines_us(self._policy)
        ends = [("absolute", absolute)]
        return ends if inactivity is None else [*ends, ("inactivity", inactivity)]

    def _untold(self, call: Call) -> list[tuple[str, int]]:
        return [(clock, end) for clock, end in self._ends(call) if (call.started.n, clock, end) not in self._said]
