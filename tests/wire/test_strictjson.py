from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hostile_json
from witnessmark.wire.strictjson import MAX_DEPTH, SEARCHED_BYTES, Decoded, Finding, JsonFinding, JsonLimits, decode

VALUE_LESS = {JsonFinding.NOT_JSON, JsonFinding.INVALID_UTF8, JsonFinding.TOO_DEEP, JsonFinding.TOO_LARGE}


def kinds(decoded: Decoded) -> list[JsonFinding]:
    return [finding.kind for finding in decoded.findings]


@pytest.mark.parametrize(
    "text, value",
    [
        (b'{"a":1,"b":[true,null,"x"]}', {"a": 1, "b": [True, None, "x"]}),
        (b' { "a" : 1 , "b" :\t2 }\r\n', {"a": 1, "b": 2}),
        ('{"é":"日本 🎉"}'.encode(), {"é": "日本 🎉"}),
        (b'{"caf\\u00e9":"\\ud83c\\udf89"}', {"café": "🎉"}),
        (b'"\\\\ud800 is no escape"', "\\ud800 is no escape"),
        (b'{"a":"\\u0022:","b":": \\": "}', {"a": '":', "b": ': ": '}),
        (b"9007199254740993", 2**53 + 1),
        (b"1" + b"0" * 400, 10**400),
        (b"-0.0", -0.0),
        (b"1.0", 1.0),
    ],
)
def test_plain_json_is_its_value_without_findings(text: bytes, value: Any) -> None:
    decoded = decode(text)

    assert decoded == Decoded(value)
    assert type(decoded.value) is type(value)


@pytest.mark.parametrize(
    "text, finding",
    [
        (b"", Finding(JsonFinding.NOT_JSON, 0, "no text")),
        (b"  \r", Finding(JsonFinding.NOT_JSON, 3, "no text")),
        (b"Demo Server version : 1.2.3", Finding(JsonFinding.NOT_JSON, 0, "Expecting value")),
        (b"{'a': 1}", Finding(JsonFinding.NOT_JSON, 1, "Expecting property name enclosed in double quotes")),
        (b'{"a":1,}', Finding(JsonFinding.NOT_JSON, 7, "Expecting property name enclosed in double quotes")),
        ('{"é":1} {'.encode(), Finding(JsonFinding.NOT_JSON, 9, "Extra data")),
        (b'{"a":"tab\there"}', Finding(JsonFinding.NOT_JSON, 9, "Invalid control character at")),
        (b'{"a":"\xb0\xa1"}', Finding(JsonFinding.INVALID_UTF8, 6, "invalid start byte")),
        (b'{"a":"\xed\xa0\x80"}', Finding(JsonFinding.INVALID_UTF8, 6, "invalid continuation byte")),
        (b'\xff\xfe{\x00"\x00', Finding(JsonFinding.INVALID_UTF8, 0, "invalid start byte")),
        (b"[" * 200, Finding(JsonFinding.TOO_DEEP, MAX_DEPTH, "more levels than the limit")),
        (b"[" * 100_000, Finding(JsonFinding.TOO_DEEP, MAX_DEPTH, "more levels than the limit")),
    ],
)
def test_what_has_no_value_says_what_it_was_and_at_which_byte(text: bytes, finding: Finding) -> None:
    assert decode(text) == Decoded(None, (finding,), has_value=False)


def test_a_text_over_the_size_limit_is_not_decoded() -> None:
    limits = JsonLimits(max_bytes=10)

    assert decode(b'"12345678"', limits).value == "12345678"
    assert kinds(decode(b'"123456789"', limits)) == [JsonFinding.TOO_LARGE]


@pytest.mark.parametrize(
    "text, levels",
    [
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, MAX_DEPTH),
        (b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH, MAX_DEPTH),
        (b"[" + b",".join([b"{}"] * 500) + b"]", 2),
        (b'["' + b"[" * 500 + b'"]', 1),
        (b'["' + b"]{" * 500 + b'\\"","' + b'\\\\",[]]', 2),
    ],
)
def test_depth_counts_levels_and_not_brackets_or_text(text: bytes, levels: int) -> None:
    assert decode(text).has_value
    assert decode(text).findings == ()
    assert decode(text, JsonLimits(max_depth=levels)).has_value
    assert kinds(decode(text, JsonLimits(max_depth=levels - 1))) == [JsonFinding.TOO_DEEP]


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
def test_depth_is_limited_alike_in_texts_long_enough_to_be_searched_for_brackets(opening: bytes, closing: bytes) -> None:
    long = b'"' + b"x" * SEARCHED_BYTES + b'"'
    pairs = MAX_DEPTH // (opening.count(b"[") + opening.count(b"{"))
    assert decode(opening * pairs + long + closing * pairs).has_value
    assert kinds(decode(opening * (pairs + 1) + long + closing * (pairs + 1))) == [JsonFinding.TOO_DEEP]
    assert decode(b"[" + long + b",[]" * (2 * MAX_DEPTH) + b"]").has_value, "many brackets are not deep ones"


def test_a_caller_deep_in_its_own_stack_gets_a_finding_and_no_recursion_error() -> None:
    text = b"[" * MAX_DEPTH + b'{"a":1,"a":2}' + b"]" * MAX_DEPTH

    def fall(levels: int) -> Decoded:
        return decode(text, JsonLimits(max_depth=MAX_DEPTH + 1)) if levels == 0 else fall(levels - 1)

    depth_here = len(list(iter_frames()))
    decoded = fall(sys.getrecursionlimit() - depth_here - 40)

    assert kinds(decoded) == [JsonFinding.TOO_DEEP]


def iter_frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


@pytest.mark.parametrize(
    "text, value, at_envelope",
    [
        (b'{"id":1,"id":2}', {"id": 2}, True),
        (b'{"id":1, "id" :2}', {"id": 2}, True),
        (b'{"i\\u0064":1,"id":2}', {"id": 2}, True),
        (b'{"params":{"name":"a","name":"b"}}', {"params": {"name": "b"}}, True),
        (b'{"params":{"_meta":{"progressToken":1,"progressToken":2}}}', {"params": {"_meta": {"progressToken": 2}}}, True),
        (b'{"result":{"isError":true,"isError":false}}', {"result": {"isError": False}}, True),
        (b'{"error":{"code":1,"code":2}}', {"error": {"code": 2}}, True),
        (b'[{"id":1},{"id":1,"id":2}]', [{"id": 1}, {"id": 2}], True),
        (b'{"params":{"arguments":{"a":1,"a":2}}}', {"params": {"arguments": {"a": 2}}}, False),
        (b'{"result":{"tools":[{"name":"a","name":"b"}]}}', {"result": {"tools": [{"name": "b"}]}}, False),
        (b'{"id":1,"other":{"a":1,"a":2}}', {"id": 1, "other": {"a": 2}}, False),
    ],
)
def test_a_duplicate_name_keeps_the_last_value_and_says_whether_the_envelope_is_ambiguous(
    text: bytes, value: Any, at_envelope: bool
) -> None:
    decoded = decode(text)

    assert decoded.value == value
    assert kinds(decoded) == [JsonFinding.DUPLICATE_NAME]
    assert decoded.ambiguous is at_envelope
    assert all(type(part) in {dict, list, int, str, bool} for part in walk(decoded.value))


def walk(value: Any) -> Any:
    yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(part)


@pytest.mark.parametrize(
    "text, kind, offset",
    [
        (b'{"p":NaN}', JsonFinding.NOT_A_NUMBER, None),
        (b'{"p":-Infinity}', JsonFinding.NOT_A_NUMBER, None),
        (b'{"p":1e400}', JsonFinding.NUMBER_OUT_OF_RANGE, None),
        (b'{"p":' + b"9" * 5000 + b"}", JsonFinding.NUMBER_OUT_OF_RANGE, None),
        (b'{"p":"\\ud800"}', JsonFinding.LONE_SURROGATE, 6),
        (b'{"p":"\\\\\\uDC00\\ud83d"}', JsonFinding.LONE_SURROGATE, 8),
        (b'\xef\xbb\xbf{"p":1}', JsonFinding.BOM_BEFORE, 0),
    ],
)
def test_other_findings_name_the_oddity_and_keep_the_value(text: bytes, kind: JsonFinding, offset: int | None) -> None:
    decoded = decode(text)

    assert decoded.has_value
    assert list(decoded.value) == ["p"]
    assert [(finding.kind, finding.offset) for finding in decoded.findings] == [(kind, offset)]


def test_a_number_that_fits_nowhere_is_an_infinity_of_its_sign() -> None:
    assert decode(b"-" + b"9" * 5000).value == -math.inf
    assert math.isnan(decode(b"NaN").value)


def test_offsets_after_a_byte_order_mark_count_it() -> None:
    assert [finding.offset for finding in decode(b"\xef\xbb\xbf{]").findings] == [0, 4]


def test_several_oddities_are_all_named() -> None:
    found = kinds(decode(b'\xef\xbb\xbf{"a":NaN,"a":1e999,"b":"\\udc00"}'))

    assert found == [
        JsonFinding.BOM_BEFORE,
        JsonFinding.DUPLICATE_NAME,
        JsonFinding.NOT_A_NUMBER,
        JsonFinding.NUMBER_OUT_OF_RANGE,
        JsonFinding.LONE_SURROGATE,
    ]


def test_views_and_byte_arrays_are_read_too() -> None:
    assert decode(memoryview(b'{"a":1}')[0:7]).value == {"a": 1}
    assert decode(bytearray(b"[]")).value == []


class Twice(Exception):
    """A name stood twice in one object."""


def told_by_the_standard_library(text: str) -> Any:
    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(members)) != len(members):
            raise Twice
        return dict(members)

    return json.loads(text, object_pairs_hook=pairs)


def has_twins(text: bytes) -> bool:
    """Two names may become one on the way: a surrogate pair as two halves, and as the character that they spell."""
    try:
        told_by_the_standard_library(text.decode())
    except Twice:
        return True
    return False


# Texts written by hand, as it were: odd spaces, escapes where none are needed, names that stand twice.
spaces = st.sampled_from(["", "", " ", "\t", "\r\n", "  "])
strings = st.lists(
    st.sampled_from(["a", '\\"', ":", '\\":', "\\u0022", "\\u003a", "\\u0020", " ", "\\\\", "\\u00e9", "é", "{", "]"]), max_size=4
).map(lambda parts: '"' + "".join(parts) + '"')


def objects(members: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(spaces, strings, spaces, members, spaces).map(lambda m: f"{m[0]}{m[1]}{m[2]}:{m[0]}{m[3]}{m[4]}")
    return st.lists(member, max_size=4).map(lambda all_members: "{" + ",".join(all_members) + "}")


def arrays(members: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(spaces, members).map("".join), max_size=3).map(lambda all_members: "[" + ",".join(all_members) + "]")


texts = st.recursive(
    st.one_of(strings, st.sampled_from(["0", "-0", "1e5", "1.50", "null", "true"])),
    lambda m: st.one_of(objects(m), arrays(m)),
    max_leaves=8,
)


@given(texts)
@example('{"a" :1,"a":2,"b":"\\u0022:"}')
@example('{"a\\u0022:":1,"a":2,"a":3}')
def test_duplicates_are_found_exactly_where_the_standard_library_finds_them(text: str) -> None:
    decoded = decode(text.encode())

    try:
        expected = told_by_the_standard_library(text)
    except Twice:
        assert kinds(decoded) == [JsonFinding.DUPLICATE_NAME]
        assert decoded.value == json.loads(text)
    else:
        assert decoded == Decoded(expected)
        assert repr(decoded.value) == repr(expected)


@given(hostile_json.values, st.booleans())
@example({"\U0001f600": None, "\ud83d\ude00": None}, True)
def test_any_value_comes_back_as_it_was_written(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")

    decoded = decode(text)

    if decoded.has_value:
        assert repr(decoded.value) == repr(json.loads(text))
        assert set(kinds(decoded)) <= {JsonFinding.LONE_SURROGATE, JsonFinding.DUPLICATE_NAME}
        assert (JsonFinding.DUPLICATE_NAME in kinds(decoded)) is has_twins(text)
    else:
        assert kinds(decoded) == [JsonFinding.INVALID_UTF8]  # a raw half of a surrogate pair


@given(st.one_of(st.binary(max_size=60), st.text(alphabet='{}[]":,\\u0d8e-1 \nNaIfinty', max_size=40).map(str.encode)))
def test_any_bytes_have_a_value_or_a_finding_and_nothing_is_raised(data: bytes) -> None:
    decoded = decode(data)

    assert decoded.has_value is not bool(VALUE_LESS & set(kinds(decoded)))
    for finding in decoded.findings:
        assert finding.offset is None or 0 <= finding.offset <= len(data)
