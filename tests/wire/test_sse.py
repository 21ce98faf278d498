from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkings
from witnessmark.wire.jsonrpc import Result
from witnessmark.wire.sse import MAX_FIELD_BYTES, SseComment, SseEvent, SseItem, SseReader, SseTruncated


def read(pieces: list[bytes], limit: int = 1000) -> list[SseItem]:
    reader = SseReader(buffer_limit_bytes=limit)
    items = [item for piece in pieces for item in reader.feed(piece)]
    return items + reader.close()


def event(data: bytes | None, *, name: str = "", event_id: str | None = None, retry_ms: int | None = None) -> SseEvent:
    return SseEvent(data, len(data or b""), name, event_id, retry_ms, None)


@pytest.mark.parametrize(
    "stream, items",
    [
        (b"", []),
        (b"\n\n", []),
        (b"data: {}\n\n", [event(b"{}")]),
        (b"data:{}\r\n\r\n", [event(b"{}")]),
        (b"data:  two spaces\r\r", [event(b" two spaces")]),
        (b"event: message\nid: 5\ndata: a\ndata: b\n\n", [event(b"a\nb", name="message", event_id="5")]),
        (b"id: 1\ndata:\n\n", [event(b"", event_id="1")]),
        (b"id: 1\ndata\n\n", [event(b"", event_id="1")]),
        (b"retry: 500\n\n", [event(None, retry_ms=500)]),
        (b"retry: soon\nid: a\0b\nunknown: x\n\n", [event(None)]),
        (b": ping\n\n:\n", [SseComment(6), SseComment(1)]),
        (b"\xef\xbb\xbfdata: x\n\n", [event(b"x")]),
        (b"\xef\xbb\xbf: c\n", [SseComment(3)]),
        (b"data: x\n", [SseTruncated(1)]),
        (b"data: half", [SseTruncated(5)]),
        (b"data: a\r\ndata: b\r\n\r\n", [event(b"a\nb")]),
        (b"data: x\r\n\r\ndata: y\n\r\n", [event(b"x"), event(b"y")]),
    ],
)
def test_blocks_are_events_and_comments_are_seen(stream: bytes, items: list[SseItem]) -> None:
    assert read([stream]) == items
    assert read(chunkings.cut(stream, [1])) == items


def test_a_priming_event_carries_no_message() -> None:
    primed, full = read([b"id: 1\ndata:\n\nid: 2\ndata: {}\n\n"])

    assert isinstance(primed, SseEvent)
    assert isinstance(full, SseEvent)
    assert primed.priming
    assert not full.priming


@pytest.mark.parametrize("sizes", [[], [1], [7], [64, 3]])
def test_data_over_the_limit_keeps_only_its_envelope(sizes: list[int]) -> None:
    message = b'{"jsonrpc":"2.0","id":3,"result":{"content":"' + b"z" * 3000 + b'","isError":false}}'

    (item,) = read(chunkings.cut(b"\xef\xbb\xbfdata: " + message + b"\nid: 8\n\n", sizes), limit=100)

    assert isinstance(item, SseEvent)
    assert (item.data, item.size, item.id) == (None, len(message), "8")
    assert item.envelope is not None
    assert item.envelope.closed
    assert item.envelope.message() == Result("3", {"isError": False})


def test_many_data_lines_that_add_up_are_joined_by_newlines() -> None:
    lines = [
        b"data: {",
        *[b'data: "m%d": "x",' % number for number in range(200)],
        b'data: "id": 4, "jsonrpc": "2.0", "result": {}',
        b"data: }",
    ]

    (item,) = read([b"\n".join(lines) + b"\n\n"], limit=100)

    assert isinstance(item, SseEvent)
    assert item.envelope is not None
    assert item.envelope.closed
    assert item.envelope.message() == Result("4", {})


def test_memory_is_bounded_by_the_limits_whatever_the_lines() -> None:
    reader = SseReader(buffer_limit_bytes=1000)
    reader.feed(b"id: ")
    for _ in range(100):
        reader.feed(b"i" * 1000)
    assert len(reader._line) <= MAX_FIELD_BYTES
    reader.feed(b"\ndata: ")
    for _ in range(100):
        reader.feed(b"d" * 1000)

    assert len(reader._line) + len(reader._data) <= 2000


pieces = st.sampled_from(
    [
        b"data",
        b"data: x",
        b":",
        b" ",
        b"id: 1",
        b"event: e",
        b"retry: 10",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"x" * 30,
        "é".encode(),
        b"\0",
        b"\xef\xbb\xbf",
    ]
)


@given(st.lists(pieces, max_size=30).map(b"".join), chunkings.cuttings, st.sampled_from([1, 20, 1000]))
def test_any_cutting_of_the_same_bytes_gives_the_same_items(stream: bytes, sizes: list[int], limit: int) -> None:
    assert read(chunkings.cut(stream, sizes), limit) == read([stream], limit)


def test_the_space_after_the_colon_is_no_data_even_where_the_limit_is_reached_before_it() -> None:
    whole = read([b"data: xyz\n\n"], limit=4)

    assert isinstance(whole[0], SseEvent)
    assert whole[0].size == 3
    assert read(chunkings.cut(b"data: xyz\n\n", [1]), limit=4) == whole
