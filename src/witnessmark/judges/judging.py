"""`judge(evidence, policy, as_of)`: the pure function that the whole product stands on.

Same evidence, same policy, same instant: same verdict, in any order of arrival that keeps each session's own order.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from witnessmark.errors import InputError, UsageError
from witnessmark.judges.chain import judge_state
from witnessmark.model.evidence import Event
from witnessmark.model.policy import Policy
from witnessmark.model.verdict import Verdict
from witnessmark.state.fold import advance, settle_checkpoints
from witnessmark.state.order import canonical_order
from witnessmark.state.run import RunState

SECOND_US = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Ordered:
    """Evidence whose bringer knows that it stands in canonical order (a store, a transcript): it is folded as it comes."""

    __slots__ = ("_events",)

    def __init__(self, events: Iterable[Event]) -> None:
        self._events = events

    def __iter__(self) -> Iterator[Event]:
        """The events as they come."""
        return iter(self._events)


def instant_us(as_of: float | str) -> int:
    """Microseconds of an instant: a number of seconds (since the first frame, for a transcript with relative times; since
    the epoch otherwise) or an RFC 3339 time with zone. UsageError for anything else.
    """
    if isinstance(as_of, str):
        try:
            time = datetime.fromisoformat(as_of)
        except ValueError:
            time = None
        if time is None or time.tzinfo is None:
            raise UsageError(f"{as_of!r} is no instant", hint="give seconds, or an RFC 3339 time with zone")
        delta = time - _EPOCH
        return (delta.days * 86_400 + delta.seconds) * SECOND_US + delta.microseconds
    return round(as_of * SECOND_US)


class _Disordered(Exception):
    """The evidence does not stand in canonical order: it must be arranged before it is folded."""


def _in_order(events: Iterable[Event]) -> Iterator[Event]:
    """The events as they come, for as long as they stand in canonical order."""
    last: Event | None = None
    place: tuple[int, str, str] = (-(1 << 62), "", "")
    expected: dict[tuple[str, str], int] = {}
    for event in events:
        if last is None or event.session != last.session or event.source != last.source:
            if last is not None:
                expected[last.source, last.session] = last.sequence
            here = (event.time_us, event.source, event.session)
            if here < place or event.sequence <= expected.get((event.source, event.session), -1):
                raise _Disordered
            place = here
        else:
            if event.sequence <= last.sequence:
                raise _Disordered
            if event.time_us > place[0]:
                place = (event.time_us, event.source, event.session)
        last = event
        yield event


def fold_until(evidence: Iterable[Event], until_us: int | None = None) -> RunState:
    """The state of the run that the evidence tells of, as it was known at `until_us` (None: all of it).

    What is later is not folded; that it exists proves that its log was whole up to the instant. Evidence that can be
    iterated again is folded as it comes for as long as it stands in canonical order, and arranged only if it does not.
    """
    if isinstance(evidence, Ordered):
        return _fold(evidence, until_us)
    if iter(evidence) is evidence:
        return _fold(canonical_order(evidence), until_us)
    try:
        return _fold(_in_order(evidence), until_us)
    except _Disordered:
        return _fold(canonical_order(evidence), until_us)


def _fold(events: Iterable[Event], until_us: int | None) -> RunState:
    state = RunState()
    if until_us is None:
        for event in events:
            advance(state, event)
    else:
        for event in events:
            if event.time_us <= until_us:
                advance(state, event)
            else:
                log = state.logs.get((event.source, event.session))
                if log is not None and event.sequence == log.expected:
                    log.covered_us = max(log.covered_us, event.time_us)
    if state.other_run:
        raise InputError(
            f"evidence of several runs: {state.run} and {state.other_run}",
            hint="judge one run at a time (the subject of an event is its run)",
        )
    settle_checkpoints(state, state.last)
    return state


def judge(
    evidence: Iterable[Event], policy: Policy | None = None, as_of: float | str | None = None, *, as_of_us: int | None = None
) -> Verdict:
    """The verdict about the run that the evidence tells of.

    `as_of` is the instant to judge, in seconds or as RFC 3339 (`as_of_us`: in microseconds); without it the run is judged as
    of its newest evidence. Evidence that is later than the instant is left out: the verdict is what was known then.
    Raises UsageError for an instant that is none.
    """
    until = as_of_us if as_of is None else instant_us(as_of)
    state = fold_until(evidence, until)
    if until is None:
        until = state.last.time_us if state.last is not None else 0
    return judge_state(state, policy if policy is not None else Policy(), until)
