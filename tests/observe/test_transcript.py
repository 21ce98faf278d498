"""Transcripts: headers, times, members, broken lines, and what makes a file something else than one transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from observe_scene import TOOL
from witnessmark.errors import InputError
from witnessmark.model.evidence import (
    CallAnswered,
    CallStarted,
    CatalogInstalled,
    EffectReported,
    Event,
    EvidenceClosed,
    EvidenceGap,
    OutcomeReported,
    RunClosed,
    SessionClosed,
    SessionOpened,
    WireMalformed,
)
from witnessmark.observe.transcript import read_transcript

CASES = Path(__file__).parents[1] / "data" / "cases"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "transcripts"
HEADER = {"witnessmark": "transcript/1", "transport": "stdio", "server": "tickets", "client": "agent"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def read(*frames: Any, header: Any = HEADER) -> list[Event]:
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in (header, *frames)]
    return list(read_transcript(lines, "t.jsonl"))


def facts(*frames: Any, header: Any = HEADER) -> list[Any]:
    return [event.fact for event in read(*frames, header=header)]


def frame(at: Any = 0.5, sender: str = "client", **members: Any) -> dict[str, Any]:
    return {"at": at, "from": sender, **members}


def initialize(channel: str = "0", at: float = 1) -> list[dict[str, Any]]:
    result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    return [
        frame(at, message=request, channel=channel),
        frame(at, "server", message={"jsonrpc": "2.0", "id": 0, "result": result}, channel=channel),
    ]


@pytest.mark.parametrize("path", sorted(CASES.rglob("*.jsonl")), ids=lambda path: path.stem)
def test_every_case_is_read_without_a_gap(path: Path) -> None:
    with path.open("rb") as lines:
        events = list(read_transcript(lines, path.name))
    assert [event.sequence for event in events] == list(range(len(events)))
    assert not [event for event in events if isinstance(event.fact, EvidenceGap)]
    last = events[-1].fact
    assert isinstance(last, EvidenceClosed)
    assert (last.count, last.head) == (len(events) - 1, "")
    assert {(event.source, event.session, event.run) for event in events} == {(f"transcript:{path.name}", "t", "t")}


@pytest.mark.shared
def test_transcripts_of_real_clients_are_read_without_a_gap(not_run: Any) -> None:
    paths = sorted(CORPUS.rglob("*.jsonl"))
    if not paths:
        pytest.skip("the corpus of client transcripts is not part of a clone")
    for path in paths:
        with path.open("rb") as lines:
            for event in read_transcript(lines, path.name):
                assert not isinstance(event.fact, EvidenceGap), (path, event)
                assert not (isinstance(event.fact, CallAnswered) and event.fact.violation), (path, event)


@pytest.mark.parametrize(
    "header,words",
    [
        (b"", "empty"),
        (b"not json\n", "no JSON object"),
        (b"[1]\n", "no JSON object"),
        ({"at": 0, "from": "client", "message": PING}, "not a transcript header"),
        ({"witnessmark": "verdict/1"}, "not a transcript header"),
        ({"witnessmark": "transcript/2", "transport": "stdio"}, "unknown transcript version"),
        ({**HEADER, "transport": "carrier pigeon"}, "transport"),
        ({**HEADER, "server": 7}, "names"),
        ({**HEADER, "server": ""}, "names"),
    ],
)
def test_a_wrong_header_says_what_was_expected_and_what_to_do(header: Any, words: str) -> None:
    lines = [] if header == b"" else [header if isinstance(header, bytes) else json.dumps(header).encode()]
    with pytest.raises(InputError) as caught:
        list(read_transcript(lines, "t.jsonl"))
    assert words in caught.value.message
    assert caught.value.where.startswith("t.jsonl")
    assert caught.value.hint


def test_a_byte_order_mark_and_unknown_members_are_passed_over() -> None:
    line = b"\xef\xbb\xbf" + json.dumps({**HEADER, "scenario": "x"}).encode() + b"\r\n"
    assert [fact.KIND for fact in facts(frame(message=PING, note={"a": 1}), header=line)] == ["session.opened", "evidence.closed"]


@pytest.mark.parametrize(
    "at,time_us",
    [
        (0, 0),
        (1.5, 1_500_000),
        ("1970-01-01T00:00:00Z", 0),
        ("2026-12-01T01:21:23.083185Z", 1_796_088_083_083_185),
        ("2024-02-29T12:00:00+02:00", 1_709_200_800_000_000),
        ("2024-03-01t00:00:00.1234567-01:30", 1_709_256_600_123_456),
        ("1969-12-31T23:59:59Z", -1_000_000),
    ],
)
def test_times_are_microseconds(at: Any, time_us: int) -> None:
    assert read(frame(at, message=PING))[0].time_us == time_us


@pytest.mark.parametrize("at", [-1, 1e12, "soon", "2026-12-01T01:21:23", "2026-13-01T00:00:00Z", "2026-12-01", None, True, []])
def test_a_frame_without_a_time_is_a_broken_line(at: Any) -> None:
    gap = facts(frame(at, message=PING))[0]
    assert isinstance(gap, EvidenceGap)
    assert (gap.reason, gap.line, gap.count) == ("bad_time", 2, 1)


def test_two_kinds_of_time_in_one_transcript_stop_the_reading() -> None:
    with pytest.raises(InputError) as caught:
        read(frame(1, message=PING), frame("2026-12-01T00:00:00Z", message=PING))
    assert caught.value.where == "t.jsonl:3"


def test_a_time_that_goes_backwards_is_held_on_its_own_channel_only() -> None:
    events = read(frame(5, message=PING), frame(3, "server", message=PING), frame(4, message=PING, channel="b"))
    calls = [event.time_us for event in events]
    assert calls == [5_000_000, 4_000_000, 4_000_000]
    answered = read(frame(5, message=PING), frame(3, "server", message={"jsonrpc": "2.0", "id": 1, "result": {}}))
    assert answered[1].time_us == 5_000_000


@pytest.mark.parametrize(
    "line,reason",
    [
        (b"{broken\n", "not_json"),
        (b"7\n", "not_an_object"),
        (b'{"at": 1, "from": "nobody", "message": {}}\n', "unknown_from"),
        (b'{"at": 1, "message": {}}\n', "unknown_from"),
        (b'{"at": 1, "from": "client"}\n', "no_known_member"),
        (b'{"at": 1, "from": "client", "surprise": 1}\n', "no_known_member"),
        (b'{"at": 1, "from": "client", "channel": 7, "message": {}}\n', "wrong_type"),
        (b'{"at": 1, "from": "client", "message": null}\n', "wrong_type"),
        (b'{"at": 1, "from": "client", "raw": 7}\n', "wrong_type"),
        (b'{"at": 1, "from": "tap", "closed": {"by": "nobody"}}\n', "wrong_type"),
        (b'{"at": 1, "from": "destination", "effect": {"call": 1, "status": "done"}}\n', "wrong_type"),
        (b'{"at": 1, "from": "operator", "declare": {"tool": "x", "effect": "maybe"}}\n', "wrong_type"),
        (b'{"at": 1, "from": "operator", "close": false}\n', "wrong_type"),
        (b'{"at": 1, "from": "client", "declare": {"tool": "x"}}\n', "wrong_sender"),
        (b'{"at": 1, "from": "verifier", "message": {}}\n', "wrong_sender"),
    ],
)
def test_a_broken_line_is_named_and_the_reading_goes_on(line: bytes, reason: str) -> None:
    found = facts(line, frame(2, message=PING))
    assert (found[0].KIND, found[0].reason, found[0].line) == ("evidence.gap", reason, 2)
    assert [fact.KIND for fact in found[1:]] == ["session.opened", "evidence.closed"]


def test_a_broken_frame_of_a_known_server_blinds_that_server() -> None:
    found = facts(b'{"at": 1, "from": "client", "server": "files", "message": null}\n', b"{\n")
    assert [fact.server for fact in found[:2]] == ["files", ""]


def test_a_truncated_last_line_is_a_gap_of_its_own_kind() -> None:
    found = facts(frame(message=PING), b'{"at": 2, "from": "cli')
    assert (found[1].KIND, found[1].reason, found[1].line) == ("evidence.gap", "truncated", 3)
    assert [fact.KIND for fact in facts(json.dumps(frame(message=PING)).encode())] == ["session.opened", "evidence.closed"]


def test_lines_that_were_stripped_by_their_reader_are_broken_only_where_they_are() -> None:
    found = facts(b"{broken", frame(message=PING))
    assert (found[0].reason, found[0].line) == ("not_json", 2)


def test_two_accepted_sessions_on_one_pipe_stop_the_reading_with_both_lines() -> None:
    with pytest.raises(InputError) as caught:
        read(*initialize(), *initialize(at=2))
    assert "line 3" in caught.value.message
    assert "line 5" in caught.value.message
    closed = frame(1.5, "tap", closed={"by": "server", "exit": 0})
    assert not [fact for fact in facts(*initialize(), closed, *initialize(at=2)) if isinstance(fact, EvidenceGap)]
    read(*initialize("p1"), *initialize("p2"))


def test_several_servers_have_sessions_of_their_own() -> None:
    one, other = initialize(), initialize()
    for each in other:
        each["server"] = "files"
    opened = [fact for fact in facts(*one, *other) if isinstance(fact, SessionOpened)]
    assert [fact.server for fact in opened] == ["tickets", "files"]


def test_raw_lines_are_junk_framing_or_messages_in_disguise() -> None:
    def found(raw: str) -> list[str]:
        return [fact.finding for fact in facts(frame(1, "server", raw=raw)) if isinstance(fact, WireMalformed)]

    assert found("Server v1.2\n") == ["JunkLine"]
    assert found("two\nlines\n") == ["JunkLine", "JunkLine"]
    assert found('Content-Length: 46\r\n\r\n{"jsonrpc":"2.0"') == ["ContentLengthFraming", "CrlfLineEnd", "NotJson"]
    assert found('{"jsonrpc":"2.0","method":"notifications/message"}\r\n') == ["CrlfLineEnd"]


def test_a_message_that_only_lenient_readers_read_is_observed() -> None:
    line = (
        b'{"at": 1, "from": "client", "message": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
        b'"params": {"name": "a", "arguments": {"n": NaN}}}}\n'
    )
    found = facts(line)
    assert [fact.KIND for fact in found[1:3]] == ["wire.malformed", "call.started"]


def test_receipts_are_independent_by_their_sender() -> None:
    effect = {"call": 1, "status": "applied"}
    outcome = {"outcome": "report", "status": "passed", "strength": "deterministic"}
    found = facts(
        frame(1, "destination", effect=effect),
        frame(2, "client", effect=effect, channel="x"),
        frame(3, "verifier", outcome=outcome),
        frame(4, "verifier", outcome=outcome, self_reported=True),
    )
    effects = [(fact.self_reported, fact.call_channel) for fact in found if isinstance(fact, EffectReported)]
    assert effects == [(False, None), (True, "x")]
    assert [fact.self_reported for fact in found if isinstance(fact, OutcomeReported)] == [False, True]


def test_a_run_is_closed_by_its_operator_and_a_channel_by_the_tap() -> None:
    found = facts(frame(1, message=PING), frame(2, "tap", closed={"by": "client", "exit": None}), frame(3, "operator", close=True))
    assert isinstance(found[1], SessionClosed)
    assert isinstance(found[2], RunClosed)


def test_a_declaration_after_the_call_gives_it_no_key() -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "publish", "arguments": {"key": "k"}}}
    declare = frame(2, "operator", declare={"tool": "publish", "effect": "write", "operation_key": "/key"})
    found = facts(frame(1, message=call), declare, frame(3, message={**call, "id": 2}))
    assert [fact.key is None for fact in found if isinstance(fact, CallStarted)] == [True, False]


def test_an_http_exchange_of_one_frame_each_is_read_by_head_and_body() -> None:
    header = {**HEADER, "transport": "http"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "publish", "arguments": {}}}
    request = frame(1, http={"method": "POST", "path": "/mcp", "headers": {}}, message=call, channel="x1")
    answer = frame(
        2,
        "server",
        http={"status": 400, "headers": {}},
        message={"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "x"}},
        channel="x1",
    )
    found = facts(request, answer, header=header)
    assert [fact.KIND for fact in found] == ["call.started", "call.answered", "evidence.closed"]
    assert (found[1].status, found[1].code) == (400, -32600)


def test_an_installed_report_is_compared_with_what_was_served() -> None:
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    found = facts(
        frame(1, message=listed),
        frame(2, "server", message={"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}),
        frame(3, "host", installed={"source": "agent", "tools": [TOOL], "mapping": "exact"}, channel="model"),
    )
    report = next(fact for fact in found if isinstance(fact, CatalogInstalled))
    assert len(report.tools[0].agrees) == 1


def test_memory_does_not_grow_with_the_number_of_exchanges() -> None:
    from witnessmark.observe.transcript import TranscriptReader

    reader = TranscriptReader("t")
    reader.feed(json.dumps({**HEADER, "transport": "http"}).encode())
    for number in range(300):
        channel = f"x{number}"
        reader.feed(json.dumps(frame(number, message=PING, channel=channel)).encode())
        reader.feed(json.dumps(frame(number, "server", message={"jsonrpc": "2.0", "id": 1, "result": {}}, channel=channel)).encode())
    assert len(reader._observers["tickets"]._memory.channels) == 0
