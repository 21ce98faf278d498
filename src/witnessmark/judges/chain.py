"""The chain: five layers -> one state, by precedence (verdicts.md section 3).

Each layer's findings imply states; the first in order of precedence decides. Healthy is not chosen: it is what is left when
every finding is True and every layer has one. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from witnessmark.judges.calls import Standing, standing
from witnessmark.judges.contracts import Judged, judge_catalog, judge_convergence
from witnessmark.judges.effect import judge_effect
from witnessmark.judges.finding import Finding
from witnessmark.judges.instant import Instant, instant
from witnessmark.judges.outcome import in_a_word, judge_outcome
from witnessmark.judges.request import judge_request
from witnessmark.judges.session import judge_session
from witnessmark.model.health import LAYERS, RANK, State
from witnessmark.model.policy import Policy
from witnessmark.model.reasons import reason_code
from witnessmark.model.verdict import CallReport, Counts, Verdict
from witnessmark.state.call import CallPhase
from witnessmark.state.run import RunState, Server
from witnessmark.state.session import Phase

MAX_CALLS_SHOWN: Final = 200
"""Calls that a verdict lists one by one, those that decide first; the counts tell of the others."""

_NOTED: Final = frozenset(
    {"SilenceTrusted", "WithinMaxAge", "WithinTtl", "InstallProjectionCore", "LostAndReconciled", "AnswerContradicted",
     "OutcomeJudged", "EffectProvedByOutcome", "StaleClient"}
)  # fmt: skip
"""Reasons of True conditions that a reader of a green verdict must see."""


def used_servers(state: RunState) -> list[Server]:
    """The servers that the run uses: those it called, or all of them where it called none."""
    called = [server for server in state.servers.values() if server.called]
    return called or [
        server
        for server in state.servers.values()
        if server.sessions or server.catalogs or server.installed.by_source or server.authorization.challenges
    ]


def _call_report(found: Standing) -> CallReport:
    call = found.call
    return CallReport(
        id=call.id,
        channel=call.channel,
        tool=call.tool,
        server=call.server,
        state=found.implies or ("recovered" if found.settled else "healthy"),
        effect=found.effect,
        answer=found.answer,
        settled=found.settled or found.implies is None,
        reasons=(reason_code(found.reason),),
        started_us=call.started.time_us,
        ended_us=call.ended.time_us if call.ended is not None else None,
        evidence=tuple(dict.fromkeys(mark.ref for mark in found.marks if mark is not None)),
        rounds=call.rounds,
        progress=call.ticks,
        invalid_progress=tuple(sorted(call.invalid.items())) if call.invalid else (),
        key=call.key or "",
    )


def _counts(state: RunState, standings: list[Standing], judged_signals: int, implicit: int) -> Counts:
    calls = state.calls
    invalid = sum(calls.invalid_unknown.values()) + sum(sum(s.call.invalid.values()) for s in standings if s.call.invalid)
    return Counts(
        events=state.events,
        calls=calls.started,
        open=sum(1 for s in standings if s.call.open),
        succeeded=calls.succeeded,
        failed=calls.failed,
        recovered=sum(1 for s in standings if s.settled and s.implies is None and s.call.phase is not CallPhase.RETURNED),
        other_requests=state.other_requests,
        other_errors=state.other_errors,
        signals=judged_signals,
        implicit_lists=implicit,
        junk_lines=state.junk,
        advisories=state.advisories,
        invalid_progress=invalid,
        gaps=state.gaps.count,
        sessions=sum(1 for server in state.servers.values() for s in server.sessions.values() if s.phase is not Phase.NONE),
    )


def _since(state: State, deciding: list[Finding], findings: list[Finding]) -> int | None:
    times = [since for since in (f.since_us for f in (deciding or findings)) if since is not None]
    if not times:
        return None
    return max(times) if state in ("healthy", "unproven") else min(times)


class Decision(NamedTuple):
    """The state of a run and what it was decided from: everything but the document. A gate or a driver needs no more."""

    state: State
    at: Instant
    findings: list[Finding]
    standings: list[Standing]
    judged: list[Judged]
    servers: list[Server]


def decide(state: RunState, policy: Policy, as_of_us: int) -> Decision:
    """The state of a folded run as of an instant (microseconds, the clock of the evidence), with its findings."""
    at = instant(state, policy, as_of_us)
    servers = used_servers(state)
    outcome_findings = list(judge_outcome(state, policy, at))
    word = in_a_word(state, outcome_findings)
    standings = [standing(state, call, policy, at, word) for call in state.calls.held.values()]
    judged = [judge_convergence(server, policy, at) for server in servers]
    findings = [
        *judge_session(state, policy, at, servers),
        *judge_catalog(state, judged, standings, word),
        *judge_request(state, at, standings),
        *judge_effect(state, standings),
        *outcome_findings,
    ]
    implied = [f.implies for f in findings if f.implies is not None]
    result: State = min(implied, key=RANK.__getitem__) if implied else "healthy"
    if result == "working" and not at.trusted:
        # Silence is safe only where nothing was lost: what is missing may have been the alarm.
        result = "unproven"
    if result == "healthy" and len({f.claim.layer for f in findings if f.marks}) != len(LAYERS):
        result = "unproven"
    return Decision(result, at, findings, standings, judged, servers)


def judge_state(state: RunState, policy: Policy, as_of_us: int) -> Verdict:
    """The verdict about a folded run as of an instant (microseconds, the clock of the evidence)."""
    result, at, findings, standings, judged, servers = decide(state, policy, as_of_us)
    deciding = [f for f in findings if f.implies == result]
    shown = standings
    if len(standings) > MAX_CALLS_SHOWN:
        shown = sorted(standings, key=lambda s: (RANK[s.implies] if s.implies else 99, s.call.started.n))[:MAX_CALLS_SHOWN]
    others = [s for s in state.servers.values() if s not in servers and (s.sessions or s.catalogs)]
    reports = [one.report() for one in judged] + [judge_convergence(server, policy, at).report() for server in others]
    catalogs = [c for server in state.servers.values() for c in server.catalogs.values()]
    notes = tuple(dict.fromkeys(reason_code(f.reason) for f in findings if f.implies is None and f.reason in _NOTED))
    return Verdict(
        state=result,
        as_of_us=at.us,
        since_us=_since(result, deciding, findings),
        conditions=tuple(f.condition for f in findings),
        deciding=tuple(f.condition for f in deciding),
        catalogs=tuple(reports),
        calls=tuple(_call_report(s) for s in shown),
        counts=_counts(state, standings, sum(server.signals for server in state.servers.values()), sum(c.implicit for c in catalogs)),
        run=state.run,
        run_closed=state.closed is not None,
        log_closed=not state.open_logs,
        policy=_policy_in_force(policy),
        notes=notes,
        vantage=tuple(sorted({source for source, _ in state.logs})),
    )


def _policy_in_force(policy: Policy) -> tuple[tuple[str, str | int | float | bool | None], ...]:
    values: list[tuple[str, str | int | float | bool | None]] = []
    for name in policy.__struct_fields__:
        value = getattr(policy, name)
        values.append((name, " ".join(value) if isinstance(value, tuple) else value))
    return tuple(values)
