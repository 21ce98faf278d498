"""Deadlines are measured on a clock that nobody sets; that the wall clock was set is said, once."""

from __future__ import annotations

from witnessmark.adapters.live_clocks import SETTLE_US, LiveClocks
from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import CallAnswered, CallStarted, Fact, ListStarted
from witnessmark.model.policy import Policy

S = 1_000_000


class Clock:
    """Two clocks that the test moves."""

    def __init__(self) -> None:
        self.steady_us = 7 * S
        self.wall_us = 1_790_000_000 * S

    def passes(self, seconds: float) -> None:
        self.steady_us += round(seconds * S)
        self.wall_us += round(seconds * S)

    def is_set(self, by_s: float) -> None:
        self.wall_us += round(by_s * S)


def clocks(clock: Clock, policy: Policy | None = None) -> LiveClocks:
    return LiveClocks(policy or Policy(absolute_s=100.0), lambda: clock.wall_us, lambda: clock.steady_us)


def entries(*facts: Fact) -> list[Entry]:
    recorder = Recorder("proxy", "s", "r")
    return [recorder.record(fact, 0) for fact in facts]


def due(live: LiveClocks) -> int | None:
    return live.due_us


CALL = CallStarted(server="s", id="1", tool="t")


def test_facts_are_read_when_the_session_is_quiet_and_the_deadline_is_exact() -> None:
    clock = Clock()
    live = clocks(clock)
    live.note(entries(ListStarted(server="s")))
    assert due(live) is None, "what moves no clock wakes nobody"
    live.note(entries(CALL))
    begun = clock.wall_us
    assert due(live) == begun + SETTLE_US
    clock.passes(SETTLE_US / S)
    assert live.expired() == []
    assert due(live) == begun + 100 * S
    clock.passes(100)
    assert [one.fact.clock for one in live.expired()] == ["absolute"]
    assert due(live) is None


def test_a_call_that_is_answered_before_anybody_looked_wakes_nobody_later() -> None:
    clock = Clock()
    live = clocks(clock)
    live.note(entries(CALL, CallAnswered(server="s", id="1", outcome="result")))
    clock.passes(1)
    assert live.expired() == []
    assert live.due_us is None


def test_a_wall_clock_that_is_set_forward_ends_no_call() -> None:
    clock = Clock()
    live = clocks(clock)
    live.note(entries(CALL))
    live.expired()
    clock.is_set(3_600)
    assert live.due_us is not None
    assert live.due_us < clock.wall_us, "the driver wakes"
    assert live.expired() == []
    jumped = live.jumped()
    assert jumped is not None
    assert jumped.by_s == 3_600
    assert live.due_us == clock.wall_us + 100 * S
    assert live.jumped() is None, "said once"


def test_a_wall_clock_that_is_set_back_keeps_no_call_alive() -> None:
    clock = Clock()
    live = clocks(clock)
    live.note(entries(CALL))
    live.expired()
    clock.is_set(-3_600)
    jumped = live.jumped()
    assert jumped is not None
    assert jumped.by_s == -3_600
    clock.passes(100)
    assert live.due_us == clock.wall_us
    assert [one.fact.clock for one in live.expired()] == ["absolute"]


def test_a_clock_that_is_slewed_is_not_said_to_be_set() -> None:
    clock = Clock()
    live = clocks(clock)
    for _ in range(100):
        clock.passes(10)
        clock.is_set(0.005)
        assert live.jumped() is None


def test_an_id_that_is_used_again_at_once_is_another_call() -> None:
    clock = Clock()
    live = clocks(clock)
    live.note(entries(CALL, CallAnswered(server="s", id="1", outcome="result"), CALL))
    clock.passes(100)
    assert [one.fact.id for one in live.expired()] == ["1"]


def test_an_answer_whose_call_was_read_before_ends_it() -> None:
    clock = Clock()
    live = clocks(clock)
    live.note(entries(CALL))
    live.expired()
    live.note(entries(CallAnswered(server="s", id="1", outcome="result")))
    clock.passes(100)
    assert live.expired() == []


def test_the_last_round_of_a_call_ends_the_whole_call() -> None:
    clock = Clock()
    live = clocks(clock)
    live.note(entries(CALL, CallAnswered(server="s", id="1", outcome="input_required", state="x")))
    live.expired()
    again = CallStarted(server="s", id="2", tool="t", echo="x", answers_input=True)
    live.note(entries(again, CallAnswered(server="s", id="2", outcome="result")))
    clock.passes(100)
    assert live.expired() == []
