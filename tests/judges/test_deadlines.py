"""A driver that wakes at `next_deadline` misses no change: until then a verdict depends on evidence alone."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damaged import BAD, BUSY, GOOD, SETUP, UNPROVED, invented
from histories import SECOND_US, START_US, history
from witnessmark.judges.chain import judge_state
from witnessmark.judges.deadlines import next_deadline
from witnessmark.judges.judging import fold_until
from witnessmark.model.evidence import Event
from witnessmark.model.policy import Policy
from witnessmark.model.verdict import Verdict

TEN_YEARS_US = 10 * 366 * 86_400 * SECOND_US
LINES = (*GOOD, *BUSY, *(line for _, line in BAD), *UNPROVED)
SILENCE_TRUSTED_LONG = Policy(observer_silence_s=100_000.0)


def what_it_says(verdict: Verdict) -> tuple[object, ...]:
    return verdict.state, verdict.since_us, verdict.conditions, verdict.catalogs, verdict.calls, verdict.notes


def assert_time_changes_nothing_before_a_deadline(events: tuple[Event, ...], as_of_us: int, policy: Policy) -> int:
    """Walk from deadline to deadline until none is left; returns how many there were."""
    state = fold_until(events, as_of_us)
    deadlines = 0
    while True:
        said = what_it_says(judge_state(state, policy, as_of_us))
        deadline = next_deadline(state, policy, as_of_us)
        if deadline is None:
            assert what_it_says(judge_state(state, policy, as_of_us + TEN_YEARS_US)) == said
            return deadlines
        assert deadline > as_of_us
        for moment in {as_of_us + 1, (as_of_us + deadline) // 2, deadline - 1}:
            if moment < deadline:
                assert what_it_says(judge_state(state, policy, moment)) == said
        as_of_us = deadline
        deadlines += 1


@pytest.mark.parametrize("policy", [Policy(), SILENCE_TRUSTED_LONG], ids=["strict", "silence trusted"])
@pytest.mark.parametrize("line", LINES)
def test_no_verdict_changes_before_its_deadline_at_any_point_of_a_history(line: str, policy: Policy) -> None:
    told = history(line, closed=False)
    for as_of_us in sorted({event.time_us for event in told.events}):
        assert_time_changes_nothing_before_a_deadline(told.events, as_of_us, policy)


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_no_verdict_of_an_invented_history_changes_before_its_deadline(seed: int) -> None:
    rng = Random(seed)
    whole = invented(rng)
    as_of_us = rng.choice(whole.history.events).time_us
    assert_time_changes_nothing_before_a_deadline(whole.history.events, as_of_us, SILENCE_TRUSTED_LONG)


LONG = Policy(observer_silence_s=1e6)


@pytest.mark.parametrize(
    "line, policy, seconds, before, after",
    [
        # Words are a second apart: the time counts from the first.
        (f"{SETUP} call:token=t", LONG, 9 + 60, "working", "effect_unknown"),
        (f"{SETUP} call", LONG, 9 + 600, "working", "effect_unknown"),
        (f"{SETUP} call:token=t progress:1", LONG, 10 + 60, "working", "effect_unknown"),
        (f"{SETUP} call ask", LONG, 9 + 600, "working", "effect_unknown"),
        ("declare:publish,write,absolute=20 expect session list page installed call:token=t", LONG, 9 + 20, "working", "effect_unknown"),
        ("declare:publish,write,inactivity=5 expect session list page installed call:token=t", LONG, 9 + 5, "working", "effect_unknown"),
        ("declare expect session list", LONG, 6 + 30, "working", "stale_catalog"),
        ("declare expect open offer refused:error,method=server/discover", LONG, 4 + 30, "unproven", "incompatible_session"),
        ("declare expect quiet list page installed call answer applied passed", LONG, 7 + 300, "healthy", "unproven"),
        ("declare expect stateless list page:ttl=100 installed call answer applied passed", LONG, 6 + 100, "healthy", "unproven"),
        (
            "declare expect session list page installed call answer applied passed",
            Policy(observer_silence_s=50),
            0 + 50,
            "healthy",
            "unproven",
        ),
    ],
)
def test_the_deadline_is_the_instant_at_which_the_state_changes(line: str, policy: Policy, seconds: int, before: str, after: str) -> None:
    told = history(line, closed=False)
    last_us = max(event.time_us for event in told.events)
    state = fold_until(told.events)
    deadline = next_deadline(state, policy, last_us)
    assert deadline is not None
    limit_us = START_US + seconds * SECOND_US
    if after == "unproven" and policy is not LONG:
        # The operator's log, which wrote last at its second word, is the first to fall silent.
        limit_us += SECOND_US + 1
    assert (deadline, judge_state(state, policy, deadline - 1).state, judge_state(state, policy, deadline).state) == (
        limit_us,
        before,
        after,
    )


@pytest.mark.parametrize(
    "line",
    [
        "declare expect session list page installed call answer applied passed end close",
        "declare expect quiet list page installed call answer applied passed end close",
        "declare expect session list page installed call end close",
    ],
)
def test_a_closed_run_in_closed_logs_never_changes_by_time(line: str) -> None:
    told = history(line)
    assert next_deadline(fold_until(told.events), Policy(), told.end_us) is None


OPEN_CALL = f"{SETUP} call:token=t"
"""Open since second 8; its window ends at 69, its deadline at 609."""


@pytest.mark.parametrize(
    "line,state,reason",
    [
        (f"{OPEN_CALL} +700 beat", "effect_unknown", "InactivityDeadline"),
        # The wall clock was set while the call was open, and the observer's own clock has not run out.
        (f"{OPEN_CALL} +700 jumped beat", "unproven", "ClockJumped"),
        # It has: then it is so, whatever the wall clock did.
        (f"{OPEN_CALL} +700 jumped expired beat", "effect_unknown", "InactivityDeadline"),
        # It was set before the call began.
        ("declare expect session list page installed jumped call:token=t +700 beat", "effect_unknown", "InactivityDeadline"),
        (f"{OPEN_CALL} jumped beat", "working", "CallOpen"),
        (f"{OPEN_CALL} +700 jumped answer applied passed end close", "healthy", ""),
    ],
)
def test_a_wall_clock_that_was_set_ends_no_call_and_turns_nothing_green(line: str, state: str, reason: str) -> None:
    told = history(line, closed=False, attested=True, wait_s=1)
    verdict = judge_state(fold_until(told.events), LONG, told.end_us)
    assert verdict.state == state
    assert not reason or reason in {condition.reason for condition in verdict.conditions}
