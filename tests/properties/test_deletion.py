"""Losing evidence never turns a verdict greener: by every single loss, and by ten thousand combinations of losses and edits."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damaged import BAD, BUSY, FORGED, GOOD, UNPROVED, Case, case, explained, greener, invented, search
from witnessmark.model.chain import link
from witnessmark.model.evidence import Event, EvidenceClosed, encode_fact
from witnessmark.model.health import PRECEDENCE
from witnessmark.state.order import trusted

DAMAGED = 12_000
WHOLE = [*((line, True) for line in (*GOOD, *UNPROVED, *(line for _, line in BAD))), *((line, False) for line in BUSY)]


def whole_case(line: str, *, closed: bool) -> Case:
    return case(line, closed=closed, attested=not closed)


@pytest.mark.parametrize("line", GOOD)
def test_a_whole_green_history_is_healthy(line: str) -> None:
    assert case(line).verdict.state == "healthy"
    assert case(line, attested=True).verdict.state == "healthy"


@pytest.mark.parametrize("line", BUSY)
def test_a_whole_busy_history_is_working(line: str) -> None:
    assert case(line, closed=False, attested=True).verdict.state == "working"


@pytest.mark.parametrize("line", UNPROVED)
def test_a_whole_history_without_proof_is_unproven(line: str) -> None:
    assert case(line).verdict.state == "unproven"


@pytest.mark.parametrize("state, line", BAD)
def test_a_whole_bad_history_has_its_state(state: str, line: str) -> None:
    assert case(line).verdict.state == state


def every_loss(whole: Case) -> Iterator[list[Event]]:
    """Each event lost, each two neighbours lost, each session cut at each place, each prefix lost."""
    events = list(whole.history.events)
    for place in range(len(events)):
        yield events[:place] + events[place + 1 :]
        yield events[:place] + events[place + 2 :]
        lost = events[place]
        same = [event for event in events if (event.source, event.session) == (lost.source, lost.session)]
        others = [event for event in events if (event.source, event.session) != (lost.source, lost.session)]
        if lost.sequence:
            yield [*others, *(event for event in same if event.sequence < lost.sequence)]
        yield [*others, *(event for event in same if event.sequence >= lost.sequence)]


@pytest.mark.parametrize("line, closed", WHOLE)
def test_no_single_loss_is_greener(line: str, closed: bool) -> None:
    whole = whole_case(line, closed=closed)
    for events in every_loss(whole):
        assert greener(whole.verdict, whole.again(events)) == "", explained(whole, events)


@pytest.mark.parametrize("line", GOOD)
def test_a_green_history_without_one_of_its_events_is_not_green(line: str) -> None:
    whole = case(line)
    for lost in whole.history.events:
        if not isinstance(lost.fact, EvidenceClosed):
            assert whole.again([event for event in whole.history.events if event is not lost]).state != "healthy", lost


@pytest.mark.parametrize("line, closed", WHOLE)
def test_a_session_lost_whole_is_seen_where_it_was_attested(line: str, closed: bool) -> None:
    whole = case(line, closed=closed, attested=True)
    for session in {event.session for event in whole.history.events} - {"attest"}:
        left = [event for event in whole.history.events if event.session != session]
        assert greener(whole.verdict, whole.again(left)) == "", explained(whole, left)
        assert whole.again(left).state not in ("healthy", "working")


@pytest.mark.parametrize("line, closed", WHOLE)
def test_two_events_under_one_id_are_never_green(line: str, closed: bool) -> None:
    whole = whole_case(line, closed=closed)
    for event in whole.history.events:
        for fact in FORGED:
            digest = link(event.prev, event.session, event.sequence, event.time_us, fact.KIND, encode_fact(fact))
            other = Event(event.source, event.session, event.sequence, event.run, event.time_us, fact, event.prev, digest)
            if digest != event.hash:
                assert whole.again([*whole.history.events, other]).state not in ("healthy", "working")


@pytest.mark.parametrize("line, closed", WHOLE)
def test_an_event_whose_hash_does_not_cover_it_is_a_gap(line: str, closed: bool) -> None:
    whole = whole_case(line, closed=closed)
    for place, event in enumerate(whole.history.events):
        for fact in FORGED:
            edited = list(whole.history.events)
            edited[place] = trusted(
                Event(event.source, event.session, event.sequence, event.run, event.time_us, fact, event.prev, event.hash)
            )
            if fact != event.fact:
                assert whole.again(edited).state not in ("healthy", "working")


@pytest.mark.parametrize("line, closed", WHOLE)
def test_two_events_that_change_places_are_never_green(line: str, closed: bool) -> None:
    whole = whole_case(line, closed=closed)
    events = list(whole.history.events)
    for place in range(len(events) - 1):
        one, other = events[place], events[place + 1]
        if one.fact == other.fact:
            continue
        swapped = list(events)
        swapped[place] = trusted(Event(one.source, one.session, one.sequence, one.run, one.time_us, other.fact, one.prev, one.hash))
        swapped[place + 1] = trusted(
            Event(other.source, other.session, other.sequence, other.run, other.time_us, one.fact, other.prev, other.hash)
        )
        assert whole.again(swapped).state not in ("healthy", "working")


def test_twelve_thousand_damaged_histories_are_never_greener() -> None:
    done, table, defects = search(DAMAGED, 1)
    assert defects == []
    assert done == DAMAGED
    # The test would prove little if the whole histories were not of every state, and green ones not among the damaged ones.
    assert {before for before, _ in table} == set(PRECEDENCE)
    assert table["healthy", "unproven"] > 100
    assert table["healthy", "healthy"] > 10


@settings(max_examples=150)
@given(st.data())
def test_order_of_arrival_and_repeated_delivery_change_not_a_byte(data: st.DataObject) -> None:
    whole = invented(data.draw(st.randoms(use_true_random=False)))
    events = list(whole.history.events)
    delivered = data.draw(st.permutations([*events, *data.draw(st.lists(st.sampled_from(events), max_size=6))]))
    assert msgspec.json.encode(whole.again(delivered)) == msgspec.json.encode(whole.verdict)


def test_nothing_at_all_is_unproven() -> None:
    assert case("").again([]).state == "unproven"
