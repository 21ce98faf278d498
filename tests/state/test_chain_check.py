"""What the chain check names: holes, edits, swaps, cuts, forks, and nothing where a log is whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recorded_sessions import START_US, as_events, calls, recorded
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import CallStarted, EvidenceCheckpoint, EvidenceClosed, EvidenceGap
from witnessmark.state.chain_check import verify_chain
from witnessmark.state.order import Logged, canonical_order, logged_event

Damage = Callable[[list[Logged]], list[Logged]]


def _problems(events: list[Logged]) -> list[tuple[str, int]]:
    return [(finding.problem, finding.sequence) for finding in verify_chain(events)]


def _rewritten(event: Logged, *, data: bytes = b'{"id":"forged"}', prev: bytes | None = None) -> Logged:
    return logged_event(
        event.source,
        event.session,
        event.sequence,
        event.run,
        event.time_us,
        event.kind,
        data,
        event.prev if prev is None else prev,
        event.hash,
    )


def test_a_whole_closed_session_has_no_findings() -> None:
    assert _problems(recorded(calls(5), close=True)[1]) == []


def _forked_at_the_close(log: list[Logged]) -> list[Logged]:
    return [*log, *recorded([*calls(5), (CallStarted(), START_US)])[1][-1:]]


def _relinked(log: list[Logged]) -> list[Logged]:
    return [*log[:4], _rewritten(log[4], data=log[4].data, prev=bytes(32)), *log[5:]]


@pytest.mark.parametrize(
    "damage, expected",
    [
        pytest.param(lambda log: log[:3] + log[4:], [("hole", 4)], id="one-dropped"),
        pytest.param(lambda log: log[1:], [("hole", 1)], id="the-first-dropped"),
        pytest.param(lambda log: log[:2] + log[8:], [("hole", 8)], id="several-dropped"),
        pytest.param(lambda log: log[:-1], [("unattested", 10)], id="the-close-cut-off"),
        pytest.param(lambda log: log[:4], [("unattested", 4)], id="the-end-cut-off"),
        pytest.param(lambda log: [*log[:4], _rewritten(log[4]), *log[5:]], [("altered", 4)], id="content-edited"),
        pytest.param(_relinked, [("altered", 4), ("broken_link", 4)], id="link-edited"),
        pytest.param(_forked_at_the_close, [("equivocation", 10)], id="forked-at-the-close"),
    ],
)
def test_damage_is_named_where_it_is(damage: Damage, expected: list[tuple[str, int]]) -> None:
    assert _problems(damage(recorded(calls(5), close=True)[1])) == expected


def test_a_fork_and_what_follows_it_is_named() -> None:
    entries, events = recorded(calls(2))
    recorder = Recorder("proxy:files", "s1", "run-1", sequence=3, head=entries[2].hash)
    fork = [recorder.record(CallStarted(id=name), START_US + 10_000) for name in ("x", "y")]
    forked = list(canonical_order([*events, *as_events([*entries[:3], *fork])]))
    assert _problems(forked) == [("equivocation", 3), ("unattested", 5)]


def test_a_session_made_up_behind_a_hole_does_not_link() -> None:
    _, events = recorded(calls(3))
    recorder = Recorder("proxy:files", "s1", "run-1", sequence=2, head=b"\x07" * 32)
    made_up = recorder.record(CallStarted(), START_US + 9000)
    log = [
        *events[:2],
        logged_event("proxy:files", "s1", 2, "run-1", made_up.time_us, made_up.kind, made_up.data, b"\x07" * 32, made_up.hash),
    ]
    assert _problems(log) == [("broken_link", 2), ("unattested", 3)]


def test_a_close_that_states_another_count_is_wrong() -> None:
    entries, _ = recorded([*calls(1), (EvidenceClosed(count=7, head="00" * 32), START_US + 9000)])
    assert _problems(as_events(entries)) == [("wrong_close", 2)]


def test_what_follows_a_close_is_named() -> None:
    recorder = Recorder("proxy:files", "s1", "run-1")
    entries = [recorder.record(CallStarted(), 1), recorder.close(2), recorder.record(CallStarted(), 3)]
    assert _problems(as_events(entries)) == [("after_close", 2)]


def test_a_gap_that_the_observer_states_is_passed_on() -> None:
    entries, _ = recorded([(EvidenceGap(reason="store_full", count=3), START_US)], close=True)
    (finding,) = verify_chain(as_events(entries))
    assert (finding.problem, finding.sequence) == ("gap", 0)
    assert "3 observations" in finding.message
    assert "store_full" in finding.message


@pytest.mark.parametrize(
    "kept, head, expected",
    [
        pytest.param(4, None, [], id="as-attested"),
        pytest.param(3, None, [("cut", 3)], id="one-missing"),
        pytest.param(0, None, [("cut", 0)], id="all-missing"),
        pytest.param(4, "00" * 32, [("cut", 3)], id="another-end"),
        pytest.param(4, "no hash", [("cut", 3)], id="no-hash"),
    ],
)
def test_an_open_session_is_held_against_what_was_attested(kept: int, head: str | None, expected: list[tuple[str, int]]) -> None:
    _, events = recorded(calls(2))
    checkpoint = EvidenceCheckpoint(of="s1", count=4, head=head or events[3].hash.hex())
    _, attest = recorded([(checkpoint, START_US + 10_000)], source="export", session="x", close=True)
    assert _problems([*events[:kept], *attest]) == expected


def test_what_came_after_a_checkpoint_is_no_finding() -> None:
    _, events = recorded(calls(2), close=True)
    _, attest = recorded(
        [(EvidenceCheckpoint(of="s1", count=2, head=events[1].hash.hex()), START_US)], source="export", session="x", close=True
    )
    assert _problems([*events, *attest]) == []
