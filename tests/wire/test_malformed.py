"""Every kind of malformed input that users reported, from bytes to the name it gets on the wire layer."""

from __future__ import annotations

import pytest

from witnessmark.wire.jsonrpc import Batch, EnvelopeFinding, Error, Invalid, Message, Request, Result, coerced_equal, parse
from witnessmark.wire.lines import HeaderLine, Line, LineReader
from witnessmark.wire.strictjson import Decoded, JsonFinding, decode

INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n'


def decoded_lines(stream: bytes) -> list[Decoded]:
    return [decode(frame.data) for frame in LineReader().feed(stream) if isinstance(frame, Line)]


def messages(stream: bytes) -> list[Message]:
    return [parse(decoded.value) for decoded in decoded_lines(stream) if decoded.has_value]


def test_a_banner_before_the_first_message_is_no_json_and_the_session_goes_on() -> None:
    banner, first = decoded_lines(b"Demo Server version : 1.2.3\n" + INITIALIZE)

    assert [finding.kind for finding in banner.findings] == [JsonFinding.NOT_JSON]
    assert parse(first.value) == Request("0", "initialize", {})


@pytest.mark.parametrize(
    "asked, answered",
    [
        (b'{"jsonrpc":"2.0","id":"1","method":"initialize"}\n', b'{"jsonrpc":"2.0","id":1,"result":{}}\n'),
        (b'{"jsonrpc":"2.0","id":0,"method":"tools/list"}\n', b'{"jsonrpc":"2.0","id":"0","result":{}}\n'),
    ],
)
def test_an_id_that_changed_its_type_is_another_id_with_equal_digits(asked: bytes, answered: bytes) -> None:
    request, result = messages(asked + answered)

    assert isinstance(request, Request)
    assert isinstance(result, Result)
    assert request.id != result.id
    assert coerced_equal(request.id, result.id)


def test_bytes_of_a_code_page_are_invalid_utf8_at_their_offset() -> None:
    (line,) = decoded_lines(b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\xb0\xa1\xb3\xaa"}]}}\n')

    assert [(finding.kind, finding.offset) for finding in line.findings] == [(JsonFinding.INVALID_UTF8, 68)]
    assert not line.has_value


def test_characters_split_over_chunks_are_whole_again() -> None:
    text = '{"jsonrpc":"2.0","id":3,"result":{"text":"é🎉"}}\n'.encode()
    reader = LineReader()

    frames = [frame for at in range(len(text)) for frame in reader.feed(text[at : at + 1])]

    assert frames == [Line(text[:-1], crlf=False, offset=0)]
    assert isinstance(frames[0], Line)
    assert decode(frames[0].data).value["result"]["text"] == "é🎉"


def test_crlf_is_accepted_and_told() -> None:
    (frame,) = LineReader().feed(b'{"jsonrpc":"2.0","id":0,"result":{}}\r\n')

    assert isinstance(frame, Line)
    assert frame.crlf
    assert parse(decode(frame.data).value) == Result("0", {})


def test_result_and_error_together_are_no_success() -> None:
    (message,) = messages(b'{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":{"code":-32603,"message":"injected"}}\n')

    assert message == Invalid(EnvelopeFinding.BOTH_RESULT_AND_ERROR, "1", None, has_result=True, has_error=True)


def test_neither_result_nor_error_is_no_success() -> None:
    (message,) = messages(b'{"jsonrpc":"2.0","id":1}\n')

    assert message == Invalid(EnvelopeFinding.NEITHER_RESULT_NOR_ERROR, "1")


def test_an_error_to_nobody_is_an_error_without_an_id() -> None:
    (message,) = messages(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"tool exploded"}}\n')

    assert message == Error(None, -32603, None, message_present=True)


def test_a_batch_is_a_batch_and_old_versions_are_advisories() -> None:
    batch, old, bare = messages(
        b'[{"jsonrpc":"2.0","id":2,"method":"ping"}]\n{"jsonrpc":"1.0","id":4,"method":"ping"}\n{"id":5,"method":"ping"}\n'
    )

    assert batch == Batch((Request("2", "ping", {}),))
    assert old == Request("4", "ping", {}, (EnvelopeFinding.WRONG_JSONRPC_VERSION,))
    assert bare == Request("5", "ping", {}, (EnvelopeFinding.NO_JSONRPC_VERSION,))


def test_header_framing_is_recognised_by_name() -> None:
    reader = LineReader()
    frames = reader.feed(b'Content-Length: 46\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}')

    assert isinstance(frames[0], HeaderLine)
    assert reader.pending == 46
