"""One call: its exchange and what its destination says, joined by the truth table of verdicts.md section 3.

`standing` gives for each call an answer (success, failed, refused, lost, open, waiting), an effect (none, applied, duplicate,
absent, unknown, conflict, self_reported, accepted) and, out of both, the state that the call implies (None: it is proved or
settled). The outcome verifiers are passed in as one word, because two rows of the table depend on them.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from witnessmark.judges.instant import Instant
from witnessmark.model.health import State
from witnessmark.model.policy import Policy
from witnessmark.state.call import Call, CallPhase
from witnessmark.state.effect import Key
from witnessmark.state.run import RunState
from witnessmark.state.session import Mark

Answer = Literal["open", "waiting", "success", "failed", "refused", "lost", "doubt"]
Effect = Literal["none", "applied", "duplicate", "absent", "unknown", "conflict", "self_reported", "accepted"]
Outcomes = Literal["verified", "proves_effect", "failed", "missing"]


class Standing(msgspec.Struct, frozen=True, gc=False):
    """Where a call stands as of an instant. `since_us` is when it came to stand so; `settled`: it decides nothing any more."""

    call: Call
    answer: Answer
    effect: Effect
    implies: State | None
    reason: str
    since_us: int
    settled: bool
    marks: tuple[Mark | None, ...]


def read_only(state: RunState, call: Call, policy: Policy) -> bool:
    """Whether the tool has no effects: declared so, by policy, or by a hint that the operator or the policy trusts."""
    if call.read_only:
        return True
    names = policy.read_only_tools
    if names and (call.tool in names or f"{call.server}/{call.tool}" in names):
        return True
    if call.trusts_hints or call.server in policy.trusted_servers:
        server = state.servers.get(call.server)
        catalog = server.catalogs.get(call.peer) if server is not None else None
        tool = catalog.current(call.tool) if catalog is not None else None
        return tool is not None and tool.read_only_hint
    return False


def _answer(state: RunState, call: Call, policy: Policy, at: Instant) -> tuple[Answer, str, int]:
    """How the exchange stands, the reason, and since when."""
    if call.phase is CallPhase.RETURNED:
        return "success", "AllAnswered", call.ended.time_us if call.ended else call.started.time_us
    if call.phase is CallPhase.FAILED:
        reason = {"tool_error": "ToolError", "error": "RpcError"}.get(call.outcome, "InvalidAnswer")
        return ("refused" if call.refused else "failed"), reason, call.ended.time_us if call.ended else call.started.time_us
    if not call.open:
        return "lost", call.loss or "ResponseLost", call.ended.time_us if call.ended else call.started.time_us
    expired = call.expired(policy, at.us)
    jumped = state.clock_jumped
    if expired is not None and jumped is not None and jumped.n > call.started.n and call.clock_out is None:
        # The clock that says so was set since the call began, and the observer, whose own clock nobody sets, has not said so.
        return "doubt", "ClockJumped", call.started.time_us
    if expired is not None:
        return "lost", expired[0], expired[1]
    if state.closed is not None:
        # The runner closed the run and this call was never answered.
        return "lost", "ResponseLost", state.closed.time_us
    doubted = state.last_gap is not None and state.last_gap.n > call.started.n
    if doubted or not at.covered:
        return "doubt", "EvidenceGap" if doubted else "LogNotClosed", call.started.time_us
    if call.waiting:
        return "waiting", "WaitingForPerson", call.waiting_since_us or call.started.time_us
    return "open", "CallOpen", call.started.time_us


def _absent(call: Call, key: Key | None, ended_us: int) -> Mark | None:
    """The report that proves absence: an answer that is older than the end of the call proves nothing about it."""
    found = [mark for mark in (call.absent, key.absent if key is not None else None) if mark is not None and mark.time_us >= ended_us]
    return max(found, key=lambda mark: mark.n, default=None)


def _effect(state: RunState, call: Call, ended_us: int) -> tuple[Effect, Mark | None]:
    """What the destination says of the call's effect, by call and by operation key."""
    key = state.effects.keys.get(call.key) if call.key is not None else None
    if call.conflict is not None or (key is not None and key.conflict is not None):
        return "conflict", call.conflict or (key.conflict if key is not None else None)
    applied = call.applied
    count, mark = 0, None
    for times, seen in applied.values() if applied else ():
        count = max(count, times)
        if mark is None or seen.n > mark.n:
            mark = seen
    if key is not None:
        # A receipt of another call under the key proves a duplicate beside this one's, but no effect of this call.
        count = max(count, key.effects if applied or key.effects > 1 else key.counted_for(call.started.time_us))
        mark = mark or (key.last if count else None)
    if count > 1:
        return "duplicate", mark
    if count == 1:
        return "applied", mark
    absent = _absent(call, key, ended_us)
    if absent is not None:
        return "absent", absent
    if call.accepted is not None:
        return "accepted", call.accepted
    by_self = call.reported_by_self or (key.reported_by_self if key is not None else None)
    if by_self is not None:
        return "self_reported", by_self
    return "unknown", None


_UNPROVED: Final[dict[Effect, str]] = {
    "unknown": "EffectUnproved",
    "conflict": "EffectConflict",
    "self_reported": "EffectSelfReported",
    "accepted": "AcceptedUnknown",
}


def _success(effect: Effect, outcomes: Outcomes) -> tuple[State | None, str]:
    if effect == "applied":
        return None, "EffectApplied"
    if effect == "duplicate":
        return "false_success", "DuplicateEffect"
    if effect == "absent":
        return "false_success", "EffectAbsent"
    if outcomes == "proves_effect" and effect in {"unknown", "self_reported"}:
        return None, "EffectProvedByOutcome"
    if effect == "conflict":
        return "effect_unknown", "EffectConflict"
    return "unproven", _UNPROVED[effect]


def _failed(effect: Effect, outcomes: Outcomes, state_of_failure: State, reason: str) -> tuple[State | None, str]:
    if effect == "duplicate":
        return "false_success", "DuplicateEffect"
    if effect == "conflict":
        return "effect_unknown", "EffectConflict"
    if effect == "applied":
        if outcomes in ("verified", "proves_effect"):
            return None, "AnswerContradicted"
        # The outcome layer says false_success where a verifier failed; the answer and the destination disagree otherwise.
        return (None, "AnswerContradicted") if outcomes == "failed" else ("effect_unknown", "AnswerDisagrees")
    if effect == "accepted":
        return "unproven", "AcceptedUnknown"
    return state_of_failure, reason


def _lost(effect: Effect, outcomes: Outcomes, reason: str) -> tuple[State | None, str]:
    if effect == "duplicate":
        return "false_success", "DuplicateEffect"
    if effect == "applied":
        return ("unproven" if outcomes == "missing" else None), "LostAndReconciled"
    if effect == "absent":
        return "tool_failed", "NotApplied"
    if effect == "accepted":
        return "unproven", "AcceptedUnknown"
    if effect == "conflict":
        return "effect_unknown", "EffectConflict"
    return "effect_unknown", reason


_OF_THE_CLIENT: Final = frozenset({"unreadable", "invalid_arguments", "unchecked_arguments", "not_initialized"})
_GIVEN_UP: Final = frozenset({"cancelled", "ended"})


def _kept_back(call: Call) -> Standing:
    """A call that the gate did not send on: nothing was done, so only why it was kept back is left to decide."""
    since = call.ended or call.started
    implies: State | None = "protocol_error" if call.kept_back in _OF_THE_CLIENT else "stale_catalog"
    if call.settled or call.kept_back in _GIVEN_UP:
        implies = None
    return Standing(call, "refused", "none", implies, "RefusedByGate", since.time_us, implies is None, (call.started, call.answer))


def _moved_on(state: RunState, call: Call) -> bool:
    return state.calls.last_success is not None and state.calls.last_success.n > call.started.n


def standing(state: RunState, call: Call, policy: Policy, at: Instant, outcomes: Outcomes) -> Standing:
    """Where the call stands as of the instant."""
    if call.kept_back:
        return _kept_back(call)
    answer, reason, since_us = _answer(state, call, policy, at)
    reads = read_only(state, call, policy)
    effect, receipt = ("none", None) if reads else _effect(state, call, since_us)
    implies: State | None
    marks = (call.started, call.answer or call.ended, receipt)
    settled = call.settled
    if answer == "doubt":
        implies = "unproven"
    elif answer in ("open", "waiting"):
        implies = "working"
    elif reads:
        if answer == "success":
            implies = None
        elif answer == "lost":
            implies, reason = "tool_failed", "ReadLost"
        else:
            implies = "tool_failed" if call.outcome == "tool_error" else "protocol_error"
        settled = settled or (answer in ("failed", "refused", "lost") and _moved_on(state, call))
    elif answer == "success":
        implies, reason = _success(effect, outcomes)
    elif answer == "lost":
        implies, reason = _lost(effect, outcomes, reason)
        settled = settled or _settled_by_key(state, call, effect)
    else:
        implies, reason = _failed(effect, outcomes, "tool_failed" if call.outcome == "tool_error" else "protocol_error", reason)
    if implies is None and not reads and (call.unresolved or call.key_reused):
        # The operator said by what the effect is known, and by that it is not known: whatever else speaks for it is not enough.
        implies, reason = "unproven", "OperationKeyMissing" if call.unresolved else "OperationKeyReused"
    if settled and implies not in ("false_success", "working"):
        implies = None
    return Standing(call, answer, effect, implies, reason, since_us, settled, marks)


def _settled_by_key(state: RunState, call: Call, effect: Effect) -> bool:
    """A call of unknown effect is settled by a later one under its operation key only if the destination shows exactly one
    effect for that key.
    """
    return effect == "applied" and call.key is not None and state.calls.returned_by_key.get(call.key, -1) > call.started.n
