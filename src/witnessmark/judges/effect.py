"""Effect layer: did the world change as the calls said, once each? Pure: no I/O, no clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from witnessmark.judges.calls import Standing
from witnessmark.judges.finding import Claim, Finding, Value
from witnessmark.model.health import RANK, State
from witnessmark.state.run import RunState

SETTLED: Final = Claim("EffectsSettled", "effect")

_OURS: Final[frozenset[State | None]] = frozenset({"effect_unknown", "false_success"})
_NOTED: Final = frozenset({"LostAndReconciled", "AnswerContradicted", "EffectProvedByOutcome"})


def judge_effect(state: RunState, standings: list[Standing]) -> Iterator[Finding]:
    """The effect layer's finding: the worst call decides, with the number of calls that stand like it."""
    calls = state.calls
    if calls.last is None:
        yield SETTLED.unknown("NoCalls")
        return
    bad: list[Standing] = []
    effects: list[Standing] = []
    unproved: list[Standing] = []
    working: Standing | None = None
    for one in standings:
        if one.implies in _OURS:
            bad.append(one)
        if one.effect == "none":
            continue
        effects.append(one)
        if working is None and one.implies == "working":
            working = one
        if not one.settled and _unproved(one):
            unproved.append(one)
    if bad:
        worst = min(bad, key=lambda s: (RANK[s.implies] if s.implies else 99, s.call.started.n))
        implies: State = worst.implies or "effect_unknown"
        alike = sum(1 for s in bad if s.implies == implies)
        yield _about(worst, implies, alike)
        return
    if unproved:
        first = unproved[0]
        reason = "FailedEffectUnknown" if first.answer in ("failed", "refused") and first.effect == "unknown" else first.reason
        yield SETTLED.unknown(reason, *first.marks, since_us=first.since_us, **_facts(first), calls=len(unproved))
        return
    if working is not None:
        yield SETTLED.pending("CallOpen", working.call.started, **_facts(working), since_us=working.since_us)
        return
    if calls.pushed_out is not None:
        yield SETTLED.unknown("TooManyCalls", calls.pushed_out)
        return
    yield _settled(effects) if effects else SETTLED.true("NoEffectDeclared", calls.reads or calls.last)


def _settled(effects: list[Standing]) -> Finding:
    """Every effect is proved or settled: by the newest call, or the first whose proof a reader must know of."""
    last = effects[-1]
    shown = last
    reason = "EffectAbsentAfterFailure"
    for one in effects:
        if one.reason in _NOTED:
            shown, reason = one, one.reason
            break
        if one.effect != "absent":
            reason = "EffectApplied"
    return SETTLED.true(reason, *shown.marks, *last.marks, calls=len(effects))


def _unproved(standing: Standing) -> bool:
    """True where nobody independent said what became of the effect (or the log cannot tell)."""
    if standing.implies == "unproven":
        return True
    return standing.answer in ("failed", "refused") and standing.effect in ("unknown", "self_reported") and not standing.call.refused


def _facts(standing: Standing) -> dict[str, Value]:
    call = standing.call
    return {"server": call.server, "call": call.id, "tool": call.tool, "effect": standing.effect, "answer": standing.answer}


def _about(standing: Standing, implies: State, alike: int) -> Finding:
    facts = _facts(standing)
    facts.update(calls=alike, since_us=standing.since_us)
    if implies == "false_success":
        return SETTLED.false("false_success", standing.reason, *standing.marks, **facts)
    return SETTLED.false("effect_unknown", standing.reason, *standing.marks, **facts)
