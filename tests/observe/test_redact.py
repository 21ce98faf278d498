"""The door: what is kept literally, what is hashed, and that hashes join only what is equal."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observe_scene import redactor
from witnessmark.observe.redact import MAX_NAME_CHARS, Purpose, Redactor, canonical_text

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def test_a_hash_names_its_key_and_has_128_bits() -> None:
    hashed = redactor().hashed(Purpose.ARGUMENTS, {"a": 1})
    key, _, digits = hashed.partition(":")
    assert key == "k1"
    assert len(digits) == 32
    assert set(digits) <= set(string.hexdigits)


def test_a_hash_is_hmac_sha_256_over_purpose_and_canonical_text() -> None:
    import hmac

    expected = hmac.new(b"secret", b'arguments\x00j{"a":1,"b":2}', "sha256").hexdigest()[:32]
    assert Redactor("k", b"secret").hashed("arguments", {"b": 2, "a": 1}) == f"k:{expected}"
    long_key = b"x" * 65
    expected = hmac.new(long_key, b"token\x00b\x01", "sha256").hexdigest()[:32]
    assert Redactor("k", long_key).hashed("token", b"\x01") == f"k:{expected}"


def test_order_of_members_does_not_matter_but_type_purpose_and_key_do() -> None:
    redact = redactor()
    assert redact.hashed("arguments", {"a": 1, "b": 2}) == redact.hashed("arguments", {"b": 2, "a": 1})
    assert redact.hashed("token", 3) != redact.hashed("token", "3")
    assert redact.hashed("token", "3") != redact.hashed("cursor", "3")
    assert redact.hashed("token", "3") != Redactor("k1", b"another key").hashed("token", "3")
    assert redact.hashed("token", b"3") != redact.hashed("token", "3")


@given(json_values)
def test_equal_json_values_have_one_hash_however_they_were_written(value: Any) -> None:
    redact = redactor()
    again = json.loads(json.dumps(value, indent=2))
    assert redact.hashed("arguments", value) == redact.hashed("arguments", again)


@given(json_values, json_values)
def test_different_json_values_have_different_texts(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (canonical_text(one) == canonical_text(other)) is same


def test_a_lone_surrogate_and_a_huge_integer_can_be_hashed() -> None:
    redact = redactor()
    assert redact.hashed("arguments", {"a": "\ud800"}) != redact.hashed("arguments", {"a": "\udfff"})
    assert redact.hashed("arguments", 10**400) != redact.hashed("arguments", 10**400 + 1)


@pytest.mark.parametrize(
    "value,kept",
    [
        (7, "7"),
        (0, "0"),
        (-3, "-3"),
        ("7", '"7"'),
        ("req-12", '"req-12"'),
        ("listen:0", '"listen:0"'),
        ("123e4567-e89b-12d3-a456-426614174000", '"123e4567-e89b-12d3-a456-426614174000"'),
    ],
)
def test_ids_that_programs_count_with_are_kept_with_their_type(value: int | str, kept: str) -> None:
    assert redactor().id_token(value) == kept


@pytest.mark.parametrize(
    "value", ["alice@example.com", "sk-live-abcdef", "", "server-discover-probe-1", "7 ", "x" * 300, 10**60, "пароль-1"]
)
def test_every_other_id_is_hashed(value: int | str) -> None:
    shown = redactor().id_token(value)
    assert shown.startswith("h:k1:")
    assert str(value) not in shown or value == ""


def test_a_name_keeps_its_text_and_shows_what_cannot_be_seen() -> None:
    redact = redactor()
    assert redact.name("admin.tools/list-users") == "admin.tools/list-users"
    assert redact.name("café 東京") == "café 東京"
    assert redact.name("a\u202eb\u200bc\x07\ufe0f") == "a\\u202eb\\u200bc\\u0007\\ufe0f"
    assert redact.name("tag\U000e0041") == "tag\\U000e0041"
    assert redact.name("\ud800") == "\\ud800"
    assert redact.name(7) == ""


def test_two_long_names_stay_two() -> None:
    redact = redactor()
    one, other = redact.name("n" * 200 + "1"), redact.name("n" * 200 + "2")
    assert len(one) == len(other) == MAX_NAME_CHARS
    assert one != other


@pytest.mark.parametrize(
    "value,kept",
    [
        ("2026-07-28", "2026-07-28"),
        ("DRAFT-2026-v1", "DRAFT-2026-v1"),
        ("secret", "unrecognised"),
        ("", "unrecognised"),
        (3, ""),
        (None, ""),
    ],
)
def test_a_version_is_kept_only_if_it_looks_like_one(value: Any, kept: str) -> None:
    assert Redactor.version(value) == kept


def test_methods_come_from_the_closed_list() -> None:
    assert Redactor.method("tools/call") == "tools/call"
    assert Redactor.method("my/secret") == "_OTHER"
    assert Redactor.method(None) == "_OTHER"


def test_scopes_and_flags_keep_safe_names_only() -> None:
    assert Redactor.scopes(["tickets:read", "a b", 'x"', "y" * 65, 7]) == ("tickets:read",)
    assert len(Redactor.scopes([f"s{n}" for n in range(100)])) == 32
    flags = Redactor.flags({"tools": {"listChanged": True, "x": False}, "logging": {}, "gone": None, "bad name": {}, "n": {"p q": True}})
    assert flags == ("logging", "n", "tools", "tools.listChanged")
    assert Redactor.flags("tools") == ()


def test_a_key_id_that_could_be_taken_for_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="key id"):
        Redactor("a:b", b"k")
