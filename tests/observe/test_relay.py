"""The relay: bytes go on as they came, after their record; and no cutting of them changes what is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings

from chunkings import cut, cuttings
from observe_scene import MODERN, TOOL, redactor
from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import Fact, Side, decode_fact
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import HELD_REQUEST_BYTES, SMALL_LINE_BYTES, Effects, Forward, Record, Relay

TEXT = {"content": [{"type": "text", "text": "done é🎉"}]}


def line(message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def request(id_: Any, method: str, **params: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


def result(id_: Any, value: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": id_, "result": value})


SESSION: list[tuple[Side, bytes]] = [
    ("server", b"Demo server 1.2\r\n\n"),
    ("client", request(0, "initialize", protocolVersion="2025-11-25", capabilities={})),
    ("server", result(0, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}})),
    ("client", line({"jsonrpc": "2.0", "method": "notifications/initialized"}) + request(1, "tools/list")),
    ("server", result(1, {"tools": [TOOL], "nextCursor": "p2"}) + line({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})),
    ("client", request("a-2", "tools/call", name="publish", arguments={"slug": "é"}, _meta={"progressToken": 3})),
    ("server", b'{"jsonrpc":"2.0","id":"a-2","result":{"content":[{"type":"text","text":"\xb0"}]}}\n'),
    ("server", line({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 3, "progress": 1}})),
    ("server", result("a-2", TEXT) + result("a-2", TEXT) + b"Content-Length: 12\r\n"),
    ("client", request(9, "server/discover", _meta=MODERN)),
    ("client", b'{"jsonrpc":"2.0","id":10,"meth'),
    ("server", result(9, {"supportedVersions": ["2026-07-28"], "capabilities": {}})[:-1]),
]


class Pipe:
    def __init__(self) -> None:
        self.relay = Relay(Observer("tickets", redactor()), Recorder("proxy", "s", "r"))
        self.entries: list[Entry] = []
        self.sent: dict[Side, bytes] = {"client": b"", "server": b""}
        self.take(self.relay.opened(0))

    def take(self, effects: Effects) -> Effects:
        for effect in effects:
            if isinstance(effect, Record):
                self.entries += effect.entries
            else:
                self.sent[effect.to] += effect.data
        return effects

    def feed(self, side: Side, chunks: Iterable[bytes]) -> None:
        for chunk in chunks:
            self.take(self.relay.receive(side, chunk, 1))

    def end(self) -> None:
        for side in ("client", "server"):
            self.take(self.relay.eof(side, 2))
        self.take(self.relay.exited(0, "server", 3))
        self.take(self.relay.close(4))

    @property
    def facts(self) -> list[Fact]:
        return [decode_fact(entry.kind, entry.data) for entry in self.entries]


def through(session: list[tuple[Side, bytes]], sizes: list[int]) -> Pipe:
    pipe = Pipe()
    for side, data in session:
        pipe.feed(side, cut(data, sizes))
    pipe.end()
    return pipe


@settings(max_examples=40)
@given(cuttings)
def test_any_cutting_gives_the_same_facts_and_the_same_bytes(sizes: list[int]) -> None:
    whole, pieces = through(SESSION, []), through(SESSION, sizes)
    assert pieces.facts == whole.facts
    for side, other in (("client", "server"), ("server", "client")):
        assert pieces.sent[other] == b"".join(data for each, data in SESSION if each == side)  # type: ignore[index]  # a Side
    assert len({fact.KIND for fact in whole.facts}) > 12


@pytest.mark.parametrize("sizes", [[], [1], [7, 4096], [65_536], [100_000, 3]])
def test_a_large_answer_is_told_of_the_same_however_it_comes(sizes: list[int]) -> None:
    big = {"content": [{"type": "text", "text": "x" * (SMALL_LINE_BYTES + 10)}]}
    session: list[tuple[Side, bytes]] = [
        ("client", request(7, "tools/call", name="publish", arguments={})),
        ("server", result(7, big)),
        ("client", request(8, "tools/call", name="publish", arguments={})),
        ("server", result(8, TEXT)),
    ]
    kinds = [fact.KIND for fact in through(session, sizes).facts]
    assert kinds == [
        "session.opened", "call.started", "call.arriving", "call.answered", "call.started", "call.answered", "session.closed",
        "evidence.closed",
    ]  # fmt: skip


def test_small_lines_are_held_until_they_are_whole_and_recorded() -> None:
    pipe = Pipe()
    call = request(7, "tools/call", name="publish", arguments={})
    assert pipe.relay.receive("client", call[:20], 1) == []
    effects = pipe.take(pipe.relay.receive("client", call[20:], 1))
    assert [type(effect) for effect in effects] == [Record, Forward]
    assert pipe.sent["server"] == call


def test_several_frames_of_one_read_share_one_record() -> None:
    pipe = Pipe()
    calls = b"".join(request(id_, "tools/call", name="publish", arguments={}) for id_ in range(5))
    record, forward = pipe.relay.receive("client", calls, 1)
    assert isinstance(record, Record)
    assert len(record.entries) == 5
    assert forward == Forward("server", calls)


def test_what_gives_no_fact_is_forwarded_without_a_record() -> None:
    pipe = Pipe()
    log = line({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
    assert pipe.relay.receive("server", log, 1) == [Forward("client", log)]
    assert pipe.relay.receive("server", b"", 1) == []


def test_a_large_answer_passes_as_it_arrives_after_the_record_that_it_does() -> None:
    pipe = Pipe()
    pipe.feed("client", [request(7, "tools/call", name="publish", arguments={})])
    answer = result(7, {"content": [{"type": "text", "text": "x" * 3 * SMALL_LINE_BYTES}]})
    start, middle, end = answer[: SMALL_LINE_BYTES + 1], answer[SMALL_LINE_BYTES + 1 : -5], answer[-5:] + result(8, TEXT)
    record, forward = pipe.relay.receive("server", start, 1)
    assert isinstance(record, Record)
    assert [entry.kind for entry in record.entries] == ["call.arriving"]
    assert forward == Forward("client", start)
    assert pipe.relay.receive("server", middle, 1) == [Forward("client", middle)]
    effects = pipe.relay.receive("server", end, 1)
    assert [type(effect) for effect in effects] == [Record, Forward, Record, Forward]
    assert b"".join(effect.data for effect in effects if isinstance(effect, Forward)) == end


def test_a_large_request_is_held_up_to_its_limit_and_passes_beyond_it() -> None:
    pipe = Pipe()
    call = request(7, "tools/call", name="publish", arguments={"slug": "x" * (HELD_REQUEST_BYTES - 1_000)})
    for position in range(0, len(call) - 1, 65_536):
        chunk = call[position : min(position + 65_536, len(call) - 1)]
        assert pipe.relay.receive("client", chunk, 1) == []
    record, forward = pipe.relay.receive("client", b"\n", 1)
    assert isinstance(record, Record)
    assert [entry.kind for entry in record.entries] == ["call.started"]
    assert forward == Forward("server", call)
    pipe = Pipe()
    huge = request(8, "tools/call", name="publish", arguments={"slug": "x" * (HELD_REQUEST_BYTES + 1_000)})
    pipe.feed("client", cut(huge, [65_536]))
    assert [fact.KIND for fact in pipe.facts] == ["session.opened", "call.arriving", "call.started"]
    assert pipe.sent["server"] == huge


def test_what_was_held_back_is_forwarded_at_the_end_of_file() -> None:
    pipe = Pipe()
    pipe.feed("server", [b'{"jsonrpc":"2.0","id":7,'])
    pipe.end()
    assert pipe.sent["client"] == b'{"jsonrpc":"2.0","id":7,'
    assert [fact.KIND for fact in pipe.facts] == ["session.opened", "wire.malformed", "session.closed", "evidence.closed"]


def test_the_log_is_a_chain_that_ends_once_with_count_and_head() -> None:
    pipe = through(SESSION, [])
    assert [entry.sequence for entry in pipe.entries] == list(range(len(pipe.entries)))
    last = pipe.facts[-1]
    assert last.KIND == "evidence.closed"
    assert last.count == len(pipe.entries) - 1  # type: ignore[attr-defined]  # an EvidenceClosed
    assert last.head == pipe.entries[-2].hash.hex()  # type: ignore[attr-defined]  # as above
    assert pipe.relay.close(9) == []


def test_gaps_and_signs_of_life_are_recorded_and_forward_nothing() -> None:
    pipe = Pipe()
    for effects, kind in ((pipe.relay.gap("store_full", 3, 5), "evidence.gap"), (pipe.relay.beat(6), "evidence.beat")):
        assert [entry.kind for effect in effects if isinstance(effect, Record) for entry in effect.entries] == [kind]
        assert not [effect for effect in effects if isinstance(effect, Forward)]
