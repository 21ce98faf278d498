"""Evidence as CloudEvents lines: out and in without loss, and a clear word about every line that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorded_sessions import START_US, calls, facts, plain, recorded
from witnessmark.errors import InputError
from witnessmark.model.chain import GENESIS, link
from witnessmark.model.evidence import EvidenceGap, Fact, UnknownFact
from witnessmark.render.cloudevents import event_line, read_evidence_lines, read_logged_lines
from witnessmark.state.chain_check import verify_chain


def _lines(count: int = 2, *, close: bool = True) -> list[bytes]:
    return [event_line(event) for event in recorded(calls(count), close=close)[1]]


def _changed(line: bytes, **members: Any) -> bytes:
    decoded = json.loads(line)
    for name, value in members.items():
        if value is ...:
            del decoded[name]
        else:
            decoded[name] = value
    return json.dumps(decoded).encode() + b"\n"


def test_a_line_has_the_members_that_the_format_names() -> None:
    _, events = recorded(calls(1))
    assert json.loads(event_line(events[1])) == {
        "specversion": "1.0",
        "id": "s1/1",
        "source": "proxy:files",
        "type": "witnessmark.call.answered",
        "subject": "run-1",
        "time": "2026-09-21T14:13:20.001000Z",
        "partitionkey": "s1",
        "sequence": "1",
        "datacontenttype": "application/json",
        "dataschema": "urn:witnessmark:evidence:1",
        "data": {"server": "files", "id": "0", "size_bytes": 100},
        "prevhash": events[0].hash.hex(),
        "hash": events[1].hash.hex(),
    }
    assert event_line(events[1]).count(b"\n") == 1


@settings(max_examples=150)
@given(steps=st.lists(st.tuples(facts(), st.integers(0, 2 * 10**15)), max_size=5))
def test_any_facts_survive_the_way_out_and_in(steps: list[tuple[Fact, int]]) -> None:
    _, events = recorded(steps)
    lines = [event_line(event) for event in events]
    assert list(read_logged_lines(lines, "log")) == events
    assert list(read_evidence_lines(lines, "log")) == plain(events)
    assert [event_line(event) for event in read_logged_lines(lines, "log")] == lines


def _rewritten(line: bytes, **how: Any) -> bytes:
    return json.dumps(json.loads(line), **how).encode() + b"\n"


@pytest.mark.parametrize(
    "rewrite",
    [
        pytest.param(lambda line: line, id="as-written"),
        pytest.param(lambda line: _rewritten(line, sort_keys=True, separators=(" , ", " : ")), id="spaced-and-sorted"),
        pytest.param(lambda line: line.decode(), id="as-text"),
        pytest.param(lambda line: line.rstrip(), id="without-its-newline"),
        pytest.param(lambda line: line.replace(b"\n", b"\r\n"), id="with-crlf"),
        pytest.param(lambda line: b"\n" + line, id="after-an-empty-line"),
        pytest.param(lambda line: _changed(line, sequence=int(json.loads(line)["sequence"])), id="sequence-as-a-number"),
        pytest.param(lambda line: _changed(line, traceparent="00-ab-cd-01", later={"x": 1}), id="unknown-members"),
        pytest.param(lambda line: _changed(line, datacontenttype=..., dataschema=...), id="without-optional-members"),
        pytest.param(lambda line: _changed(line, time=json.loads(line)["time"].replace("Z", "+00:00")), id="time-with-offset"),
        pytest.param(lambda line: _changed(line, time=json.loads(line)["time"].replace("Z", "000z")), id="time-in-nanoseconds"),
    ],
)
def test_a_log_may_be_rewritten_in_any_way_that_keeps_its_values(rewrite: Any) -> None:
    _, events = recorded(calls(2), close=True)
    lines = [piece for event in events for piece in rewrite(event_line(event)).splitlines(keepends=True)]
    found = list(read_logged_lines(lines, "log"))
    assert found == events
    assert list(verify_chain(found)) == []


@pytest.mark.parametrize(
    "time, time_us",
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01T02:00:00.5+01:30", 1_800_500_000),
        ("1969-12-31T23:59:59.9-00:00", -100_000),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
    ],
)
def test_times_are_instants_whatever_their_zone(time: str, time_us: int) -> None:
    (event,) = read_logged_lines([_changed(_lines()[0], time=time)], "log")
    assert event.time_us == time_us


def test_kinds_and_members_of_a_later_version_keep_their_bytes_and_their_chain() -> None:
    data = {"z": [1, {"b": 2.5, "a": None}], "a": "é"}
    canonical = b'{"a":"\xc3\xa9","z":[1,{"a":null,"b":2.5}]}'
    digest = link(GENESIS, "s1", 0, START_US, "moon.phase", canonical)
    line = _changed(_lines()[0], type="witnessmark.moon.phase", data=data, hash=digest.hex())
    (event,) = read_logged_lines([line], "log")
    assert event.fact == UnknownFact(kind="moon.phase")
    assert event.data == canonical
    assert [finding.problem for finding in verify_chain([event])] == ["unattested"]
    assert list(read_logged_lines([event_line(event)], "log")) == [event]


def test_an_edited_line_is_judged_as_a_gap_in_its_place() -> None:
    lines = _lines(3)
    lines[2] = lines[2].replace(b"write_report", b"read__report")
    events = list(read_evidence_lines(lines, "log"))
    assert [event.sequence for event in events] == list(range(7))
    assert events[2].fact == EvidenceGap(reason="altered", count=1)
    assert [finding.problem for finding in verify_chain(read_logged_lines(lines, "log"))] == ["altered"]


def test_a_last_line_without_its_end_is_a_gap_at_every_length() -> None:
    lines = _lines(2)
    last = lines[-1].rstrip()
    for length in range(1, len(last)):
        events = list(read_evidence_lines([*lines[:-1], last[:length]], "log"))
        assert len(events) == len(lines)
        assert events[-1].fact == EvidenceGap(reason="truncated_line", count=1, line=len(lines))
        assert (events[-1].run, events[-1].time_us) == ("run-1", events[-2].time_us)


def test_a_log_of_nothing_has_no_events() -> None:
    assert list(read_evidence_lines([], "log")) == []
    assert list(read_evidence_lines([b"\n", b"  \n"], "log")) == []


@pytest.mark.parametrize(
    "line, says",
    [
        pytest.param(b"plain words\n", "not JSON", id="words"),
        pytest.param(b'{"specversion": "1.0"\n', "not JSON", id="cut-in-the-middle-of-a-file"),
        pytest.param(b"\xff\xfe\n", "not JSON", id="no-text"),
        pytest.param(b"[" * 100_000 + b"\n", "not JSON", id="deep"),
        pytest.param(b"[1, 2]\n", "not a CloudEvents object", id="array"),
        pytest.param(b'{"witnessmark": "transcript/1"}\n', "another of our formats", id="transcript"),
        pytest.param(b"{}\n", "specversion is missing", id="empty-object"),
        pytest.param({"specversion": "0.3"}, "CloudEvents version '0.3'", id="older-cloudevents"),
        pytest.param({"dataschema": "urn:witnessmark:evidence:2"}, "evidence:2", id="later-schema"),
        pytest.param({"type": "com.example.thing"}, "type 'com.example.thing'", id="foreign-type"),
        pytest.param({"type": 7}, "type is not a text", id="type-of-another-type"),
        pytest.param({"source": ...}, "source is missing", id="no-source"),
        pytest.param({"source": ""}, "source is not a text with content", id="empty-source"),
        pytest.param({"subject": ...}, "subject is missing", id="no-run"),
        pytest.param({"partitionkey": ...}, "partitionkey is missing", id="no-session"),
        pytest.param({"id": ...}, "id is missing", id="no-id"),
        pytest.param({"id": "s1/9"}, "id does not follow", id="another-id"),
        pytest.param({"time": ...}, "time is missing", id="no-time"),
        pytest.param({"time": "yesterday"}, "is no instant", id="words-for-a-time"),
        pytest.param({"time": "2026-13-01T00:00:00Z"}, "is no instant", id="month-13"),
        pytest.param({"time": "2026-12-01T00:00:00"}, "is no instant", id="no-zone"),
        pytest.param({"time": "2026-12-01T00:00:00.1234567Z"}, "is no instant", id="below-a-microsecond"),
        pytest.param({"time": "0001-01-01T00:00:00+23:59"}, None, id="before-the-calendar"),
        pytest.param({"sequence": ...}, "sequence is missing", id="no-sequence"),
        pytest.param({"sequence": "-1"}, "does not count", id="negative-sequence"),
        pytest.param({"sequence": "01"}, "does not count", id="sequence-with-a-zero"),
        pytest.param({"sequence": True}, "does not count", id="sequence-true"),
        pytest.param({"sequence": "9" * 30}, "does not count", id="sequence-beyond-64-bits"),
        pytest.param({"data": ...}, "data is missing", id="no-data"),
        pytest.param({"data": "text"}, "data is missing or no object", id="data-as-text"),
        pytest.param({"hash": ...}, "hash is missing", id="no-hash"),
        pytest.param({"hash": "AB" * 32}, "no SHA-256", id="hash-in-upper-case"),
        pytest.param({"prevhash": "00"}, "prevhash is missing or no SHA-256", id="short-previous-hash"),
    ],
)
def test_a_line_that_is_no_event_is_named_with_what_was_expected(line: bytes | dict[str, Any], says: str | None) -> None:
    lines = _lines()
    lines[1] = line if isinstance(line, bytes) else _changed(lines[1], **line)
    if says is None:
        assert len(list(read_logged_lines(lines, "evidence.jsonl"))) == len(lines)
        return
    with pytest.raises(InputError, match=says) as caught:
        list(read_evidence_lines(lines, "evidence.jsonl"))
    assert caught.value.where == "evidence.jsonl:2"
    assert caught.value.hint
