"""Bytes that are not the protocol: named, sized, and fatal exactly where a message may be lost in them."""

from __future__ import annotations

import pytest

from observe_scene import Scene, kinds, only
from witnessmark.model.evidence import CallAnswered, WireMalformed
from witnessmark.observe.channel import MAX_JUNK_FACTS

ANSWER = b'{"jsonrpc":"2.0","id":7,"result":{"content":[%s]}}'


@pytest.mark.parametrize(
    "line,finding,fatal",
    [
        (b"Demo Server version : 1.2.3", "JunkLine", False),
        (b"\xff\xfe latin text", "JunkLine", False),
        (b"[INFO] started", "JunkLine", False),
        (b"42", "JunkLine", False),
        (b'{"level":"info","id":7}', "JunkLine", False),
        (b'{"jsonrpc":"2.0","id":7,"result":', "NotJson", True),
        (b'{"jsonrpc":"2.0","id":7,"result":{"t":"\xb0\xa1"}}', "InvalidUtf8", True),
        (b'{"jsonrpc":"2.0","id":7}{"jsonrpc":"2.0","id":8}', "NotJson", True),
        (b"[" * 200 + b"]" * 200, "TooDeep", True),
        (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', "NullId", True),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', "FractionalId", True),
        (b'{"jsonrpc":"2.0","id":7,"method":"x","result":{}}', "RequestAndResponse", True),
        (b'"jsonrpc"', "NotAnObject", True),
        (b"[]", "JunkLine", False),
    ],
)
def test_a_line_that_is_no_message_is_named(line: bytes, finding: str, fatal: bool) -> None:
    scene = Scene()
    malformed = only(scene.observer.line("0", "server", line), WireMalformed)
    assert (malformed.finding, malformed.fatal, malformed.side) == (finding, fatal, "server")
    assert malformed.size_bytes == len(line)


def test_the_place_of_invalid_utf_8_is_kept_and_the_bytes_are_not() -> None:
    malformed = only(Scene().observer.line("0", "server", b'{"jsonrpc":"2.0","id":"\xb0"}'), WireMalformed)
    assert malformed.offset == 23


@pytest.mark.parametrize("line", [b"", b"   ", b"\t"])
def test_blank_lines_are_nothing(line: bytes) -> None:
    assert Scene().observer.line("0", "server", line) == []


@pytest.mark.parametrize(
    "block,finding",
    [
        (b'{"type":"text","text":"\\ud800"}', "LoneSurrogate"),
        (b'{"type":"text","n":NaN}', "NotANumber"),
        (b'{"type":"text","n":1e999}', "NumberOutOfRange"),
        (b'{"type":"text","x":{"a":1,"a":2}}', "DuplicateName"),
    ],
)
def test_a_message_that_is_off_inside_is_observed_with_an_advisory(block: bytes, finding: str) -> None:
    scene = Scene()
    scene.call(7)
    facts = scene.server(ANSWER % block)
    malformed = only(facts, WireMalformed)
    assert (malformed.finding, malformed.fatal) == (finding, False)
    assert only(facts, CallAnswered).outcome == "result"


def test_an_envelope_that_can_be_read_in_two_ways_is_a_loss_and_still_observed() -> None:
    scene = Scene()
    scene.call(7)
    facts = scene.server(b'{"jsonrpc":"2.0","id":7,"id":7,"result":{"content":[]}}')
    malformed = only(facts, WireMalformed)
    assert (malformed.finding, malformed.fatal) == ("DuplicateName", True)
    assert only(facts, CallAnswered).id == "7"


def test_crlf_is_told_once_for_each_side() -> None:
    scene = Scene()
    line = b'{"jsonrpc":"2.0","method":"notifications/message"}'
    facts = [scene.observer.line("0", side, line, crlf=True) for side in ("server", "server", "client")]
    assert [kinds(each) for each in facts] == [["wire.malformed"], [], ["wire.malformed"]]
    assert only(facts[0], WireMalformed).finding == "CrlfLineEnd"


@pytest.mark.parametrize(
    "message,finding",
    [
        ({"jsonrpc": "1.0", "id": 7, "result": {"content": []}}, "WrongJsonRpcVersion"),
        ({"id": 7, "result": {"content": []}}, "NoJsonRpcVersion"),
    ],
)
def test_a_wrong_version_of_json_rpc_is_told_once_and_joined_all_the_same(message: dict[str, object], finding: str) -> None:
    scene = Scene()
    for times in (1, 0):
        scene.call(7)
        facts = scene.server(message)
        assert kinds(facts).count("wire.malformed") == times
        assert only(facts, CallAnswered).outcome == "result"
    assert only(scene.facts, WireMalformed).finding == finding
    assert not only(scene.facts, WireMalformed).fatal


def test_header_framing_is_recognised_once() -> None:
    scene = Scene()
    malformed = only(scene.observer.header_line("0", "client", 18), WireMalformed)
    assert (malformed.finding, malformed.fatal) == ("ContentLengthFraming", True)
    assert scene.observer.header_line("0", "client", 18) == []


def test_endless_junk_does_not_fill_the_log_and_its_bytes_are_all_counted() -> None:
    scene = Scene()
    facts = [fact for _ in range(5 * MAX_JUNK_FACTS) for fact in scene.observer.line("0", "server", b"junk")]
    assert len(facts) == MAX_JUNK_FACTS + 4
    assert sum(fact.size_bytes for fact in facts if isinstance(fact, WireMalformed)) == 5 * MAX_JUNK_FACTS * 4


@pytest.mark.parametrize("version,expected", [("2025-03-26", []), ("2025-06-18", ["BatchNotAllowed"])])
def test_a_batch_is_observed_member_by_member(version: str, expected: list[str]) -> None:
    scene = Scene()
    scene.initialize(version)
    asked = scene.client(
        [{"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": "publish", "arguments": {}}} for id_ in (1, 2)]
    )
    assert [fact.finding for fact in asked if isinstance(fact, WireMalformed)] == expected
    assert not [fact for fact in asked if isinstance(fact, WireMalformed) and fact.fatal]
    assert kinds(asked).count("call.started") == 2
    answered = scene.server([{"jsonrpc": "2.0", "id": id_, "result": {"content": []}} for id_ in (2, 1)])
    assert [fact.id for fact in answered if isinstance(fact, CallAnswered)] == ["2", "1"]
    assert [fact.fatal for fact in answered if isinstance(fact, WireMalformed)] == [True for _ in expected]


def test_a_request_with_params_of_the_wrong_shape_is_still_a_request() -> None:
    scene = Scene()
    facts = scene.client({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ["publish"]})
    malformed = only(facts, WireMalformed)
    assert (malformed.finding, malformed.fatal) == ("ParamsByPosition", False)
    assert only(scene.fail(7, -32602), CallAnswered).code == -32602


def test_a_last_line_without_an_end_is_a_message_if_it_is_whole() -> None:
    scene = Scene()
    scene.call(7)
    whole = ANSWER % b""
    assert only(scene.observer.truncated("0", "server", whole, len(whole)), CallAnswered).outcome == "result"
    cut = only(scene.observer.truncated("0", "server", whole[:-1], len(whole) - 1), WireMalformed)
    assert (cut.finding, cut.fatal) == ("TruncatedLine", True)
    assert only(scene.observer.truncated("0", "server", b"Terminated", 10), WireMalformed).finding == "JunkLine"
    assert only(scene.observer.truncated("0", "server", None, 9), WireMalformed).fatal


def test_a_frame_too_big_to_decode_that_is_not_json_is_a_loss() -> None:
    scene = Scene()
    malformed = [fact for fact in scene.server(b'{"jsonrpc":"2.0","id":7,' + b"x" * 5_000_000) if isinstance(fact, WireMalformed)]
    assert any(fact.fatal for fact in malformed)
