"""Both clocks of every open call, on a clock that the test moves: each end is told once, and only what the rules allow moves it."""

from __future__ import annotations

from typing import Any

import pytest

from witnessmark.model.evidence import (
    CallAnswered,
    CallCancelled,
    CallProgress,
    CallStarted,
    EffectDeclared,
    Fact,
    PersonAnswered,
    PersonAsked,
    SessionClosed,
    TaskReported,
)
from witnessmark.model.policy import Policy
from witnessmark.state.clock_watch import ClockWatch

S = 1_000_000
CLOCKS = EffectDeclared(server="s", tool="t", inactivity_s=2, absolute_s=3)
DONE = TaskReported(server="s", task="h", status="completed", outcome="result")
POLICY = Policy(inactivity_s=10.0, absolute_s=100.0)


def started(**members: Any) -> CallStarted:
    return CallStarted(server="s", id="1", tool="t", arguments="a", **members)


def answered(outcome: str = "result", **members: Any) -> CallAnswered:
    return CallAnswered(server="s", id="1", outcome=outcome, **members)


def beat(progress: float | None, token: str = "k") -> CallProgress:
    return CallProgress(server="s", token=token, progress=progress)


def ends(*told: tuple[int, Fact]) -> list[tuple[int, str]]:
    """Feed the facts at their seconds, waking exactly when a clock is due; the seconds and clocks that were told."""
    watch = ClockWatch(POLICY)
    found: list[tuple[int, str]] = []

    def wake_until(limit_s: int) -> None:
        while (due := watch.due_us()) is not None and due <= limit_s * S:
            expired = watch.expired(due)
            assert expired, "it woke for nothing"
            assert not watch.expired(due), "told twice"
            found.extend((due // S, one.fact.clock) for one in expired)

    for at_s, fact in told:
        wake_until(at_s)
        if isinstance(fact, EffectDeclared):
            watch.declare(fact, at_s * S)
        else:
            watch.see(fact, at_s * S)
    wake_until(1_000)
    return found


INACTIVITY, ABSOLUTE = "inactivity", "absolute"


@pytest.mark.parametrize(
    "told,expected",
    [
        ([(0, started())], [(100, ABSOLUTE)]),
        ([(0, started(token="k"))], [(10, INACTIVITY), (100, ABSOLUTE)]),
        ([(0, started(token="k")), (5, answered())], []),
        ([(0, started(token="k")), (5, answered("error"))], []),
        ([(0, started(token="k")), (5, CallCancelled(server="s", id="1"))], []),
        # Only a valid heartbeat moves the window, and nothing moves the deadline.
        ([(0, started(token="k")), (5, beat(1))], [(15, INACTIVITY), (100, ABSOLUTE)]),
        ([(0, started(token="k")), (5, beat(1)), (7, beat(1))], [(15, INACTIVITY), (100, ABSOLUTE)]),
        ([(0, started(token="k")), (5, beat(2)), (7, beat(1))], [(15, INACTIVITY), (100, ABSOLUTE)]),
        ([(0, started(token="k")), (5, beat(None))], [(10, INACTIVITY), (100, ABSOLUTE)]),
        ([(0, started(token="k")), (5, beat(1, "other"))], [(10, INACTIVITY), (100, ABSOLUTE)]),
        ([(0, started(token="k")), *((at, beat(at)) for at in range(5, 200, 5))], [(100, ABSOLUTE), (205, INACTIVITY)]),
        # A window that began anew is told anew.
        ([(0, started(token="k")), (50, beat(1))], [(10, INACTIVITY), (60, INACTIVITY), (100, ABSOLUTE)]),
        # Waiting for a person stands the window still, not the deadline.
        ([(0, started(token="k")), (5, PersonAsked(server="s", id="p"))], [(100, ABSOLUTE)]),
        (
            [(0, started(token="k")), (5, PersonAsked(server="s", id="p")), (60, PersonAnswered(server="s", id="p"))],
            [(70, INACTIVITY), (100, ABSOLUTE)],
        ),
        ([(0, started(token="k")), (5, answered("input_required", state="x"))], [(100, ABSOLUTE)]),
        # All rounds of a logical call share the absolute deadline.
        (
            [(0, started(token="k")), (5, answered("input_required", state="x")), (50, started(token="m", echo="x", answers_input=True))],
            [(60, INACTIVITY), (100, ABSOLUTE)],
        ),
        ([(0, started(token="k")), (5, answered("task", task="h"))], [(10, INACTIVITY), (100, ABSOLUTE)]),
        (
            [
                (0, started()),
                (5, answered("task", task="h")),
                (9, DONE),
            ],
            [],
        ),
        # What is declared of the tool goes before the policy; a later declaration is for later calls.
        (
            [(0, CLOCKS), (1, started(token="k"))],
            [(3, INACTIVITY), (4, ABSOLUTE)],
        ),
        ([(0, started()), (1, EffectDeclared(server="s", tool="t", absolute_s=3))], [(100, ABSOLUTE)]),
        ([(0, SessionClosed(server="s"))], []),
    ],
)
def test_each_clock_runs_out_when_the_rules_say(told: list[tuple[int, Fact]], expected: list[tuple[int, str]]) -> None:
    assert ends(*told) == expected


def test_the_fact_says_which_limit_passed_and_whether_a_person_was_asked() -> None:
    watch = ClockWatch(POLICY)
    watch.see(started(), 0)
    watch.see(answered("input_required", state="x"), 5 * S)
    (expiry,) = watch.expired(100 * S)
    assert (expiry.fact.id, expiry.fact.tool, expiry.fact.limit_s, expiry.fact.waiting) == ("1", "t", 100.0, True)
    assert not expiry.cancellable, "no request is in flight while a person is asked"


def test_calls_that_ended_are_let_go() -> None:
    watch = ClockWatch(POLICY)
    for number in range(1_000):
        watch.see(CallStarted(server="s", id=str(number), tool="t", key=f"k{number}"), number)
        watch.see(CallAnswered(server="s", id=str(number), outcome="tool_error" if number % 2 else "result"), number)
    assert watch.due_us() is None
    calls = watch._calls
    assert not any((calls.held, calls.by_id, calls.failed_by_tool, calls.returned_by_key))
