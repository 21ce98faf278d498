"""The marked parts of two texts give both texts back, and the changed words stand together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.contract.words import MAX_COMPARED_PIECES, Part, changed


def old_of(parts: list[Part]) -> str:
    return "".join(text for mark, text in parts if mark != "added")


def new_of(parts: list[Part]) -> str:
    return "".join(text for mark, text in parts if mark != "removed")


@pytest.mark.parametrize(
    "before, after, parts",
    [
        ("", "", []),
        ("a b", "a b", [("same", "a b")]),
        ("max 100 rows", "max 50 rows", [("same", "max "), ("removed", "100"), ("added", "50"), ("same", " rows")]),
        ("find", "find it", [("same", "find"), ("added", " it")]),
        ("old text here", "new words here", [("removed", "old text"), ("added", "new words"), ("same", " here")]),
        ("gone", "", [("removed", "gone")]),
    ],
)
def test_changed_words_are_marked(before: str, after: str, parts: list[Part]) -> None:
    assert changed(before, after) == parts


words = st.lists(st.sampled_from(["a", "b", " ", ".", "\n", "word", "\u00e9", "\u200b"]), max_size=40).map("".join)


@given(words, words)
def test_both_texts_can_be_read_back(before: str, after: str) -> None:
    parts = changed(before, after)
    assert old_of(parts) == before
    assert new_of(parts) == after
    assert all(text for _, text in parts)


def test_a_long_text_is_compared_by_its_lines() -> None:
    lines = [f"line {number} of many\n" for number in range(MAX_COMPARED_PIECES)]
    after = [*lines]
    after[7], after[300] = "line seven of many\n", "another\n"
    parts = changed("".join(lines), "".join(after))
    assert ("removed", "7") in parts
    assert ("added", "seven") in parts
    assert new_of(parts) == "".join(after)


def test_a_stretch_beyond_the_bounds_is_one_replacement() -> None:
    before, after = "a " * 5_000, "b " * 5_000
    parts = changed(before, after)
    assert len(parts) <= 4
    assert old_of(parts) == before
    assert new_of(parts) == after
