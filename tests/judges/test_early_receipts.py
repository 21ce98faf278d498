"""A receipt that names a call which has not been sent yet: a clock that is a little behind, or a word about something else."""

from __future__ import annotations

import pytest

from histories import SECOND_US, history
from witnessmark import judge
from witnessmark.state.effect import MAX_EARLY_US

LIMIT_S = MAX_EARLY_US // SECOND_US


@pytest.mark.parametrize(
    "wait_s,state,effect",
    [(0, "healthy", "applied"), (LIMIT_S - 1, "healthy", "applied"), (LIMIT_S, "unproven", "unknown"), (600, "unproven", "unknown")],
)
def test_a_receipt_speaks_for_a_later_call_only_within_what_clocks_differ(wait_s: int, state: str, effect: str) -> None:
    told = history(f"declare expect session list page installed applied:call=7 +{wait_s} call:id=7 answer passed")
    verdict = judge(told.events, as_of_us=told.end_us)
    (call,) = verdict.calls
    assert (verdict.state, call.effect) == (state, effect)
