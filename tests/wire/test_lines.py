from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkings
from witnessmark.wire.envelope import Envelope
from witnessmark.wire.jsonrpc import Request
from witnessmark.wire.lines import BigLineEnded, BigLineStarted, Frame, HeaderLine, Line, LineReader, Truncated

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def read(pieces: list[bytes], limit: int = 100) -> list[Frame]:
    reader = LineReader(buffer_limit_bytes=limit)
    frames = [frame for piece in pieces for frame in reader.feed(piece)]
    return frames + reader.close()


@pytest.mark.parametrize(
    "stream, frames",
    [
        (b"", []),
        (PING + b"\n", [Line(PING, crlf=False, offset=0)]),
        (PING + b"\r\n", [Line(PING, crlf=True, offset=0)]),
        (b"a\n\nb\r\n", [Line(b"a", crlf=False, offset=0), Line(b"", crlf=False, offset=2), Line(b"b", crlf=True, offset=3)]),
        (b"a\rb\n", [Line(b"a\rb", crlf=False, offset=0)]),
        (b"a\nrest", [Line(b"a", crlf=False, offset=0), Truncated(b"rest", 4, 2, None)]),
        (b"Content-Length: 46\r\n\r\n", [HeaderLine(18, crlf=True, offset=0), Line(b"", crlf=True, offset=20)]),
        (b"content-type: application/vscode-jsonrpc\n", [HeaderLine(40, crlf=False, offset=0)]),
        (b"Content of a log line\n", [Line(b"Content of a log line", crlf=False, offset=0)]),
    ],
)
def test_lines_are_frames_and_other_framing_has_a_name(stream: bytes, frames: list[Frame]) -> None:
    assert read([stream]) == frames


def test_a_line_says_where_the_next_one_starts() -> None:
    first, second = read([b"abc\r\nde\n"])

    assert isinstance(first, Line)
    assert isinstance(second, Line)
    assert first.end_offset == second.offset == 5
    assert second.end_offset == 8


def test_a_line_over_the_limit_keeps_only_its_envelope() -> None:
    big = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"x":"' + b"y" * 300 + b'"}}}'

    started, ended, after = read([big[:150], big[150:] + b"\r\n" + PING + b"\n"])

    assert started == BigLineStarted(0)
    assert isinstance(ended, BigLineEnded)
    assert (ended.size, ended.crlf, ended.offset) == (len(big), True, 0)
    assert ended.envelope.message() == Request("1", "tools/call", {"name": "write"})
    assert after == Line(PING, crlf=False, offset=len(big) + 2)


def test_the_limit_itself_is_still_a_whole_line() -> None:
    assert read([b"x" * 100 + b"\n"]) == [Line(b"x" * 100, crlf=False, offset=0)]
    assert read([b"x" * 100, b"\n"]) == [Line(b"x" * 100, crlf=False, offset=0)]
    assert isinstance(read([b"x" * 101 + b"\n"])[0], BigLineStarted)
    assert isinstance(read([b"x" * 100, b"x", b"\n"])[0], BigLineStarted)


def test_only_a_cr_right_before_the_lf_belongs_to_the_end_of_a_big_line() -> None:
    _, ended = read([b"x" * 200 + b"\r", b"y", b"\n"])

    assert isinstance(ended, BigLineEnded)
    assert (ended.size, ended.crlf) == (202, False)


def test_a_big_line_that_never_ends_is_truncated_with_its_envelope() -> None:
    _, cut = read([b'{"jsonrpc":"2.0","id":9,"result":{"a":"' + b"y" * 300])

    assert isinstance(cut, Truncated)
    assert cut.data is None
    assert cut.envelope is not None
    assert not cut.envelope.closed
    assert cut.envelope.skeleton == {"jsonrpc": "2.0", "id": 9, "result": {}}


def test_what_is_arriving_is_known_by_its_size_and_its_id_before_it_ends() -> None:
    reader = LineReader()
    reader.feed(PING + b"\n" + b'{"jsonrpc":"2.0","id":"r1","result":{"content":[{"text":"' + b"y" * 70_000)

    assert reader.pending > 70_000
    assert reader.pending_offset == len(PING) + 1
    envelope = reader.pending_envelope()
    assert isinstance(envelope, Envelope)
    assert envelope.skeleton == {"jsonrpc": "2.0", "id": "r1", "result": {}}
    reader.feed(b"\n")
    assert reader.pending == 0


def test_a_big_line_is_known_by_all_that_came_of_it() -> None:
    reader = LineReader(buffer_limit_bytes=50)
    reader.feed(b'{"result":{"a":"' + b"y" * 70 + b'"},"id":')
    assert "id" not in reader.pending_envelope().skeleton

    reader.feed(b"12}")

    assert reader.pending_envelope().skeleton == {"result": {}, "id": 12}


def test_memory_is_bounded_by_the_limit_whatever_the_line() -> None:
    reader = LineReader(buffer_limit_bytes=1000)
    for _ in range(500):
        reader.feed(b'["' * 2 + b"z" * 996)

    assert len(reader._so_far()) <= 1000
    assert reader.pending == 500_000


def test_offsets_go_on_counting_after_a_close() -> None:
    reader = LineReader()
    reader.feed(b"abc")
    reader.close()

    assert reader.close() == []
    assert reader.feed(b"d\n") == [Line(b"d", crlf=False, offset=3)]


lines = st.lists(
    st.one_of(
        st.binary(max_size=80),
        st.sampled_from(
            [PING, b"", b"\r", b"Content-Length: 3\r", b'{"id":"' + b"a" * 60 + b'","x":"\\"\xc3\xa9"}\r', "é🎉".encode() * 10]
        ),
    ),
    max_size=6,
).map(b"\n".join)


@given(lines, chunkings.cuttings, st.sampled_from([1, 20, 40, 1000]))
def test_any_cutting_of_the_same_bytes_gives_the_same_frames(stream: bytes, sizes: list[int], limit: int) -> None:
    whole = read([stream], limit)

    assert read(chunkings.cut(stream, sizes), limit) == whole
    if limit == 1000:
        back = b"".join(
            frame.data + (b"\r" if frame.crlf else b"") + b"\n" if isinstance(frame, Line) else frame.data or b""
            for frame in whole
            if isinstance(frame, Line | Truncated)
        )
        assert back == stream or any(isinstance(frame, HeaderLine) for frame in whole)
