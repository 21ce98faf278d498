"""Canonical order of evidence: what makes a verdict independent of the order in which events arrived.

Within a session, events stand by sequence; sessions are merged by time, then source, session and sequence. A session whose
clock stepped back is placed by the latest time it has shown, so that its own order always holds. An equal event delivered
twice counts once; two different events under one id (an equivocation) both stay. Pure: no I/O, no clock.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TypeVar

import msgspec

from witnessmark.model.chain import link
from witnessmark.model.evidence import Event, EvidenceGap, Fact, UnknownFact, decode_fact, encode_fact

ALTERED = "altered"
"""Reason of the gap that stands where an event's content does not match its hash."""
UNREADABLE = "unreadable"
"""Reason of the gap that stands where an event's data do not fit their kind."""


class Logged(Event, frozen=True):
    """An event as a log holds it: beside the fact, the kind's name and the canonical data bytes that its hash covers.

    They differ from the fact for kinds and members that this version does not know, and the chain must hold for those too.
    """

    kind: str = ""
    data: bytes = b""


E = TypeVar("E", bound=Event)
_Placed = tuple[tuple[int, str, str, int, int], E]
_first = itemgetter(0)


def logged_event(
    source: str, session: str, sequence: int, run: str, time_us: int, kind: str, data: bytes, prev: bytes, digest: bytes
) -> Logged:
    """The event of one stored row or line; data that do not fit their kind are read as a gap, never as a fact."""
    fact: Fact
    try:
        fact = decode_fact(kind, data)
    except msgspec.DecodeError:
        fact = EvidenceGap(reason=UNREADABLE, count=1)
    return Logged(source, session, sequence, run, time_us, fact, prev, digest, kind, data)


def kind_and_data(event: Event) -> tuple[str, bytes]:
    """The kind's name and the canonical data bytes of an event, from the log where it came from one."""
    if isinstance(event, Logged):
        return event.kind, event.data
    fact = event.fact
    return (fact.kind if isinstance(fact, UnknownFact) else fact.KIND), encode_fact(fact)


def covered(event: Event) -> bool:
    """Whether the event's hash covers its content, where hash and previous hash are known; True where one is not."""
    if not event.hash or not event.prev:
        return True
    kind, data = kind_and_data(event)
    return link(event.prev, event.session, event.sequence, event.time_us, kind, data) == event.hash


def trusted(event: Event) -> Event:
    """The event for judging, without its log bytes: a gap takes the place of a fact that its hash does not cover."""
    fact = event.fact if covered(event) else EvidenceGap(reason=ALTERED, count=1)
    return Event(event.source, event.session, event.sequence, event.run, event.time_us, fact, event.prev, event.hash)


def same_event(one: Event, other: Event) -> bool:
    """Whether two events of one id are one event delivered twice (the previous hash may be unknown in a delivery)."""
    return (
        one.time_us == other.time_us
        and one.run == other.run
        and one.hash == other.hash
        and one.fact == other.fact
        and kind_and_data(one) == kind_and_data(other)
    )


def canonical_order(events: Iterable[E]) -> Iterator[E]:
    """The events in canonical order, duplicates dropped, equivocations kept.

    A collection, or an object that can be iterated again (a file reader), is tried first: if it stands in order already, it
    is passed through in memory that grows with the number of sessions only. A one-shot iterator is collected whole.
    """
    if iter(events) is not events and in_canonical_order(events):
        yield from events
        return
    sessions: dict[tuple[str, str], list[E]] = {}
    for event in events:
        sessions.setdefault((event.source, event.session), []).append(event)
    for group in sessions.values():
        group.sort(key=_within_session)
    yield from merge_sessions(iter(_without_repeats(group)) for group in sessions.values())


def merge_sessions(sessions: Iterable[Iterator[E]]) -> Iterator[E]:
    """The merge of sessions, each in its own order already, holding one event of each at a time."""
    for _, event in heapq.merge(*(_placed(session) for session in sessions), key=_first):
        yield event


def in_canonical_order(events: Iterable[Event]) -> bool:
    """Whether the events stand in canonical order without repeats; one pass, memory by the number of sessions."""
    last_place: tuple[int, str, str, int, int] | None = None
    latest: dict[tuple[str, str], tuple[int, int, Event]] = {}
    for event in events:
        name = (event.source, event.session)
        seen = latest.get(name)
        shown, rank = event.time_us, 0
        if seen is not None:
            shown, rank = max(seen[0], event.time_us), seen[1] + 1
            if _within_session(seen[2]) > _within_session(event) or (seen[2].sequence == event.sequence and same_event(seen[2], event)):
                return False
        latest[name] = (shown, rank, event)
        place = (shown, event.source, event.session, event.sequence, rank)
        if last_place is not None and place < last_place:
            return False
        last_place = place
    return True


def _within_session(event: Event) -> tuple[int, int, bytes, bytes]:
    return event.sequence, event.time_us, event.hash, b"" if event.hash else kind_and_data(event)[1]


def _placed(session: Iterator[E]) -> Iterator[_Placed[E]]:
    shown: int | None = None
    for rank, event in enumerate(session):
        shown = event.time_us if shown is None else max(shown, event.time_us)
        yield (shown, event.source, event.session, event.sequence, rank), event


def _without_repeats(group: list[E]) -> list[E]:
    kept: list[E] = []
    start = 0
    for event in group:
        if kept and kept[-1].sequence != event.sequence:
            start = len(kept)
        if not any(same_event(event, other) for other in kept[start:]):
            kept.append(event)
    return kept
