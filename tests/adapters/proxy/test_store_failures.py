"""A store that fails never spoils the wire: `forward_and_mark_gap` goes on and says so later, `refuse` ends in good order."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from peers.raw_client import RawClient
from witnessmark import judge
from witnessmark.adapters import recorded_session
from witnessmark.adapters.recorded_session import OnStoreFailure, RecordedSession
from witnessmark.adapters.stdio_proxy import SessionRefused, Side
from witnessmark.adapters.store.location import open_store
from witnessmark.adapters.store.protocol import EvidenceStore, SessionKey
from witnessmark.errors import StoreFull, StoreLocked
from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import CallAnswered, CallStarted, EvidenceClosed, EvidenceGap, SessionClosed
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Redactor
from witnessmark.state.chain_check import verify_chain

COPY = [sys.executable, str(Path(__file__).parents[2] / "peers" / "servers" / "behaves.py"), "copy"]
PROXY = str(Path(sys.executable).with_name("witnessmark"))


def call(number: int) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{}}}\n' % number


def answer(number: int) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}\n' % number


class Faulty:
    """A session over a store that can be told to fail."""

    def __init__(self, path: Path, policy: OnStoreFailure) -> None:
        self.path = path
        self.failing = False
        self.tries = 0
        self.recorder = Recorder("proxy:test", "S", "R")
        self.session = RecordedSession(Observer("notes", Redactor("k1", b"k" * 32)), self.recorder, self.opened, on_store_failure=policy)

    def opened(self) -> tuple[EvidenceStore, SessionKey]:
        if self.failing:
            raise StoreLocked("the store is locked", where="here")
        store = open_store(self.path)
        key = store.open_session(source="proxy:test", session="S", run="R", server="notes", opened_us=1)
        append, close_session = store.append, store.close_session

        def failing_append(key: SessionKey, entries: Sequence[Entry]) -> None:
            self.tries += 1
            if self.failing:
                raise StoreFull("no room", where="here")
            append(key, entries)

        def failing_close(key: SessionKey, closed_us: int, last: Sequence[Entry] = ()) -> None:
            if self.failing:
                raise StoreFull("no room", where="here")
            close_session(key, closed_us, last)

        store.append = failing_append  # type: ignore[method-assign]  # the fault stands where it would happen
        store.close_session = failing_close  # type: ignore[method-assign]  # as above
        return store, key

    def passes(self, side: Side, data: bytes) -> bool:
        return b"".join(piece for _, piece in self.session.receive(side, data)) == data

    def facts(self) -> list[object]:
        store = open_store(self.path)
        assert [found.problem for found in verify_chain(store.logged("R")) if found.problem not in {"gap", "unattested"}] == []
        facts: list[object] = [event.fact for event in store.events("R")]
        store.close()
        return facts


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the session try a failed store again without waiting."""
    monkeypatch.setattr(recorded_session, "RETRY_S", 0.0)


@pytest.mark.usefixtures("at_once")
def test_what_a_full_store_did_not_take_is_a_gap_with_its_count(tmp_path: Path) -> None:
    faulty = Faulty(tmp_path / "e.db", "forward_and_mark_gap")
    faulty.session.begin()
    assert faulty.passes("client", call(1))
    faulty.failing = True
    assert faulty.passes("server", answer(1))
    assert faulty.passes("client", call(2))
    assert faulty.passes("server", answer(2))
    faulty.failing = False
    assert faulty.passes("client", call(3))
    faulty.session.exited(0, "client")
    facts = faulty.facts()
    gaps = [fact for fact in facts if isinstance(fact, EvidenceGap)]
    assert [(gap.reason, gap.count) for gap in gaps] == [("store_full", 3)]
    assert [fact.id for fact in facts if isinstance(fact, CallStarted)] == ["1", "3"]
    assert [fact for fact in facts if isinstance(fact, CallAnswered)] == []
    assert isinstance(facts[-1], EvidenceClosed)
    assert isinstance(facts[-2], SessionClosed)


@pytest.mark.usefixtures("at_once")
def test_a_store_that_opens_late_begins_with_the_gap(tmp_path: Path) -> None:
    faulty = Faulty(tmp_path / "e.db", "forward_and_mark_gap")
    faulty.failing = True
    faulty.session.begin()
    assert faulty.passes("client", call(1))
    faulty.failing = False
    assert faulty.passes("server", answer(1))
    faulty.session.exited(0, "client")
    first = faulty.facts()[0]
    assert isinstance(first, EvidenceGap)
    assert (first.reason, first.count) == ("store_locked", 2)


def test_a_failed_store_is_left_alone_for_a_moment(tmp_path: Path) -> None:
    faulty = Faulty(tmp_path / "e.db", "forward_and_mark_gap")
    faulty.session.begin()
    faulty.failing = True
    faulty.tries = 0
    for number in range(50):
        assert faulty.passes("client", call(number))
    assert faulty.tries == 1


@pytest.mark.usefixtures("at_once")
def test_a_gap_that_can_never_be_written_leaves_the_log_without_an_end(tmp_path: Path) -> None:
    faulty = Faulty(tmp_path / "e.db", "forward_and_mark_gap")
    faulty.session.begin()
    faulty.failing = True
    assert faulty.passes("client", call(1))
    faulty.session.exited(0, "client")
    assert not any(isinstance(fact, EvidenceClosed) for fact in faulty.facts())


def test_refuse_lets_nothing_pass_that_is_not_recorded(tmp_path: Path) -> None:
    faulty = Faulty(tmp_path / "e.db", "refuse")
    faulty.session.begin()
    assert faulty.passes("client", call(1))
    faulty.failing = True
    with pytest.raises(SessionRefused, match="no room"):
        faulty.session.receive("server", answer(1))
    faulty.session.exited(None, "tap")


@pytest.mark.usefixtures("at_once")
def test_a_defect_of_the_store_is_a_gap_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = Faulty(tmp_path / "e.db", "forward_and_mark_gap")
    faulty.session.begin()
    with monkeypatch.context() as patch:

        def broken(*arguments: object) -> None:
            raise RuntimeError("a defect")

        assert faulty.session._store is not None
        patch.setattr(faulty.session._store, "append", broken)
        assert faulty.passes("client", call(1))
    assert faulty.passes("server", answer(1))
    faulty.session.exited(0, "client")
    assert [(fact.reason, fact.count) for fact in faulty.facts() if isinstance(fact, EvidenceGap)] == [("store_failed", 1)]


@pytest.mark.parametrize("failing_side", ["client", "server"])
def test_a_defect_of_ours_loses_no_byte_and_leaves_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing_side: Side) -> None:
    faulty = Faulty(tmp_path / "e.db", "forward_and_mark_gap")
    session = faulty.session
    session.begin()
    stream = call(1) + call(2)
    cut = len(stream) - 20
    passed = b"".join(piece for _, piece in session.receive("client", stream[:cut]))
    assert passed == call(1)  # half a message is held back

    def broken(*arguments: object, **options: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(Observer, "line", broken)
    pieces = list(session.receive(failing_side, stream[cut:] if failing_side == "client" else answer(1)))
    pieces += session.receive("client", b"" if failing_side == "client" else stream[cut:])
    upward = b"".join(piece for to, piece in pieces if to == "server")
    downward = b"".join(piece for to, piece in pieces if to == "client")
    assert passed + upward == stream
    assert downward == (b"" if failing_side == "client" else answer(1))
    assert b"".join(piece for _, piece in session.receive("server", b"unseen\n")) == b"unseen\n"
    session.exited(0, "client")
    gaps = [(fact.reason, fact.count) for fact in faulty.facts() if isinstance(fact, EvidenceGap)]
    assert gaps == [("observer_failed", None), ("observer_failed", None)]  # where it began, and up to the end


def test_a_store_that_is_removed_under_a_live_session_is_begun_anew_with_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_session, "PRESENT_S", 0.0)
    monkeypatch.setattr(recorded_session, "RETRY_S", 0.0)
    faulty = Faulty(tmp_path / "e.sqlite", "forward_and_mark_gap")
    faulty.session.begin()
    faulty.session.receive("client", call(1))
    for file in tmp_path.glob("e.sqlite*"):
        file.unlink()
    assert faulty.session.receive("server", answer(1)) == [("client", answer(1))]
    faulty.session.receive("client", call(2))
    facts = [event.fact for event in open_store(tmp_path / "e.sqlite").events("R")]
    assert isinstance(facts[0], EvidenceGap)
    assert isinstance(facts[1], CallStarted)
    assert judge(open_store(tmp_path / "e.sqlite").events("R")).state == "unproven"


def test_refuse_ends_when_the_store_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_session, "PRESENT_S", 0.0)
    faulty = Faulty(tmp_path / "e.sqlite", "refuse")
    faulty.session.begin()
    (tmp_path / "e.sqlite").unlink()
    with pytest.raises(SessionRefused, match="removed or replaced"):
        faulty.session.receive("client", call(1))


def test_a_store_that_cannot_be_made_stops_nobody_but_says_so(tmp_path: Path) -> None:
    (tmp_path / "no directory").write_text("a file")
    with RawClient([PROXY, "proxy", "--store", tmp_path / "no directory" / "e.db", "--", *COPY]) as client:
        client.send(call(1))
        assert client.line() == call(1)
        assert client.finish() == 0
        assert client.out == call(1)
        assert b"evidence cannot be written" in client.err


def test_refuse_starts_no_session_without_a_store(tmp_path: Path) -> None:
    (tmp_path / "no directory").write_text("a file")
    command: list[str | Path] = [PROXY, "proxy", "--on-store-failure", "refuse", "--store", tmp_path / "no directory" / "e.db", "--", *COPY]
    with RawClient(command) as client:
        client.send(call(1))
        assert client.finish(close=False) == 2
        assert client.out == b""
        assert b"witnessmark: error:" in client.err


def test_an_unknown_kind_of_store_is_refused_before_the_server_starts(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    with RawClient([PROXY, "proxy", "--store", "redis://here/0", "--", "touch", mark]) as client:
        assert client.finish() == 2
        assert not mark.exists()


def damage(path: Path) -> None:
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("ALTER TABLE events RENAME TO gone")


def repair(path: Path) -> None:
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("ALTER TABLE gone RENAME TO events")


@pytest.mark.parametrize("in_time", [True, False])
def test_a_store_damaged_under_a_live_session_loses_nothing_that_waits_beside_it(tmp_path: Path, *, in_time: bool) -> None:
    path = tmp_path / "e.db"
    with RawClient([PROXY, "proxy", "--run", "R", "--store", path, "--", *COPY]) as client:
        client.send(call(1))
        assert client.line() == call(1)
        damage(path)
        client.send(call(2))
        assert client.line() == call(2)
        if in_time:
            repair(path)
        assert client.finish() == 0
        assert b"the store cannot be written now; evidence waits beside it" in client.err
    if not in_time:
        repair(path)
    store = open_store(path, write=False)
    facts = [event.fact for event in store.events("R")]
    assert [fact.id for fact in facts if isinstance(fact, CallStarted)] == ["1", "2"]
    assert [fact for fact in facts if isinstance(fact, EvidenceGap)] == []
    assert isinstance(facts[-1], EvidenceClosed) == in_time
    assert [found.problem for found in verify_chain(store.logged("R"))] == ([] if in_time else ["unattested"])
    store.close()


def test_what_no_longer_fits_beside_a_damaged_store_is_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    with RawClient([PROXY, "proxy", "--run", "R", "--store", path, "--", *COPY]) as client:
        client.send(call(0))
        assert client.line() == call(0)
        damage(path)
        for number in range(1, 400):
            client.send(call(number))
            assert client.line() == call(number)
        repair(path)
        assert client.finish() == 0
        assert b"the traffic goes on without" in client.err
    store = open_store(path, write=False)
    facts = [event.fact for event in store.events("R")]
    kept = [int(fact.id) for fact in facts if isinstance(fact, CallStarted)]
    gap = next(fact for fact in facts if isinstance(fact, EvidenceGap))
    assert kept == list(range(len(kept)))
    assert 100 < len(kept) < 400
    assert gap.count
    assert isinstance(facts[-1], EvidenceClosed)
    store.close()


def test_refuse_ends_a_session_whose_store_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    with RawClient([PROXY, "proxy", "--run", "R", "--on-store-failure", "refuse", "--store", path, "--", *COPY]) as client:
        client.send(call(1))
        assert client.line() == call(1)
        damage(path)
        client.send(call(2))
        assert client.finish(close=False) == 2
        assert client.out == call(1)
