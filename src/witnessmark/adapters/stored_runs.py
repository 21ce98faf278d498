"""The evidence of a stored run for judging, as of now or as it was known at an earlier instant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from witnessmark.adapters.store.attest import attesting_events
from witnessmark.adapters.store.protocol import SILENCE_S, EvidenceStore, Head, SessionSummary
from witnessmark.errors import UsageError
from witnessmark.model.chain import GENESIS
from witnessmark.model.evidence import Event
from witnessmark.state.order import Logged, merge_sessions, trusted

SOURCE: Final = "store"
"""Source of the events with which the store attests where a session that is not closed stood."""


def evidence_of(store: EvidenceStore, run: str, now_us: int, as_of_us: int | None = None, *, cut: bool = False) -> Iterator[Event]:
    """The run's events in canonical order, with what the store attests of its open sessions.

    Without `as_of_us` the store speaks for `now_us`. With it, for that instant: what is later is left out with `cut`, and a
    UsageError without it; the store then attests of each session what it held at the instant, so that a verdict that was
    given live can be given again.
    """
    if as_of_us is None:
        yield from map(trusted, store.attested(run, now_us, source=SOURCE))
        return
    sessions = store.sessions(run)
    heads: dict[tuple[str, str], Head] = {}
    for event in _until(store.logged(run), as_of_us, store.name, cut=cut):
        known = heads.get((event.source, event.session), Head(0, GENESIS))
        if event.sequence >= known[0]:
            heads[event.source, event.session] = Head(event.sequence + 1, event.hash)
    then = [_as_it_was(session, as_of_us, heads) for session in sessions if session.opened_us <= as_of_us]
    added = attesting_events(then, run, as_of_us, silence_s=SILENCE_S, source=SOURCE, every=False)
    yield from map(trusted, merge_sessions([_until(store.logged(run), as_of_us, store.name, cut=cut), iter(added)]))


def _as_it_was(session: SessionSummary, as_of_us: int, heads: dict[tuple[str, str], Head]) -> SessionSummary:
    """The session as the store knew it at the instant: a sign of life from later shows that its observer was alive then."""
    closed_us = session.closed_us if session.closed_us is not None and session.closed_us <= as_of_us else None
    head = heads.get((session.source, session.session), Head(0, GENESIS))
    return session._replace(closed_us=closed_us, beat_us=min(session.beat_us, as_of_us), head=head)


def _until(events: Iterable[Logged], as_of_us: int, name: str, *, cut: bool) -> Iterator[Logged]:
    for event in events:
        if event.time_us <= as_of_us:
            yield event
        elif not cut:
            raise UsageError(
                f"run {event.run} was still observed after the instant of --as-of (event {event.id})",
                where=name,
                hint="judge as of a later instant, or leave out what came later with --cut",
            )
