"""A walk is whole exactly if its chain of cursors ends, whatever the pages hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from witnessmark.adapters.prober.ending import EndCode, ProbeEnded
from witnessmark.adapters.prober.inbox import Answer
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.traversal import Traversal

NAMES = st.text(min_size=1, max_size=8)
PAGES = st.lists(st.lists(NAMES, min_size=1, max_size=5), min_size=1, max_size=8)


def page(names: list[str], cursor: Any = None, *, null: bool = False) -> Answer:
    result: dict[str, Any] = {"tools": [{"name": name, "inputSchema": {}} for name in names]}
    if cursor is not None or null:
        result["nextCursor"] = cursor
    return Answer(result)


@settings(max_examples=60)
@given(PAGES, st.lists(st.text(max_size=6), min_size=8, max_size=8, unique=True), st.booleans())
def test_pages_with_different_cursors_make_a_whole_walk(pages: list[list[str]], cursors: list[str], null: bool) -> None:
    walk = Traversal(ProbeLimits())
    asked: list[dict[str, Any]] = []
    for number, names in enumerate(pages):
        asked.append(walk.params())
        last = number == len(pages) - 1
        walk.take(page(names, None if last else cursors[number], null=null and last))
        assert walk.done is last
    assert asked == [{}, *({"cursor": cursor} for cursor in cursors[: len(pages) - 1])]
    assert [tool["name"] for tool in walk.tools] == list(dict.fromkeys(name for names in pages for name in names))
    assert (walk.pages, walk.ambiguous) == (len(pages), ())


@settings(max_examples=60)
@given(st.lists(st.text(max_size=3), min_size=1, max_size=6, unique=True), st.data())
def test_a_cursor_that_comes_again_ends_the_walk(cursors: list[str], data: st.DataObject) -> None:
    walk = Traversal(ProbeLimits())
    for cursor in cursors:
        walk.take(page([cursor or "x"], cursor))
    with pytest.raises(ProbeEnded) as ended:
        walk.take(page(["y"], data.draw(st.sampled_from(cursors))))
    assert ended.value.code is EndCode.REPEATED_CURSOR
    assert not walk.done


MEMBERS = st.sampled_from(["name", "tools", "inputSchema", "nextCursor", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["name", "tools", "inputSchema", "nextCursor", "x"]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(JSON, st.booleans())
def test_any_answer_is_a_page_or_a_named_end(result: Any, unclear: bool) -> None:
    walk = Traversal(ProbeLimits())
    try:
        walk.take(Answer(result, unclear_numbers=unclear))
    except ProbeEnded:
        return
    assert walk.pages == 1
    assert len(walk.tools) + len(walk.ambiguous) <= len(result["tools"])


@pytest.mark.parametrize(
    "first,second,tools,ambiguous",
    [
        ({"name": "a", "inputSchema": {"x": 1}}, {"name": "a", "inputSchema": {"x": 1.0}}, 1, ()),
        ({"name": "a", "inputSchema": {}, "_meta": {"n": 1}}, {"name": "a", "inputSchema": {}, "_meta": {"n": 2}}, 1, ()),
        ({"name": "a", "inputSchema": {"x": float("nan")}}, {"name": "a", "inputSchema": {}}, 0, ("a",)),
        ({"inputSchema": {}}, 3, 0, ("#0", "#1")),
    ],
)
def test_one_contract_twice_is_one_tool_and_what_cannot_be_compared_is_ambiguous(
    first: Any, second: Any, tools: int, ambiguous: tuple[str, ...]
) -> None:
    walk = Traversal(ProbeLimits())
    walk.take(Answer({"tools": [first, second]}))
    assert (len(walk.tools), walk.ambiguous) == (tools, ambiguous)
