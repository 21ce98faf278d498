"""tools/list: cursors, pages, contracts that cannot be read, and lists that fail."""

from __future__ import annotations

from typing import Any

import pytest

from observe_scene import TOOL, Scene, kinds, only
from witnessmark.contract.digest import contract_digest
from witnessmark.model.evidence import CallCancelled, ListFailed, ListPage, ListStarted
from witnessmark.observe.listing import MAX_TOOLS_PER_PAGE


def page(scene: Scene, result: Any) -> ListPage:
    scene.ask(5, "tools/list")
    return only(scene.answer(5, result), ListPage)


def test_absent_and_null_cursors_start_and_the_empty_string_does_not() -> None:
    scene = Scene()
    assert only(scene.ask(1, "tools/list"), ListStarted).cursor is None
    assert only(scene.ask(2, "tools/list", {"cursor": None}), ListStarted).cursor is None
    empty = only(scene.ask(3, "tools/list", {"cursor": ""}), ListStarted).cursor
    assert empty == scene.redact.hashed("cursor", "")


def test_a_next_cursor_hashes_as_the_cursor_that_follows_it() -> None:
    scene = Scene()
    first = page(scene, {"tools": [], "nextCursor": "p2"})
    assert first.next == only(scene.ask(6, "tools/list", {"cursor": "p2"}), ListStarted).cursor
    assert not first.next_null


@pytest.mark.parametrize("result,null", [({"tools": []}, False), ({"tools": [], "nextCursor": None}, True)])
def test_no_next_cursor_ends_and_null_is_told(result: Any, null: bool) -> None:
    fact = page(Scene(), result)
    assert fact.next is None
    assert fact.next_null is null


def test_a_page_holds_names_and_digests_and_no_text() -> None:
    fact = page(Scene(), {"tools": [TOOL], "ttlMs": 500, "cacheScope": "private"})
    assert fact.tools[0].name == "publish"
    assert fact.tools[0].digest == contract_digest(TOOL).removeprefix("sha256:")
    assert len(fact.tools[0].shown) == len(fact.tools[0].meaning) == 32
    assert (fact.ttl_ms, fact.cache_scope) == (500, "private")
    assert fact.size_bytes > 100


def test_the_hint_that_a_tool_only_reads_is_kept() -> None:
    fact = page(Scene(), {"tools": [TOOL, {**TOOL, "name": "b", "annotations": {"readOnlyHint": True}}]})
    assert [tool.read_only_hint for tool in fact.tools] == [False, True]


@pytest.mark.parametrize("ttl,kept", [(None, None), (-5, 0), (1.9, 1), (True, None), ("60", None), (1e300, 2**53 - 1)])
def test_a_ttl_is_a_bounded_number_of_milliseconds(ttl: Any, kept: int | None) -> None:
    assert page(Scene(), {"tools": [], "ttlMs": ttl}).ttl_ms == kept


def test_tools_without_a_contract_are_named_by_name_or_place() -> None:
    fact = page(
        Scene(),
        {"tools": [TOOL, 7, {"description": "no name"}, {"name": 3}, {**TOOL, "name": "huge", "inputSchema": {"maximum": 10**4_290}}]},
    )
    assert [tool.name for tool in fact.tools] == ["publish"]
    assert fact.ambiguous == ("#1", "#2", "#3", "huge")


def test_a_repeated_member_name_takes_the_contract_of_its_own_tool_only() -> None:
    scene = Scene()
    scene.ask(5, "tools/list")
    facts = scene.server(
        b'{"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","type":"array"}},'
        b'{"name":"b","inputSchema":{"type":"object"}}]}}'
    )
    fact = only(facts, ListPage)
    assert fact.ambiguous == ("a",)
    assert [tool.name for tool in fact.tools] == ["b"]


def test_a_repeated_member_name_outside_every_tool_takes_all_contracts() -> None:
    scene = Scene()
    scene.ask(5, "tools/list")
    facts = scene.server(b'{"jsonrpc":"2.0","id":5,"result":{"_meta":{"x":{"a":1,"a":2}},"tools":[{"name":"a","inputSchema":{}}]}}')
    assert only(facts, ListPage).ambiguous == ("a",)


def test_a_number_that_is_none_has_no_contract() -> None:
    scene = Scene()
    scene.ask(5, "tools/list")
    facts = scene.server(b'{"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":"a","inputSchema":{"default":NaN}}]}}')
    assert only(facts, ListPage).ambiguous == ("a",)


@pytest.mark.parametrize(
    "result,reason",
    [
        ([], "unreadable"),
        ({}, "unreadable"),
        ({"tools": {}}, "unreadable"),
        ({"tools": [], "resultType": "task"}, "unreadable"),
        ({"resultType": "input_required", "requestState": "x"}, "input_required"),
    ],
)
def test_a_result_that_is_no_page_fails_the_list(result: Any, reason: str) -> None:
    scene = Scene()
    scene.ask(5, "tools/list")
    assert only(scene.answer(5, result), ListFailed).reason == reason


def test_an_error_and_a_cancellation_fail_the_list() -> None:
    scene = Scene()
    scene.ask(5, "tools/list")
    failed = only(scene.fail(5, -32602), ListFailed)
    assert (failed.reason, failed.code, failed.id) == ("error", -32602, "5")
    scene.ask(6, "tools/list")
    facts = scene.notify("client", "notifications/cancelled", {"requestId": 6})
    assert only(facts, ListFailed).reason == "cancelled"
    assert not [fact for fact in facts if isinstance(fact, CallCancelled)]


def test_a_page_with_too_many_tools_is_no_page() -> None:
    scene = Scene()
    scene.ask(5, "tools/list")
    assert only(scene.answer(5, {"tools": [{}] * (MAX_TOOLS_PER_PAGE + 1)}), ListFailed).reason == "too_large"


def test_a_page_in_a_frame_too_big_to_decode_is_too_large() -> None:
    scene = Scene()
    scene.ask(5, "tools/list")
    big = {**TOOL, "description": "d" * (4 * 1024 * 1024)}
    assert only(scene.answer(5, {"tools": [big]}), ListFailed).reason == "too_large"


def test_a_page_served_again_gives_the_same_references() -> None:
    scene = Scene()
    first, second = only(scene.serve(id_=1), ListPage), only(scene.serve(id_=2), ListPage)
    assert first.tools == second.tools
    assert kinds(scene.facts).count("catalog.page") == 2
    assert len(scene.observer.served.contracts("publish")) == 1
