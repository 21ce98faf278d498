from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile_json
from witnessmark.wire.jsonrpc import (
    MAX_ID_CHARS,
    Batch,
    EnvelopeFinding,
    Error,
    Invalid,
    Message,
    Notification,
    Request,
    Result,
    coerced_equal,
    id_token,
    parse,
)

V = {"jsonrpc": "2.0"}


@pytest.mark.parametrize(
    "value, message",
    [
        ({**V, "id": 7, "method": "ping"}, Request("7", "ping", {})),
        ({**V, "id": "7", "method": "ping", "params": {"a": 1}}, Request('"7"', "ping", {"a": 1})),
        ({**V, "id": 0, "method": "x", "params": None}, Request("0", "x", {}, (EnvelopeFinding.PARAMS_NULL,))),
        ({**V, "method": "notifications/initialized"}, Notification("notifications/initialized", {})),
        ({**V, "id": 7, "result": {"a": 1}}, Result("7", {"a": 1})),
        ({**V, "id": 7, "result": None}, Result("7", None, (EnvelopeFinding.RESULT_NOT_AN_OBJECT,))),
        ({**V, "id": 7, "error": {"code": -32602, "message": "m", "data": [1]}}, Error("7", -32602, [1], message_present=True)),
        ({**V, "id": None, "error": {"code": -32700, "message": "m"}}, Error(None, -32700, None, message_present=True)),
        ({**V, "error": {"code": -32700, "message": "m"}}, Error(None, -32700, None, message_present=True)),
        (
            {**V, "id": 1, "error": {"code": 0}},
            Error("1", 0, None, message_present=False, advisories=(EnvelopeFinding.ERROR_MESSAGE_MISSING,)),
        ),
        ({"id": 5, "method": "ping"}, Request("5", "ping", {}, (EnvelopeFinding.NO_JSONRPC_VERSION,))),
        ({"jsonrpc": "1.0", "id": 4, "result": {}}, Result("4", {}, (EnvelopeFinding.WRONG_JSONRPC_VERSION,))),
        ({"jsonrpc": 2.0, "method": "x"}, Notification("x", {}, (EnvelopeFinding.WRONG_JSONRPC_VERSION,))),
    ],
)
def test_a_usable_value_is_its_message(value: Any, message: Message) -> None:
    assert parse(value) == message


@pytest.mark.parametrize(
    "value, reason, token, method",
    [
        (7, EnvelopeFinding.NOT_AN_OBJECT, None, None),
        (None, EnvelopeFinding.NOT_AN_OBJECT, None, None),
        ([], EnvelopeFinding.EMPTY_BATCH, None, None),
        ({}, EnvelopeFinding.NEITHER_RESULT_NOR_ERROR, None, None),
        ({**V, "id": 1}, EnvelopeFinding.NEITHER_RESULT_NOR_ERROR, "1", None),
        ({**V, "id": 1, "result": {}, "error": {"code": 1, "message": ""}}, EnvelopeFinding.BOTH_RESULT_AND_ERROR, "1", None),
        ({**V, "id": 1, "method": "ping", "result": {}}, EnvelopeFinding.REQUEST_AND_RESPONSE, "1", "ping"),
        ({**V, "id": None, "method": "ping"}, EnvelopeFinding.NULL_ID, None, "ping"),
        ({**V, "id": 1.5, "method": "ping"}, EnvelopeFinding.FRACTIONAL_ID, None, "ping"),
        ({**V, "id": 7.0, "result": {}}, EnvelopeFinding.FRACTIONAL_ID, None, None),
        ({**V, "id": True, "method": "ping"}, EnvelopeFinding.BAD_ID, None, "ping"),
        ({**V, "id": [1], "error": {"code": 1, "message": ""}}, EnvelopeFinding.BAD_ID, None, None),
        ({**V, "id": None, "result": {}}, EnvelopeFinding.NULL_ID, None, None),
        ({**V, "result": {}}, EnvelopeFinding.NO_ID, None, None),
        ({**V, "id": 1, "method": 7}, EnvelopeFinding.BAD_METHOD, "1", None),
        ({**V, "id": 1, "method": ""}, EnvelopeFinding.BAD_METHOD, "1", None),
        ({**V, "id": 1, "method": "x", "params": "text"}, EnvelopeFinding.PARAMS_NOT_STRUCTURED, "1", "x"),
        ({**V, "id": 1, "method": "x", "params": [1]}, EnvelopeFinding.PARAMS_BY_POSITION, "1", "x"),
        ({**V, "id": 1, "error": "boom"}, EnvelopeFinding.ERROR_NOT_AN_OBJECT, "1", None),
        ({**V, "id": 1, "error": {"code": "E1", "message": ""}}, EnvelopeFinding.ERROR_CODE_NOT_INTEGER, "1", None),
        ({**V, "id": 1, "error": {"code": True, "message": ""}}, EnvelopeFinding.ERROR_CODE_NOT_INTEGER, "1", None),
    ],
)
def test_an_unusable_value_says_why_and_keeps_what_it_had(
    value: Any, reason: EnvelopeFinding, token: str | None, method: str | None
) -> None:
    message = parse(value)

    assert isinstance(message, Invalid)
    assert (message.reason, message.id, message.method) == (reason, token, method)


def test_an_invalid_response_says_which_of_both_members_it_had() -> None:
    both = parse({**V, "id": 1, "result": {}, "error": {}})
    neither = parse({**V, "id": 1})

    assert isinstance(both, Invalid)
    assert (both.has_result, both.has_error) == (True, True)
    assert isinstance(neither, Invalid)
    assert (neither.has_result, neither.has_error) == (False, False)


def test_a_batch_keeps_its_members_in_order_and_each_ones_fault() -> None:
    assert parse([{**V, "id": 2, "method": "ping"}, 3, [], {**V, "id": 1, "result": {}}]) == Batch(
        (Request("2", "ping", {}), Invalid(EnvelopeFinding.NOT_AN_OBJECT), Invalid(EnvelopeFinding.BATCH_IN_BATCH), Result("1", {}))
    )


@pytest.mark.parametrize(
    "one, other, coerced",
    [
        (7, "7", True),
        ("0", 0, True),
        (-1, "-1", True),
        (7, 7, False),
        ("7", "7", False),
        (7, "8", False),
        ("a", "b", False),
        (7, "07", False),
    ],
)
def test_equal_digits_of_another_type_differ_on_the_wire_and_are_told(one: str | int, other: str | int, coerced: bool) -> None:
    assert coerced_equal(id_token(one), id_token(other)) is coerced


def test_a_very_long_id_is_kept_as_its_hash() -> None:
    token = id_token("x" * 5000)

    assert token[0] == "#"
    assert len(token) == len("#") + 64
    assert len(token) <= MAX_ID_CHARS
    assert token != id_token("x" * 5001)
    assert id_token("#" + token[1:]) != token


ids = st.one_of(st.integers(), st.text(st.characters(exclude_categories=()), max_size=8), st.integers().map(str))


@given(ids, ids)
def test_two_ids_share_a_token_only_if_they_are_the_same_value(one: str | int, other: str | int) -> None:
    assert (id_token(one) == id_token(other)) is (type(one) is type(other) and one == other)
    assert id_token(one).isascii()


members = st.dictionaries(
    st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "x"]),
    st.one_of(
        hostile_json.values,
        st.sampled_from(["2.0", "ping", {"code": 1, "message": "m"}, {"code": 1}, {}]),
    ),
)


@given(st.one_of(hostile_json.values, members, st.lists(members, max_size=3)))
def test_any_value_is_a_message_or_a_named_fault(value: Any) -> None:
    message = parse(value)

    for single in message.members if isinstance(message, Batch) else [message]:
        assert isinstance(single, Request | Notification | Result | Error | Invalid)
        assert all(isinstance(advisory, EnvelopeFinding) for advisory in single.advisories)
