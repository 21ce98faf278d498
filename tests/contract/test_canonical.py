from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import hostile_json
from witnessmark.contract import canonical
from witnessmark.contract.canonical import MAX_DEPTH_LEVELS, canonical_bytes
from witnessmark.errors import PeerError


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


def numbers_made_comparable(value: Any) -> Any:
    """Equality of JSON values: True is not 1, texts are sequences of UTF-16 code units."""
    if isinstance(value, str):
        return ("text", value.encode("utf-16-be", "surrogatepass"))
    if value is None or isinstance(value, bool):
        return ("word", value)
    if isinstance(value, (int, float)):
        return ("number", value)
    if isinstance(value, list):
        return ("list", [numbers_made_comparable(item) for item in value])
    return ("object", {numbers_made_comparable(name): numbers_made_comparable(member) for name, member in value.items()})


def looks_like_the_mapping(value: Any) -> bool:
    if isinstance(value, list):
        return any(looks_like_the_mapping(item) for item in value)
    if isinstance(value, dict):
        return any(name.startswith("$jcs1:") or looks_like_the_mapping(member) for name, member in value.items())
    return False


@pytest.mark.parametrize(
    "value, form",
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
        ({"\u20ac": 1, "\U0001f600": 2, "\ufb33": 3}, '{"\u20ac":1,"\U0001f600":2,"\ufb33":3}'),
        ({"a": 1.0}, '{"a":1}'),
        ({"a": -0.0}, '{"a":0}'),
        ("\u0001\n\u007f/", '"\\u0001\\n\u007f/"'),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (2**53 - 1, "9007199254740991"),
        (2**53, "9007199254740992"),
        (2**53 + 1, '{"$jcs1:integer":"9007199254740993"}'),
        (-(2**63) + 1, '{"$jcs1:integer":"-9223372036854775807"}'),
        (2**64, "18446744073709552000"),
        ("a\ud800", '{"$jcs1:utf16":"0061d800"}'),
        ({"\udc00": 1}, '{"$jcs1:name:dc00":1}'),
        ({"$jcs1:integer": "1"}, '{"$jcs1:name:0024006a006300730031003a0069006e00740065006700650072":"1"}'),
        ("$jcs1:integer", '"$jcs1:integer"'),
        ("\ud83d\ude00", '"\U0001f600"'),
    ],
)
def test_the_form_of_a_value_is_known(value: Any, form: str) -> None:
    assert canonical_bytes(value) == form.encode()


@given(hostile_json.values)
def test_where_rfc_8785_takes_a_value_the_form_is_exactly_its_form(value: Any) -> None:
    assume(not looks_like_the_mapping(value))
    try:
        expected = rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        reject()
    assert canonical_bytes(value) == expected


@given(hostile_json.values)
def test_the_fast_path_never_differs_from_the_slow_one(value: Any) -> None:
    slow = rfc8785.dumps(canonical._mapped(value, MAX_DEPTH_LEVELS))
    assert canonical_bytes(value) == slow


@given(hostile_json.values, hostile_json.values)
def test_two_values_have_one_form_exactly_if_they_are_equal(left: Any, right: Any) -> None:
    equal = numbers_made_comparable(left) == numbers_made_comparable(right)
    assert (canonical_bytes(left) == canonical_bytes(right)) == equal


@given(hostile_json.values)
def test_no_value_can_be_written_that_has_the_form_of_a_mapped_one(value: Any) -> None:
    form = canonical_bytes(value)
    imitation = json.loads(form)
    same = numbers_made_comparable(imitation) == numbers_made_comparable(value)
    assert same or canonical_bytes(imitation) != form


@given(hostile_json.values)
def test_the_form_is_json_in_utf_8_and_its_own_order_does_not_matter(value: Any) -> None:
    form = canonical_bytes(value)
    json.loads(form.decode("utf-8"))
    if isinstance(value, dict):
        assert canonical_bytes(dict(reversed(value.items()))) == form


@given(st.dictionaries(st.text(st.characters(min_codepoint=0xE000, max_codepoint=0x10010)), st.integers(0, 3)))
def test_names_are_ordered_by_utf_16_code_units(value: dict[str, int]) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value, says",
    [
        (float("nan"), "NaN or an infinity"),
        ({"a": [float("inf")]}, "NaN or an infinity"),
        ({1: "a"}, "a member name that is not a string"),
        ({None: "a"}, "a member name that is not a string"),
        ((1, 2), "a tuple"),
        ({"a": b"x"}, "a bytes"),
        ({"a": {1, 2}}, "a set"),
        (nested(MAX_DEPTH_LEVELS + 1), "128 levels"),
        ([10**5000], "14000 bits"),
        ({"\U0001f600": 1, "\ud83d\ude00": 2}, "one member name twice"),
    ],
)
def test_what_is_not_json_is_an_ambiguous_contract_of_the_peer(value: Any, says: str) -> None:
    with pytest.raises(PeerError, match="ambiguous contract") as caught:
        canonical_bytes(value)
    assert says in caught.value.message


def test_the_deepest_value_still_has_a_form() -> None:
    assert canonical_bytes(nested(MAX_DEPTH_LEVELS)) == b"[" * MAX_DEPTH_LEVELS + b"0" + b"]" * MAX_DEPTH_LEVELS
