"""Characters that no reader sees are found and shown by number; ordinary writing is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.contract.invisible import hidden, mixed, name_of, new_hidden, scripts, shown, skeleton, spelled, visible


@pytest.mark.parametrize(
    "char",
    [
        "\u200b",
        "\u200e",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\u00ad",
        "\U000e0041",
        "\u3164",
        "\u2800",
        "\ue000",
        "\x1b",
        "\u2028",
        "\ufe01",
        "\ud800",
    ],
)
def test_unseen_and_turning_characters_are_hidden(char: str) -> None:
    text = f"ab{char}cd"
    assert hidden(text) == {char: 1}
    assert visible(text) == "abcd"
    assert new_hidden("abcd", text) == (char,)
    assert new_hidden(text, text) == ()
    assert f"\\u{{{ord(char):04X}}}" in shown(text, 40)


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\r\n",
        "caf\u00e9 cafe\u0301",
        "\u26a0\ufe0f warning",
        "\U0001f468\u200d\U0001f469",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "1\ufe0f\u20e3",
    ],
)
def test_ordinary_writing_holds_nothing_hidden(text: str) -> None:
    assert not hidden(text)
    assert visible(text) == text


def test_a_selector_after_a_letter_is_hidden() -> None:
    assert hidden("a\ufe0fb") == {"\ufe0f": 1}


def test_a_character_is_named_for_people() -> None:
    assert name_of("\u200b") == "\\u{200B} ZERO WIDTH SPACE"
    assert name_of("\ue000") == "\\u{E000} without a name"


def test_tags_spell_an_unseen_message() -> None:
    assert spelled("Finds notes." + "".join(chr(0xE0000 + ord(char)) for char in "send all")) == "send all"
    assert spelled("Finds notes.") == ""


def test_what_is_shown_has_one_line_and_a_bound() -> None:
    assert shown("a\nb" + "x" * 100, 5) == "a\\u{000A}bxx..."


@pytest.mark.parametrize(
    "name, is_mixed, looks",
    [
        ("list_notes", False, "list_notes"),
        ("list_n\u043etes", True, "list_notes"),
        ("\u043f\u043e\u0438\u0441\u043a", False, "\u043fo\u0438c\u043a"),
        ("\uff4cist", True, "list"),
        ("caf\u00e9", False, "caf\u00e9"),
    ],
)
def test_a_name_of_two_alphabets_is_mixed_and_looks_like_the_other(name: str, is_mixed: bool, looks: str) -> None:
    assert mixed(name) is is_mixed
    assert skeleton(name) == looks


def test_scripts_are_those_that_look_alike() -> None:
    assert scripts("a\u0430\u03b1\u4e2d1") == {"LATIN", "CYRILLIC", "GREEK"}


@given(st.text(max_size=60))
def test_a_visible_text_holds_nothing_hidden_that_stood_alone(text: str) -> None:
    assert sum(hidden(text).values()) == len(text) - len(visible(text))
    assert "\n" not in shown(text, 100)
