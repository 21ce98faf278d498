from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import chunkings
import hostile_json
from witnessmark.wire.bigframe import MAX_TOKEN_BYTES, BigFrameScanner
from witnessmark.wire.envelope import FOLLOWED, PRESENCE_ONLY, WANTED, Envelope
from witnessmark.wire.jsonrpc import Batch, EnvelopeFinding, Error, Invalid, Request, Result, parse
from witnessmark.wire.strictjson import MAX_DEPTH, JsonFinding, decode


def scan(data: bytes, sizes: list[int] | None = None) -> Envelope:
    scanner = BigFrameScanner()
    for piece in chunkings.cut(data, sizes or []):
        scanner.feed(piece)
    return scanner.envelope()


def scan_both_ways(data: bytes) -> Envelope:
    whole = scan(data)
    assert scan(data, [1]) == whole
    return whole


def test_a_result_is_known_by_id_and_flags_and_none_of_its_content_is_kept() -> None:
    text = (
        b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"text":"SECRET"}],"isError":true,"resultType":"complete","_meta":{"k":"SECRET"}}}'
    )

    envelope = scan_both_ways(text)

    assert envelope.closed
    assert envelope.message() == Result("7", {"isError": True, "resultType": "complete"})
    assert envelope.has_result
    assert not envelope.has_error
    assert "SECRET" not in repr(envelope)


def test_a_request_is_known_by_method_tool_and_token() -> None:
    text = b"""{ "method" : "tools/call", "params" : { "arguments" : {"name": "SECRET", "_meta": [1, {"a": "]}"}]},
        "name" : "caf\\u00e9", "_meta" : { "progressToken" : "7", "io.modelcontextprotocol/protocolVersion": "2026-07-28", "x": {} } },
        "id" : "a-1", "jsonrpc" : "2.0" } \r"""

    params = {"name": "café", "_meta": {"progressToken": "7", "io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    assert scan_both_ways(text).message() == Request('"a-1"', "tools/call", params)
    assert "SECRET" not in repr(scan(text))


def test_an_error_is_known_by_its_code_and_its_text_is_not_kept() -> None:
    envelope = scan_both_ways(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"SECRET","data":"SECRET"}}')

    assert envelope.message() == Error(None, -32603, None, message_present=True)
    assert "SECRET" not in repr(envelope)


@pytest.mark.parametrize(
    "text, reason",
    [
        (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', EnvelopeFinding.BOTH_RESULT_AND_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"error":"SECRET"}', EnvelopeFinding.ERROR_NOT_AN_OBJECT),
        (b'{"jsonrpc":"2.0","id":{"a":1},"result":{}}', EnvelopeFinding.BAD_ID),
        (b'{"jsonrpc":"2.0","id":1.5,"result":{}}', EnvelopeFinding.FRACTIONAL_ID),
        (b'{"jsonrpc":"2.0","id":1,"method":["x"]}', EnvelopeFinding.BAD_METHOD),
        (b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * MAX_TOKEN_BYTES + b'"}', EnvelopeFinding.BAD_METHOD),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', EnvelopeFinding.EMPTY_BATCH),
    ],
)
def test_a_big_frame_is_judged_like_a_small_one(text: bytes, reason: EnvelopeFinding) -> None:
    message = scan_both_ways(text).message()

    assert isinstance(message, Invalid)
    assert message.reason is reason


@pytest.mark.parametrize(
    "text, kind, offset",
    [
        (b"not json at all", JsonFinding.NOT_JSON, 0),
        (b'"text"', JsonFinding.NOT_JSON, 0),
        (b'{"id":1', None, None),
        (b'{"id":1}x', JsonFinding.NOT_JSON, 8),
        (b'{"id":1}{}', JsonFinding.NOT_JSON, 8),
        (b'{"id":1]', JsonFinding.NOT_JSON, 7),
        (b'{"id" 1}', JsonFinding.NOT_JSON, 6),
        (b'{"id":1,}', JsonFinding.NOT_JSON, 8),
        (b'{"id":}', JsonFinding.NOT_JSON, 6),
        (b"{id:1}", JsonFinding.NOT_JSON, 1),
        (b'{"id":1 2}', JsonFinding.NOT_JSON, 8),
        (b'{"id":01}', JsonFinding.NOT_JSON, None),
        (b'{"id":1,,"x":2}', JsonFinding.NOT_JSON, 8),
        (b'{"result":{"a":[1,{]}}', JsonFinding.NOT_JSON, 19),
        (b'{"result":"a\x01"}', JsonFinding.NOT_JSON, 12),
        (b'{"result":{"a":"\xff\xfe"}}', JsonFinding.INVALID_UTF8, 16),
        (b'{"result":' + b"[" * 200, JsonFinding.TOO_DEEP, 10 + MAX_DEPTH - 1),
    ],
)
def test_what_is_broken_has_a_name_and_a_place(text: bytes, kind: JsonFinding | None, offset: int | None) -> None:
    envelope = scan_both_ways(text)

    assert not envelope.closed or kind is JsonFinding.INVALID_UTF8
    assert [finding.kind for finding in envelope.findings] == ([kind] if kind else [])
    if offset is not None:
        assert envelope.findings[0].offset == offset


def test_a_character_cut_off_at_the_end_of_the_frame_leaves_it_open() -> None:
    assert not scan(b'{"id":1} \xc3').closed


@pytest.mark.parametrize(
    "text, ambiguous",
    [
        (b'{"id":1,"i\\u0064":2}', True),
        (b'{"result":{"isError":true,"isError":false}}', True),
        (b'{"result":{},"result":{}}', True),
        (b'{"params":{"_meta":{"progressToken":1,"progressToken":2}}}', True),
        (b'{"result":{"content":[{"a":1,"a":2}]}}', False),
    ],
)
def test_an_envelope_member_that_stands_twice_is_found(text: bytes, ambiguous: bool) -> None:
    assert scan_both_ways(text).ambiguous is ambiguous


def test_a_small_memory_holds_a_frame_of_any_shape() -> None:
    scanner = BigFrameScanner()
    scanner.feed(b'{"' + b"k" * 100_000)
    assert len(scanner._capture or b"") == MAX_TOKEN_BYTES + 1
    scanner.feed(b'":1,')
    for number in range(1000):
        scanner.feed(b'"m%d":%d,' % (number, number))
    scanner.feed(b'"id":3,"result":"' + b"\\n" * 100_000 + b'"}')

    envelope = scanner.envelope()

    assert envelope.closed
    assert set(envelope.skeleton) == {"id", "result"}
    assert envelope.size == scanner.size


def skeleton_of(value: Any, path: tuple[str, ...] = ()) -> Any:
    """What the scanner is to keep, told from the whole value."""
    if isinstance(value, dict):
        if path and path not in FOLLOWED:
            return {}
        return {name: skeleton_of(member, (*path, name)) for name, member in value.items() if (*path, name) in WANTED}
    if isinstance(value, list):
        return []
    return "" if path in PRESENCE_ONLY and isinstance(value, str) else value


names = st.sampled_from(
    ["jsonrpc", "id", "method", "params", "result", "error", "isError", "resultType", "code", "message", "name", "_meta", 'x\\"é']
)
inner = st.recursive(
    hostile_json.leaves,
    lambda m: st.one_of(st.lists(m, max_size=3), st.dictionaries(st.one_of(names, hostile_json.texts), m, max_size=4)),
    max_leaves=10,
)
frames = st.dictionaries(names, st.one_of(inner, st.dictionaries(names, inner, max_size=4)), max_size=6)


@given(frames, chunkings.cuttings, st.sampled_from([None, 1]), st.booleans())
@example({"id": 1, "result": {"a": '\\\\" '}}, [1], None, True)
def test_the_skeleton_is_the_value_with_all_else_left_out(
    frame: dict[str, Any], sizes: list[int], indent: int | None, ascii_only: bool
) -> None:
    data = json.dumps(frame, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    decoded = decode(data)

    envelope = scan(data, sizes)

    assert envelope == scan(data)
    if decoded.has_value:
        assert envelope.closed
        assert repr(envelope.skeleton) == repr(skeleton_of(decoded.value))
        whole, big = parse(decoded.value), envelope.message()
        assert type(whole) is type(big)
        assert not isinstance(whole, Batch)


@given(st.one_of(st.binary(max_size=80), st.text(alphabet='{}[]":,\\u0d8é 1e\n', max_size=50).map(str.encode)), chunkings.cuttings)
def test_any_bytes_are_scanned_alike_in_any_cutting_and_nothing_is_raised(data: bytes, sizes: list[int]) -> None:
    envelope = scan(data, sizes)

    assert envelope == scan(data)
    if decode(data).has_value and data.lstrip()[:1] == b"{":
        assert envelope.closed


@given(frames, st.data())
def test_a_frame_that_lost_its_end_is_never_closed(frame: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(frame).encode()

    assert not scan(text[: data.draw(st.integers(0, len(text) - 1))]).closed
