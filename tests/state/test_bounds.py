"""Memory is bounded by what is open, and what was let go can make a verdict unknown, never green."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from histories import HEALTHY, RUN, START_US, history
from witnessmark.judges.chain import judge_state
from witnessmark.judges.judging import Ordered, fold_until
from witnessmark.model.evidence import CallAnswered, CallProgress, CallStarted, EffectReported, Event, Fact, RequestAnswered
from witnessmark.model.policy import Policy
from witnessmark.state.calls import MAX_HELD, MAX_REMEMBERED_TOKENS
from witnessmark.state.run import RunState

BEFORE_CLOSE = HEALTHY.removesuffix(" end close")


def busy(line: str, facts: Iterator[Fact]) -> RunState:
    """The state after the history of `line` and then `facts`, a microsecond apart."""
    told = history(line, closed=False)

    def events() -> Iterator[Event]:
        yield from told.events
        sequence = max(event.sequence for event in told.events if event.source == "proxy") + 1
        for place, fact in enumerate(facts):
            yield Event("proxy", "tickets-0", sequence + place, RUN, told.end_us + place, fact)

    return fold_until(Ordered(events()))


def calls(tool: str, count: int, *, token: bool = False) -> Iterator[Fact]:
    for place in range(count):
        number = str(1000 + place)
        yield CallStarted(server="tickets", peer="0", id=number, tool=tool, token=f"t{number}" if token else None)
        if token:
            yield CallProgress(server="tickets", peer="0", token=f"t{number}", progress=1.0)
        yield CallAnswered(server="tickets", peer="0", id=number)


def test_answered_reads_are_let_go() -> None:
    state = busy(f"declare:read,read {BEFORE_CLOSE}", calls("read", 5_000, token=True))
    assert len(state.calls.held) == 1
    assert len(state.calls.by_id) == 1
    assert len(state.calls.tokens) == 0
    assert len(state.calls.ended_tokens) == MAX_REMEMBERED_TOKENS
    assert (state.calls.started, state.calls.succeeded) == (5_001, 5_001)


def test_calls_that_await_a_receipt_are_held_up_to_a_limit_and_beyond_it_the_run_is_unproven() -> None:
    state = busy(BEFORE_CLOSE, calls("publish", MAX_HELD + 10))
    assert MAX_HELD * 15 // 16 <= len(state.calls.held) == len(state.calls.by_id) <= MAX_HELD
    verdict = judge_state(state, Policy(observer_silence_s=1e9), START_US + 60_000_000)
    assert verdict.state == "unproven"
    assert "TooManyCalls" in {condition.reason for condition in verdict.conditions}
    assert len(verdict.calls) < MAX_HELD


def proved(tool: str, count: int, *, effects: int = 1) -> Iterator[Fact]:
    for place in range(count):
        number = str(1000 + place)
        yield CallStarted(server="tickets", peer="0", id=number, tool=tool, key=f"k:{number}")
        yield CallAnswered(server="tickets", peer="0", id=number)
        yield EffectReported(server="tickets", key=f"k:{number}", status="applied", method="operation_key", count=effects)


def failing_reads(count: int) -> Iterator[Fact]:
    for place in range(count):
        yield CallStarted(server="tickets", peer="0", id=f"9{place}", tool="read")
        yield CallAnswered(server="tickets", peer="0", id=f"9{place}", outcome="tool_error")


def test_proved_calls_and_failures_that_the_agent_left_behind_make_room() -> None:
    state = busy(f"declare:read,read {BEFORE_CLOSE}", chain(failing_reads(500), proved("publish", MAX_HELD * 2)))
    assert state.calls.pushed_out is None
    assert len(state.calls.held) <= MAX_HELD


def test_a_doubled_effect_is_never_let_go() -> None:
    state = busy(BEFORE_CLOSE, chain(proved("publish", 1, effects=2), proved("publish", MAX_HELD * 2)))
    verdict = judge_state(state, Policy(observer_silence_s=1e9), START_US + 60_000_000)
    assert verdict.state == "false_success"


def test_other_requests_are_only_counted() -> None:
    state = busy(BEFORE_CLOSE, (RequestAnswered(server="tickets", peer="0", method="ping") for _ in range(5_000)))
    assert state.other_requests == 5_000
