"""Outcome layer: is the promise kept? Only verifiers that were declared in time, independent and deterministic (or whose
judgement policy accepts) make a condition True. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from witnessmark.judges.calls import Outcomes as Word
from witnessmark.judges.calls import read_only
from witnessmark.judges.finding import Claim, Finding
from witnessmark.judges.instant import Instant
from witnessmark.model.policy import Policy
from witnessmark.state.calls import MAX_HELD
from witnessmark.state.outcome import Outcome
from witnessmark.state.run import RunState
from witnessmark.state.session import Mark

KEPT: Final = Claim("OutcomeVerified", "outcome")


def _missing(state: RunState, name: str, outcome: Outcome, at: Instant) -> Finding:
    """A declared outcome without an independent answer: nothing is wrong, nothing is proved."""
    del state, at
    if outcome.self_reported is not None:
        return KEPT.unknown("OutcomeSelfReported", outcome.self_reported, outcome=name)
    return KEPT.unknown("OutcomeMissing", outcome.declared_at, outcome=name)


def _effects_of(state: RunState, policy: Policy) -> tuple[Mark | None, Mark | None]:
    """The first and the last call that may have effects; policy may know of tools that have none."""
    calls = state.calls
    if not (policy.read_only_tools or policy.trusted_servers or state.effects.trusts_hints) or calls.started > MAX_HELD:
        return calls.first_effect, calls.last_effect
    marks = [call.started for call in calls.held.values() if not read_only(state, call, policy)]
    return (marks[0], marks[-1]) if marks else (None, None)


def judge_one(state: RunState, policy: Policy, at: Instant, name: str, outcome: Outcome) -> Finding:
    """The finding for one outcome."""
    answer, answered = outcome.answer, outcome.answered
    declared = outcome.declared
    if answer is not None and answer.status == "failed":
        return KEPT.false("false_success", "OutcomeFailed", answered, outcome.declared_at, outcome=name, strength=answer.strength)
    if declared is None or outcome.declared_at is None:
        return KEPT.unknown("OutcomeUndeclared", answered or outcome.self_reported, outcome=name)
    if answer is None or answered is None:
        return _missing(state, name, outcome, at)
    if answer.status == "error":
        return KEPT.unknown("VerifierCrashed", answered, outcome=name)
    first, last = _effects_of(state, policy)
    if first is not None and outcome.declared_at.n > first.n:
        return KEPT.unknown("VerifierLate", outcome.declared_at, first, outcome=name)
    if outcome.declared_at.n > answered.n or (state.closed is not None and outcome.declared_at.n > state.closed.n):
        # In a run of reads no call draws the line: then the verifier's own answer does, and the close of the run.
        return KEPT.unknown("VerifierLate", outcome.declared_at, answered, outcome=name)
    if last is not None and answered.n < last.n:
        return KEPT.unknown("VerifiedTooEarly", answered, last, outcome=name)
    gap = state.last_gap
    if gap is not None and gap.n > answered.n:
        return KEPT.unknown("EvidenceGap", gap, answered, outcome=name)
    if answer.strength == "judged":
        if declared.accept_judged or name in policy.accept_judged:
            return KEPT.true("OutcomeJudged", answered, outcome.declared_at, outcome=name)
        return KEPT.unknown("JudgedOnly", answered, outcome=name)
    return KEPT.true("OutcomeVerified", answered, outcome.declared_at, outcome=name)


def judge_outcome(state: RunState, policy: Policy, at: Instant) -> Iterator[Finding]:
    """The outcome layer's findings: one for each promise, or the one that there is none."""
    outcomes = state.outcomes
    if not outcomes.by_name:
        yield KEPT.unknown("VerifierNotDeclared")
    for name, outcome in outcomes.by_name.items():
        yield judge_one(state, policy, at, name, outcome)
    if outcomes.dropped is not None:
        yield KEPT.unknown("OutcomeMissing", outcomes.dropped)


def in_a_word(state: RunState, findings: list[Finding]) -> Word:
    """What the verifiers together say, for the rows of the truth table that depend on them."""
    statuses = {finding.status for finding in findings}
    if "false" in statuses:
        return "failed"
    if statuses != {"true"}:
        return "missing"
    proves = any(o.declared is not None and o.declared.proves_effect for o in state.outcomes.by_name.values())
    return "proves_effect" if proves else "verified"
