"""Histories that once came out green, or would please whoever wants them to: each lacks one proof, and none is green."""

from __future__ import annotations

import pytest

from histories import history
from witnessmark.errors import UsageError
from witnessmark.judges.judging import judge
from witnessmark.model.evidence import CallStarted
from witnessmark.model.policy import read_policy
from witnessmark.state.calls import MAX_HELD, Calls
from witnessmark.state.effect import Effects
from witnessmark.state.session import Mark

LISTED = "session list page installed"
SETUP = f"declare expect {LISTED}"
READS = "declare:read,read"
KEYED = f"declare:key=k expect {LISTED}"

NOT_GREEN = {
    "a receipt that names another server's call of the same id": f"{SETUP} call:id=7 answer @b applied:call=7 @tickets passed end close",
    "the same, seen before the call": f"{SETUP} @b applied:call=7 @tickets call:id=7 answer passed end close",
    "a key known an hour before the call": f"{KEYED} applied:key=k +3600 list page installed call:key=k answer passed end close",
    "an empty key, which joins nothing": f"{SETUP} call:key= tool_error call:key= answer applied passed end close",
    "an outcome declared after its verifier had answered": f"{READS} {LISTED} call:read answer passed expect end close",
    "a verifier swapped after it had answered": f"{READS} expect {LISTED} call:read answer passed expect:proves end close",
    "an outcome declared after the run was closed": f"{READS} {LISTED} call:read answer end close expect passed",
    "a contract approved after the run was closed": (
        f"approve {SETUP} change:publish signal list page installed call answer applied passed end close approve"
    ),
    "a second run.opened that takes a demand back": f"run:versions=2099-01-01 run {SETUP} call answer applied passed end close",
    "a challenge that kept a second server from being called": (
        f"{SETUP} call answer applied passed @b open offer challenged:401,method=initialize end @tickets end close"
    ),
    "a second server that refused to negotiate": f"{SETUP} call answer applied passed @b open offer refused end @tickets end close",
    "a reason of an unpaired response that this version does not know": f"{SETUP} call answer applied passed unpaired:strange end close",
}


@pytest.mark.parametrize("line", NOT_GREEN.values(), ids=NOT_GREEN)
def test_a_history_that_lacks_a_proof_is_not_green(line: str) -> None:
    assert judge(history(line).events).state not in ("healthy", "working")


@pytest.mark.parametrize(
    "line",
    [
        f"{SETUP} call:id=7 answer applied:call=7 passed end close",
        f"{KEYED} call:key=k answer applied:key=k passed end close",
        f"{READS} expect {LISTED} call:read answer passed end close",
        f"run:versions=2025-11-25 run {SETUP} call answer applied passed end close",
        f"{SETUP} call answer applied passed unpaired:repeated end close",
    ],
)
def test_the_same_history_with_its_proof_is_green(line: str) -> None:
    assert judge(history(line).events).state == "healthy"


@pytest.mark.parametrize("value", [1e303, 1e308, float("inf"), float("nan"), "9" * 400 + "s", 10**400])
def test_a_duration_without_measure_is_refused_by_name(value: object) -> None:
    with pytest.raises(UsageError, match="max_age"):
        read_policy({"max_age": value}, "policy.toml")


def test_open_calls_beyond_what_is_held_do_not_make_every_further_call_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 open calls took minutes to judge: each new one looked at all of them."""
    sweeps: list[Mark] = []
    trim = Calls._trim

    def counted(self: Calls, mark: Mark, effects: Effects) -> None:
        sweeps.append(mark)
        trim(self, mark, effects)

    monkeypatch.setattr(Calls, "_trim", counted)
    calls, effects = Calls(), Effects()
    for n in range(MAX_HELD + 3_000):
        calls.start(CallStarted(id=str(n), tool="publish"), Mark(n, n, f"s/{n}"), effects)
    assert len(sweeps) < 5
    assert len(calls.held) == MAX_HELD + 3_000
