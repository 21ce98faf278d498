"""What the store keeps and gives back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recorded_sessions import SECOND_US, START_US, as_events, calls, facts, plain, recorded, stored
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import Head
from witnessmark.adapters.store.sqlite import SqliteStore
from witnessmark.errors import StoreReadOnly, UsageError
from witnessmark.model.chain import GENESIS, Entry, link
from witnessmark.model.evidence import EvidenceCheckpoint, EvidenceGap, Fact, UnknownFact
from witnessmark.state.chain_check import verify_chain
from witnessmark.state.order import canonical_order


def test_what_was_appended_is_read_back_as_it_was(store: SqliteStore) -> None:
    _, events = stored(store, calls(5), close=True)
    assert list(store.logged("run-1")) == events
    assert list(store.events("run-1")) == plain(events)


def test_it_is_still_there_after_reopening(path: Path) -> None:
    store = open_store(path)
    _, events = stored(store, calls(5))
    store.close()
    again = open_store(path)
    assert list(again.logged("run-1")) == events
    again.close()


_SESSIONS = st.lists(st.lists(st.tuples(facts(), st.integers(0, 3 * SECOND_US)), max_size=6), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(sessions=_SESSIONS, data=st.data())
def test_any_facts_in_any_batches_come_back_in_canonical_order(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[list[tuple[Fact, int]]], data: st.DataObject
) -> None:
    store = open_store(tmp_path_factory.mktemp("store") / "evidence.sqlite")
    expected = []
    pending = []
    for number, steps in enumerate(sessions):
        source, session = f"proxy:{number % 2}", f"s{number}"
        entries, events = recorded([(fact, START_US + step) for fact, step in steps], source=source, session=session)
        expected += events
        pending.append((store.open_session(source=source, session=session, run="run-1", server="files", opened_us=START_US), entries))
    while pending := [(key, entries) for key, entries in pending if entries]:
        key, entries = data.draw(st.sampled_from(pending))
        taken = data.draw(st.integers(1, len(entries)))
        store.append(key, entries[:taken])
        del entries[:taken]
    found = list(store.logged("run-1"))
    store.close()
    assert found == list(canonical_order(expected))
    assert not {finding.problem for finding in verify_chain(found)} & {"hole", "altered", "broken_link", "equivocation"}


def test_sessions_of_a_run_are_merged_by_time_and_other_runs_stay_out(store: SqliteStore) -> None:
    _, one = stored(store, calls(3, start_us=START_US), session="s1")
    _, two = stored(store, calls(3, start_us=START_US + 500), session="s2", source="proxy:mail", server="mail")
    stored(store, calls(3), session="s3", run="run-2")
    merged = [event for pair in zip(one, two, strict=True) for event in pair]
    assert list(store.logged("run-1")) == merged


def test_a_run_that_is_not_there_has_no_events(store: SqliteStore) -> None:
    assert list(store.events("nobody")) == []
    assert store.sessions("nobody") == []
    assert list(store.attested("nobody", START_US)) == []


@pytest.mark.parametrize("batch", [1, 2, 16], ids=lambda size: f"{size}-at-once")
def test_appending_an_equal_event_again_is_harmless(store: SqliteStore, batch: int) -> None:
    entries, events = recorded(calls(8))
    key, _ = stored(store, calls(8))
    for start in range(0, len(entries), batch):
        store.append(key, entries[start : start + batch])
    assert list(store.logged("run-1")) == events
    assert store.head(key) == Head(16, entries[-1].hash)


@pytest.mark.parametrize("batch", [1, 3], ids=lambda size: f"{size}-at-once")
def test_a_different_event_under_an_existing_number_is_kept_beside_it_and_found(store: SqliteStore, batch: int) -> None:
    entries, events = recorded(calls(3))
    key, _ = stored(store, calls(3))
    other_data = b'{"id":"other"}'
    other = Entry(
        4, entries[4].time_us, "call.started", other_data, link(entries[3].hash, "s1", 4, entries[4].time_us, "call.started", other_data)
    )
    for _ in range(2):  # an equivocation delivered twice is one equivocation
        store.append(key, [*entries[3 : 3 + batch - 1], other])
    found = list(store.logged("run-1"))
    assert [event.sequence for event in found] == [0, 1, 2, 3, 4, 4, 5]
    assert sorted(event.hash for event in found if event.sequence == 4) == sorted([entries[4].hash, other.hash])
    assert next(event for event in found if event.hash == other.hash).prev == entries[3].hash
    assert found == list(canonical_order([*events, *as_events([*entries[:4], other], source="proxy:files", session="s1", run="run-1")]))
    assert [finding.problem for finding in verify_chain(found) if finding.problem != "unattested"] == ["equivocation"]
    assert store.head(key) == Head(6, entries[-1].hash)


def test_a_kind_of_a_later_version_is_kept_with_its_bytes_and_its_chain_holds(store: SqliteStore) -> None:
    data = b'{"later":[1,{"deep":true}]}'
    entry = Entry(0, START_US, "moon.phase", data, link(GENESIS, "s1", 0, START_US, "moon.phase", data))
    key = store.open_session(source="proxy:files", session="s1", run="run-1", server="files", opened_us=START_US)
    store.append(key, [entry])
    (event,) = store.logged("run-1")
    assert (event.fact, event.kind, event.data) == (UnknownFact(kind="moon.phase"), "moon.phase", data)
    assert [finding.problem for finding in verify_chain([event])] == ["unattested"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET time_us = 0",
        "UPDATE events SET data = x'7B7D' WHERE sequence = 1",
        "DELETE FROM events",
        "DELETE FROM events WHERE sequence = 5",
        "UPDATE conflicts SET kind = 1",
        "DELETE FROM conflicts",
        "DELETE FROM sessions",
        "UPDATE sessions SET run = 'other'",
        "UPDATE sessions SET closed_us = NULL",
        "UPDATE kinds SET name = 'x'",
        "DELETE FROM kinds",
    ],
)
def test_evidence_can_only_be_added(store: SqliteStore, path: Path, statement: str) -> None:
    key, _ = stored(store, calls(3), close=True)
    entries, _ = recorded(calls(1, start_us=START_US + 7))
    store.append(key, entries)  # conflicts, so that each table has rows to protect
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


def test_replacing_an_event_leaves_the_first_one(store: SqliteStore, path: Path) -> None:
    _, events = stored(store, calls(3))
    connection = sqlite3.connect(path)
    connection.execute("INSERT OR REPLACE INTO events SELECT session_key, sequence, 0, kind, data, hash FROM events WHERE sequence = 2")
    connection.commit()
    connection.close()
    assert list(store.logged("run-1")) == events


def test_content_that_its_hash_does_not_cover_is_judged_as_a_gap_in_its_place(store: SqliteStore, path: Path) -> None:
    _, events = stored(store, calls(3), close=True)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER events_never_change")
    connection.execute(
        "UPDATE events SET data = CAST(replace(CAST(data AS TEXT), 'write_report', 'read_report') AS BLOB) WHERE sequence = 2"
    )
    connection.commit()
    connection.close()
    found = list(store.events("run-1"))
    assert found[2].fact == EvidenceGap(reason="altered", count=1)
    assert found[:2] + found[3:] == plain(events[:2] + events[3:])
    assert [(finding.problem, finding.sequence) for finding in verify_chain(store.logged("run-1"))] == [("altered", 2)]


def test_a_tail_that_vanished_is_found_by_the_count_that_its_close_stated(store: SqliteStore, path: Path) -> None:
    key, events = stored(store, calls(3))
    store.close_session(key, START_US)
    assert store.head(key) == (len(events), events[-1].hash)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER events_never_go")
    connection.execute("DELETE FROM events WHERE sequence >= 4")
    connection.commit()
    connection.close()
    assert store.head(key) == (len(events), events[-1].hash)
    problems = [finding.problem for finding in verify_chain(store.attested("run-1", START_US, every=True))]
    assert problems[0] == "cut"


def test_an_open_session_stands_where_its_newest_event_stands(store: SqliteStore) -> None:
    key, events = stored(store, calls(3))
    assert store.head(key) == (len(events), events[-1].hash)
    (session,) = store.sessions("run-1")
    assert session.beat_us == events[-1].time_us


def test_a_session_is_opened_once_and_stays_with_its_run(store: SqliteStore) -> None:
    first = store.open_session(source="p", session="s", run="r", server="files", opened_us=1)
    assert store.open_session(source="p", session="s", run="r", server="files", opened_us=2) == first
    assert store.open_session(source="q", session="s", run="r", server="files", opened_us=2) != first
    with pytest.raises(UsageError, match="already kept for run 'r'"):
        store.open_session(source="p", session="s", run="other", server="files", opened_us=3)


def test_a_session_goes_on_from_its_head(store: SqliteStore) -> None:
    entries, events = recorded(calls(4))
    key, _ = stored(store, calls(2))
    assert store.head(key) == Head(4, entries[3].hash)
    store.append(key, entries[4:])
    assert list(store.logged("run-1")) == events


def test_an_unknown_session_has_no_head_and_takes_no_events(store: SqliteStore) -> None:
    key, _ = stored(store, calls(1), close=True)
    store.delete_run("run-1", START_US + 100 * SECOND_US)
    with pytest.raises(UsageError, match="no session"):
        store.head(key)
    entries, _ = recorded(calls(1))
    for batch in (entries, entries[:1]):
        with pytest.raises(Exception, match="its run was deleted"):
            store.append(key, batch)


def test_nothing_is_appended_by_an_empty_batch(store: SqliteStore) -> None:
    key, events = stored(store, calls(1))
    store.append(key, [])
    assert list(store.logged("run-1")) == events


def test_runs_are_listed_newest_first_with_their_servers_and_state(store: SqliteStore) -> None:
    now_us = START_US + 50 * SECOND_US
    stored(store, calls(2), session="a", run="closed", close=True)
    stored(store, calls(1, start_us=START_US + SECOND_US), session="b", run="dead")
    stored(store, calls(1, start_us=now_us - SECOND_US), session="c", run="live")
    stored(store, calls(1, start_us=now_us), session="d", run="live", source="proxy:mail", server="mail")
    shown = [(run.run, run.servers, run.sessions, run.events, run.closed, run.live) for run in store.runs(now_us)]
    assert shown == [
        ("live", ("files", "mail"), 2, 4, False, True),
        ("dead", ("files",), 1, 2, False, False),
        ("closed", ("files",), 1, 5, True, False),
    ]
    assert [run.run for run in store.runs(now_us, server="mail")] == ["live"]
    assert store.live_runs("files", now_us) == ["live"]
    assert store.live_runs("files", now_us, silence_s=3600) == ["live", "dead"]
    assert store.live_runs("nobody", now_us) == []


def test_a_beat_keeps_a_silent_session_alive(store: SqliteStore) -> None:
    key, _ = stored(store, calls(1))
    later_us = START_US + 100 * SECOND_US
    assert store.live_runs("files", later_us) == []
    store.beat(key, later_us - SECOND_US)
    assert store.live_runs("files", later_us) == ["run-1"]
    store.beat(key, START_US)  # an older beat takes nothing back
    assert store.live_runs("files", later_us) == ["run-1"]


def test_open_sessions_are_attested_at_now_while_alive_and_at_their_last_sign_of_life_after(store: SqliteStore) -> None:
    now_us = START_US + 100 * SECOND_US
    stored(store, calls(2), session="closed", close=True)
    _, dead = stored(store, calls(2), session="dead")
    _, live = stored(store, calls(2, start_us=now_us - SECOND_US), session="live")
    events = store.checkpoints("run-1", now_us)
    attested = [(event.time_us, event.fact) for event in events[:-1]]
    assert attested == [
        (dead[-1].time_us, EvidenceCheckpoint(server="files", of="dead", count=4, head=dead[-1].hash.hex())),
        (now_us, EvidenceCheckpoint(server="files", of="live", count=4, head=live[-1].hash.hex())),
    ]
    assert events[-1].fact.KIND == "evidence.closed"
    whole = list(store.attested("run-1", now_us))
    assert list(verify_chain(whole)) == []
    assert whole == list(canonical_order(whole))
    assert [event.session for event in store.checkpoints("run-1", now_us, silence_s=0.5)] == [events[0].session] * 3


def test_every_session_is_attested_where_that_is_asked_for(store: SqliteStore) -> None:
    _, events = stored(store, calls(2), close=True)
    whole = list(store.attested("run-1", START_US + 100 * SECOND_US, every=True))
    checkpoint = next(event for event in whole if isinstance(event.fact, EvidenceCheckpoint))
    assert (checkpoint.time_us, checkpoint.fact) == (
        events[-1].time_us,
        EvidenceCheckpoint(server="files", of="s1", count=5, head=events[-1].hash.hex()),
    )
    assert list(verify_chain(whole)) == []
    assert [finding.problem for finding in verify_chain(event for event in whole if event.session != "s1")] == ["cut"]


def test_a_reader_sees_one_instant_while_a_writer_goes_on(store: SqliteStore) -> None:
    entries, events = recorded(calls(400))
    key = store.open_session(source="proxy:files", session="s1", run="run-1", server="files", opened_us=START_US)
    store.append(key, entries[:600])
    reading = store.attested("run-1", START_US)
    found = [next(reading)]
    store.append(key, entries[600:])
    found += reading
    assert [event for event in found if event.session == "s1"] == events[:600]
    assert list(verify_chain(found)) == []


def test_reading_a_run_goes_by_keys_and_looks_at_no_other_run(store: SqliteStore, path: Path) -> None:
    from witnessmark.adapters.store import reading

    stored(store, calls(1))
    connection = sqlite3.connect(path)
    for query, arguments in ((reading._SESSIONS_OF_RUN, ("run-1",)), (reading._EVENTS, (1,)), (reading._CONFLICTS, (1,))):
        plan = " ".join(row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + query, arguments))
        assert "SEARCH" in plan
        assert "SCAN" not in plan
    connection.close()


def test_a_closed_store_says_so(store: SqliteStore) -> None:
    key, _ = stored(store, calls(1))
    store.close()
    with pytest.raises(StoreReadOnly, match="is closed"):
        store.beat(key, START_US)
