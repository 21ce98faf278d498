"""Canonical order: the same evidence gives the same sequence of events, however it arrived."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorded_sessions import START_US, calls, recorded
from witnessmark.model.chain import GENESIS, link
from witnessmark.model.evidence import CallStarted, Event, EvidenceGap
from witnessmark.state.order import Logged, canonical_order, covered, in_canonical_order, logged_event, trusted

_TIMES = st.lists(st.integers(START_US, START_US + 5), max_size=6)


def _session(times: list[int], number: int) -> list[Logged]:
    facts = [(CallStarted(id=f"{number}/{index}"), time_us) for index, time_us in enumerate(times)]
    return recorded(facts, source=f"p{number % 2}", session=f"s{number}")[1]


@settings(max_examples=150)
@given(times=st.lists(_TIMES, min_size=1, max_size=4), seed=st.randoms(use_true_random=False))
def test_any_arrival_with_any_repeats_gives_one_order(times: list[list[int]], seed: random.Random) -> None:
    sessions = [_session(steps, number) for number, steps in enumerate(times)]
    events = [event for session in sessions for event in session]
    order = list(canonical_order(events))
    assert sorted(order, key=lambda event: (event.source, event.session, event.sequence)) == sorted(
        events, key=lambda event: (event.source, event.session, event.sequence)
    )
    for session in sessions:
        assert (
            [event for event in order if (event.source, event.session) == (session[0].source, session[0].session)] == session
            if session
            else True
        )
    assert [event.time_us for event in order] == sorted(event.time_us for event in order)
    arrived = events + [event for event in events if seed.random() < 0.3]
    seed.shuffle(arrived)
    assert list(canonical_order(arrived)) == order
    assert list(canonical_order(iter(arrived))) == order
    assert in_canonical_order(order)
    assert list(canonical_order(order)) == order


@settings(max_examples=100)
@given(times=st.lists(_TIMES, min_size=1, max_size=3), seed=st.randoms(use_true_random=False))
def test_a_sequence_passes_for_ordered_only_if_ordering_would_not_change_it(times: list[list[int]], seed: random.Random) -> None:
    events = [event for number, steps in enumerate(times) for event in _session(steps, number)]
    if events and seed.random() < 0.5:
        events.append(seed.choice(events))
    seed.shuffle(events)
    assert in_canonical_order(events) == (list(canonical_order(iter(events))) == events)


def test_both_sides_of_an_equivocation_stay_next_to_each_other() -> None:
    _, one = recorded(calls(2))
    _, other = recorded(calls(2, start_us=START_US + 1_000_000))
    order = list(canonical_order([*other, *one, *one]))
    assert [event.sequence for event in order] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert sorted(order, key=repr) == sorted([*one, *other], key=repr)
    assert order == list(canonical_order([*one, *other]))
    assert in_canonical_order(order)


def test_a_session_whose_clock_stepped_back_keeps_its_own_order() -> None:
    def event(session: str, sequence: int, time_us: int) -> Event:
        return Event("p", session, sequence, "run", time_us, CallStarted(id=f"{session}{sequence}"))

    back = [event("a", 0, 100), event("a", 1, 50), event("a", 2, 60)]
    other = [event("b", 0, 70), event("b", 1, 110)]
    order = list(canonical_order([*back, *other]))
    assert order == [other[0], *back, other[1]]
    assert in_canonical_order(order)


class _Log:
    """A log that can be read again, and that counts what is held of it at once."""

    def __init__(self, events: list[Logged]) -> None:
        self.events = events
        self.given = 0

    def __iter__(self) -> Iterator[Logged]:
        self.given = 0
        for event in self.events:
            self.given += 1
            yield event


def test_a_log_in_order_is_passed_through_event_by_event() -> None:
    log = _Log(recorded(calls(500))[1])
    order = canonical_order(log)
    assert next(order) == log.events[0]
    assert log.given == 1
    assert [log.events[0], *order] == log.events


def test_a_fact_is_believed_only_where_its_hash_covers_it() -> None:
    _, events = recorded(calls(1))
    event = events[1]
    assert covered(event)
    assert trusted(event).fact == event.fact
    altered = logged_event(event.source, event.session, 1, event.run, event.time_us, event.kind, b'{"id":"9"}', event.prev, event.hash)
    assert not covered(altered)
    assert trusted(altered).fact == EvidenceGap(reason="altered", count=1)
    moved = logged_event(event.source, "s2", 1, event.run, event.time_us, event.kind, event.data, event.prev, event.hash)
    assert not covered(moved)


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"id":7}', b'{"size_bytes":"many"}', b"\xff"])
def test_data_that_do_not_fit_their_kind_are_a_gap_and_keep_their_place_in_the_chain(data: bytes) -> None:
    digest = link(GENESIS, "s", 0, START_US, "call.answered", data)
    event = logged_event("p", "s", 0, "run", START_US, "call.answered", data, GENESIS, digest)
    assert trusted(event).fact == EvidenceGap(reason="unreadable", count=1)
    assert (event.data, covered(event)) == (data, True)
