"""Request layer: was every call answered, by a well-formed answer, in a log that is whole? Pure: no I/O, no clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from witnessmark.judges.calls import Standing
from witnessmark.judges.finding import Claim, Finding
from witnessmark.judges.instant import Instant
from witnessmark.model.health import RANK
from witnessmark.state.run import RunState

ANSWERED: Final = Claim("CallsAnswered", "request")
WELL_FORMED: Final = Claim("WellFormed", "request")
LOG_WHOLE: Final = Claim("LogWhole", "request")

_UNPAIRED: Final = {
    "nobody": "ResponseToNobody",
    "null_id": "ResponseToNobody",
    "id_type": "IdTypeChanged",
    "duplicate": "DuplicateResponse",
}
_LEGAL: Final = frozenset({"repeated", "late"})
"""A replay of an equal response, and one after a cancellation: only counted."""

_FAILURES: Final = ("protocol_error", "tool_failed")


def _answered(state: RunState, standings: list[Standing]) -> Finding:
    unusual = [s for s in standings if s.implies is not None or s.answer != "success"]
    found = _unanswered(unusual) if unusual else None
    if found is not None:
        return found
    if state.calls.last is None:
        return ANSWERED.unknown("NoCalls")
    reconciled = [s for s in unusual if s.answer == "lost" and s.implies is None]
    if state.calls.answered is None and reconciled:
        return ANSWERED.true("LostAndReconciled", *reconciled[-1].marks)
    return ANSWERED.true("AllAnswered", state.calls.answered or state.calls.last)


def _unanswered(standings: list[Standing]) -> Finding | None:
    """The first of the calls that failed, were lost, cannot be told or are open; None where there is none of these."""
    failures = [s for s in standings if s.implies in _FAILURES]
    if failures:
        worst = min(failures, key=lambda s: (RANK[s.implies] if s.implies else 99, s.call.started.n))
        call = worst.call
        return ANSWERED.false(
            worst.implies or "protocol_error", worst.reason, *worst.marks,
            server=call.server, call=call.id, tool=call.tool, code=call.code, status=call.status, violation=call.violation,
            failures=len(failures), since_us=worst.since_us,
        )  # fmt: skip
    lost = next((s for s in standings if s.answer == "lost" and s.implies == "effect_unknown"), None)
    if lost is not None:
        return ANSWERED.unknown(
            "AnswerLost", *lost.marks, server=lost.call.server, call=lost.call.id, tool=lost.call.tool, since_us=lost.since_us
        )
    doubt = next((s for s in standings if s.answer == "doubt"), None)
    if doubt is not None:
        return ANSWERED.unknown(doubt.reason, doubt.call.started, server=doubt.call.server, call=doubt.call.id, tool=doubt.call.tool)
    pending = [s for s in standings if s.implies == "working"]
    if pending:
        first = pending[0]
        return ANSWERED.pending(
            first.reason, first.call.started,
            server=first.call.server, call=first.call.id, tool=first.call.tool, open=len(pending), since_us=first.since_us,
        )  # fmt: skip
    return None


def _well_formed(state: RunState, at: Instant) -> Iterator[Finding]:
    bad = False
    for reason, damage in state.unpaired.items():
        name = _UNPAIRED.get(reason)
        if name is not None:
            bad = True
            yield WELL_FORMED.false("protocol_error", name, *damage.marks[:1], count=damage.count)
    for finding, damage in state.fatal.items():
        bad = True
        yield WELL_FORMED.false("protocol_error", "MalformedMessage", *damage.marks[:1], finding=finding, count=damage.count)
    if bad:
        return
    odd = next((damage for reason, damage in state.unpaired.items() if reason not in _LEGAL), None)
    if odd is not None:  # a word of a later version: what it says is not known, so nothing is proved
        yield WELL_FORMED.unknown("ResponseToNobody", *odd.marks[:1], count=odd.count)
        return
    if state.calls.unchecked is not None:
        yield WELL_FORMED.unknown("OutputUnchecked", state.calls.unchecked)
    elif state.last is not None:
        mark = state.calls.answered or state.last
        yield WELL_FORMED.true("NothingMalformed", mark, since_us=min(mark.time_us, at.us))


def _log_whole(state: RunState, at: Instant) -> Finding:
    for damage, reason in ((state.equivocations, "Equivocation"), (state.chain, "ChainBroken"), (state.gaps, "EvidenceGap")):
        if damage.count:
            return LOG_WHOLE.unknown(reason, *damage.marks, count=damage.count)
    if not at.covered:
        return LOG_WHOLE.unknown("LogNotClosed", state.last)
    if state.calls.pushed_out is not None:
        return LOG_WHOLE.unknown("TooManyCalls", state.calls.pushed_out)
    if state.last is None:
        return LOG_WHOLE.unknown("NoCalls")
    # A store attests after the close of a run, which is the last instant that is judged.
    return LOG_WHOLE.true("LogWhole", state.last, since_us=min(state.last.time_us, at.us))


def judge_request(state: RunState, at: Instant, standings: list[Standing]) -> Iterator[Finding]:
    """The request layer's findings."""
    yield _answered(state, standings)
    yield from _well_formed(state, at)
    yield _log_whole(state, at)
