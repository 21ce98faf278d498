"""A stored log says what was said live: through the store, through an export, cut at any instant."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaged import BAD, BUSY, GOOD, UNPROVED, greener, invented
from histories import RUN, History, history
from witnessmark.adapters.store.attest import attesting_events
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import EvidenceStore, Head, SessionKey, SessionSummary
from witnessmark.adapters.stored_runs import evidence_of
from witnessmark.judges.chain import judge_state
from witnessmark.judges.judging import judge
from witnessmark.model.chain import Entry
from witnessmark.model.evidence import Event, EvidenceClosed, encode_fact
from witnessmark.model.policy import Policy
from witnessmark.model.verdict import Verdict
from witnessmark.render.cloudevents import event_line, read_evidence_lines
from witnessmark.state.fold import fold
from witnessmark.state.order import trusted

LINES = (*GOOD, *BUSY, *(line for _, line in BAD), *UNPROVED)


def as_bytes(verdict: Verdict) -> bytes:
    return msgspec.json.encode(verdict)


def what_it_says(verdict: Verdict) -> tuple[object, ...]:
    """Everything but the places in the log, which an attestation moves."""
    claims = [(c.type, c.status, c.reason, c.server, c.call, c.facts) for c in verdict.conditions]
    return verdict.state, claims, verdict.catalogs, verdict.calls, verdict.notes


class Written:
    """A history as it is written to a store, event by event."""

    def __init__(self, store: EvidenceStore) -> None:
        self.store = store
        self.open: dict[tuple[str, str], SessionKey] = {}

    def write(self, event: Event) -> None:
        place = event.source, event.session
        if place not in self.open:
            self.open[place] = self.store.open_session(
                source=event.source, session=event.session, run=RUN, server="tickets", opened_us=event.time_us
            )
        entry = Entry(event.sequence, event.time_us, event.fact.KIND, encode_fact(event.fact), event.hash)
        if isinstance(event.fact, EvidenceClosed):
            self.store.close_session(self.open.pop(place), event.time_us, [entry])
        else:
            self.store.append(self.open[place], [entry])

    def live(self, now_us: int) -> Verdict:
        """The verdict as of now, every observer that has not closed its session being alive."""
        for key in self.open.values():
            self.store.beat(key, now_us)
        return judge(list(evidence_of(self.store, RUN, now_us)), as_of_us=now_us)


def stored(path: Path, events: Iterable[Event]) -> EvidenceStore:
    store = open_store(path)
    written = Written(store)
    for event in events:
        written.write(event)
    return store


@pytest.mark.parametrize("line", LINES)
def test_the_verdict_over_a_stored_run_is_the_verdict_over_its_events(line: str, tmp_path: Path) -> None:
    told = history(line, wait_s=1)
    store = stored(tmp_path / "evidence.db", told.events)
    direct = judge(told.events, as_of_us=told.end_us)
    assert list(store.events(RUN)) == list(told.events)
    assert as_bytes(judge(store.events(RUN), as_of_us=told.end_us)) == as_bytes(direct)
    assert as_bytes(judge_state(fold(store.events(RUN)), Policy(), told.end_us)) == as_bytes(direct)
    exported = [event_line(event) for event in store.logged(RUN)]
    assert as_bytes(judge(read_evidence_lines(exported, "export"), as_of_us=told.end_us)) == as_bytes(direct)


@settings(max_examples=60)
@given(st.data())
def test_an_export_in_any_order_of_lines_gives_the_same_verdict(data: st.DataObject) -> None:
    whole = invented(data.draw(st.randoms(use_true_random=False)))
    lines = data.draw(st.permutations([event_line(event) for event in whole.history.events]))
    assert as_bytes(whole.again(list(read_evidence_lines(lines, "export")))) == as_bytes(whole.verdict)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32))
def test_a_replay_as_of_any_instant_gives_the_verdict_that_was_given_live(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    told = invented(Random(seed)).history
    store = open_store(tmp_path_factory.mktemp("live") / "evidence.db")
    written = Written(store)
    live: dict[int, Verdict] = {}
    times = sorted({event.time_us for event in told.events})
    for now_us in times:
        for event in told.events:
            if event.time_us == now_us and event.session != "attest":
                written.write(event)
        live[now_us] = written.live(now_us)
    later_us = told.end_us + 3_600_000_000
    for then_us, said in live.items():
        again = judge(list(evidence_of(store, RUN, later_us, then_us, cut=True)), as_of_us=then_us)
        assert as_bytes(again) == as_bytes(said)
    store.close()


def attested_cut(told: History, until_us: int) -> list[Event]:
    """The log as somebody held it at the instant, with a session that states how far each open session had come."""
    kept = [event for event in told.events if event.time_us <= until_us]
    heads: dict[tuple[str, str], Event] = {(event.source, event.session): event for event in kept}
    sessions = [
        SessionSummary(SessionKey(0), source, session, RUN, "tickets", 0, None, until_us, Head(last.sequence + 1, last.hash))
        for (source, session), last in heads.items()
        if not isinstance(last.fact, EvidenceClosed)
    ]
    return [*kept, *map(trusted, attesting_events(sessions, RUN, until_us, silence_s=30, source="holder", every=False))]


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32))
def test_a_log_cut_at_an_instant_says_what_the_whole_log_says_as_of_it(seed: int) -> None:
    told = invented(Random(seed), closed=True).history
    for until_us in sorted({event.time_us for event in told.events}):
        said = judge(told.events, as_of_us=until_us)
        assert what_it_says(judge(attested_cut(told, until_us), as_of_us=until_us)) == what_it_says(said)
        bare = judge([event for event in told.events if event.time_us <= until_us], as_of_us=until_us)
        assert greener(said, bare) == ""


def test_evidence_from_after_the_instant_decides_nothing() -> None:
    told = history("declare expect session list page installed call answer applied passed signal")
    signal_us = next(event.time_us for event in told.events if event.fact.KIND == "catalog.changed")
    assert judge(told.events, as_of_us=signal_us - 1).state == "healthy"
    assert judge(told.events, as_of_us=signal_us).state == "stale_catalog"
