"""Which response answers which request: exact ids, both directions apart, and a word for each stray response."""

from __future__ import annotations

from typing import Any

import pytest

from observe_scene import Scene, kinds, only
from witnessmark.model.evidence import CallAnswered, CallStarted, RequestAnswered, ResponseUnpaired, WireMalformed
from witnessmark.observe.pairing import MAX_ANSWERED_PER_LANE, MAX_OPEN_PER_LANE

DONE = {"content": [{"type": "text", "text": "done"}]}


@pytest.mark.parametrize("id_", [7, "7", 0, "123e4567-e89b-12d3-a456-426614174000", "any words at all"])
def test_a_response_answers_the_request_of_its_exact_id(id_: Any) -> None:
    scene = Scene()
    started = only(scene.call(id_), CallStarted)
    answered = only(scene.answer(id_, DONE), CallAnswered)
    assert answered.id == started.id
    assert answered.outcome == "result"


@pytest.mark.parametrize("asked,answered", [(7, "7"), ("7", 7)])
def test_equal_digits_of_another_type_answer_nothing(asked: Any, answered: Any) -> None:
    scene = Scene()
    scene.call(asked)
    assert only(scene.answer(answered, DONE), ResponseUnpaired).reason == "id_type"
    assert only(scene.answer(asked, DONE), CallAnswered).outcome == "result"


@pytest.mark.parametrize(
    "second,reason",
    [(DONE, "repeated"), ({"content": []}, "duplicate")],
)
def test_a_second_answer_is_told_apart_by_its_content(second: Any, reason: str) -> None:
    scene = Scene()
    scene.call(7)
    scene.answer(7, DONE)
    assert only(scene.answer(7, second), ResponseUnpaired).reason == reason


def test_an_answer_to_an_id_never_seen_is_for_nobody() -> None:
    assert only(Scene().answer(9, DONE), ResponseUnpaired).reason == "nobody"


def test_an_answer_to_a_cancelled_call_is_late() -> None:
    scene = Scene()
    scene.call(7)
    scene.notify("client", "notifications/cancelled", {"requestId": 7})
    assert only(scene.answer(7, DONE), ResponseUnpaired).reason == "late"


def test_an_error_without_an_id_answers_the_only_open_request_probably() -> None:
    scene = Scene()
    scene.call(7)
    facts = scene.fail(None, -32603)
    assert only(facts, CallAnswered).probable
    assert only(facts, CallAnswered).code == -32603
    assert only(facts, ResponseUnpaired).reason == "null_id"
    assert only(scene.answer(7, DONE), ResponseUnpaired).reason == "duplicate"


def test_an_error_without_an_id_answers_nothing_while_two_are_open() -> None:
    scene = Scene()
    scene.call(7)
    scene.call(8)
    assert kinds(scene.fail(None, -32603)) == ["request.unpaired"]


def test_a_request_of_the_server_never_meets_the_ids_of_the_client() -> None:
    scene = Scene()
    scene.call(1)
    assert scene.server({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}}) == []
    answered = only(scene.client({"jsonrpc": "2.0", "id": 1, "result": {"role": "assistant"}}), RequestAnswered)
    assert answered.method == "sampling/createMessage"
    assert only(scene.answer(1, DONE), CallAnswered).outcome == "result"
    stray = only(scene.client({"jsonrpc": "2.0", "id": 5, "result": {}}), ResponseUnpaired)
    assert (stray.side, stray.reason) == ("client", "nobody")


def test_an_id_may_be_used_again_after_its_answer() -> None:
    scene = Scene()
    for _ in range(3):
        scene.call(7, modern=True)
        assert only(scene.answer(7, {**DONE, "resultType": "complete"}), CallAnswered).outcome == "result"


def test_two_requests_in_flight_under_one_id_are_a_loss() -> None:
    scene = Scene()
    scene.call(7)
    malformed = only(scene.call(7), WireMalformed)
    assert (malformed.finding, malformed.fatal, malformed.side) == ("DuplicateRequestId", True, "client")


def test_other_requests_are_counted_with_their_error_code() -> None:
    scene = Scene()
    scene.ask(3, "prompts/get", {"name": "x"})
    assert only(scene.fail(3, -32602), RequestAnswered).code == -32602
    scene.ask(4, "vendor/secret")
    assert only(scene.answer(4, {}), RequestAnswered).method == "_OTHER"


def test_what_is_remembered_is_bounded() -> None:
    scene = Scene()
    for id_ in range(MAX_ANSWERED_PER_LANE + 1):
        scene.ask(id_, "ping")
        scene.answer(id_, {})
    assert only(scene.answer(0, {}), ResponseUnpaired).reason == "nobody"
    assert only(scene.answer(1, {}), ResponseUnpaired).reason == "repeated"
    scene = Scene()
    for id_ in range(MAX_OPEN_PER_LANE + 1):
        scene.ask(id_, "ping")
    assert only(scene.answer(0, {}), ResponseUnpaired).reason == "nobody"
    assert only(scene.answer(1, {}), RequestAnswered).method == "ping"


def test_two_channels_of_a_pipe_server_do_not_share_ids() -> None:
    scene = Scene()
    scene.client({"jsonrpc": "2.0", "id": 1, "method": "ping"}, "p1")
    assert only(scene.server({"jsonrpc": "2.0", "id": 1, "result": {}}, "p2"), ResponseUnpaired).reason == "nobody"
    assert only(scene.server({"jsonrpc": "2.0", "id": 1, "result": {}}, "p1"), RequestAnswered).channel == "p1"
