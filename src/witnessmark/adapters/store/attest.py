"""The events with which a holder of the log attests where its sessions stand, for an export or for judging a live run."""

from __future__ import annotations

from collections.abc import Iterable

from witnessmark.adapters.store.protocol import SessionSummary
from witnessmark.model.chain import GENESIS, Recorder
from witnessmark.model.evidence import EvidenceCheckpoint
from witnessmark.state.order import Logged, logged_event


def attesting_events(
    sessions: Iterable[SessionSummary], run: str, now_us: int, *, silence_s: float, source: str, every: bool
) -> list[Logged]:
    """A closed session of `source` with one checkpoint for each open session (for each session, with `every`).

    An open session is attested at `now_us` where its observer is alive, else at its last sign of life: silence after that
    is not evidence of anything. Empty where there is nothing to attest.
    """
    claims = sorted(
        (_instant(session, now_us, silence_s), session.source, session.session, session)
        for session in sessions
        if every or session.closed_us is None
    )
    if not claims:
        return []
    recorder = Recorder(source, f"{run}/{source}/{now_us}", run)
    entries = [recorder.record(_checkpoint(session), at_us) for at_us, _, _, session in claims]
    entries.append(recorder.close(claims[-1][0]))
    events: list[Logged] = []
    prev = GENESIS
    for entry in entries:
        events.append(logged_event(source, recorder.session, entry.sequence, run, entry.time_us, entry.kind, entry.data, prev, entry.hash))
        prev = entry.hash
    return events


def _checkpoint(session: SessionSummary) -> EvidenceCheckpoint:
    return EvidenceCheckpoint(server=session.server, of=session.session, count=session.head.events, head=session.head.hash.hex())


def _instant(session: SessionSummary, now_us: int, silence_s: float) -> int:
    if session.closed_us is not None:
        return session.closed_us
    return now_us if session.alive(now_us, silence_s) else session.beat_us
