from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.render.escape import NAME_CHARS, line, name, width
from witnessmark.render.table import table
from witnessmark.render.times import decimal, instant, rfc3339, span


@pytest.mark.parametrize(
    "text,shown",
    [
        ("publish_report", "publish_report"),
        ("a\x1b[31mb", "a\\u001b[31mb"),
        ("a\nb\tc\x7f", "a\\u000ab\\u0009c\\u007f"),
        ("\x9b2J", "\\u009b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u2066b\u200bc\ufeff", "a\\u2066b\\u200bc\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("a\u00a0b", "a\\u00a0b"),
        ("Z\u0351", "Z\\u0351"),
        ("Überweisung 送金", "Überweisung 送金"),
    ],
)
def test_a_name_shows_what_would_steer_or_hide(text: str, shown: str) -> None:
    assert name(text) == shown


@given(st.text(max_size=200))
def test_no_name_is_longer_than_its_limit_or_holds_an_unprintable_character(text: str) -> None:
    shown = name(text)
    assert len(shown) <= max(NAME_CHARS, len(f"...({len(text)} characters)"))
    assert shown.isprintable()


def test_a_cut_name_tells_its_length() -> None:
    assert name("x" * 1000).endswith("...(1000 characters)")


@given(st.text())
def test_a_message_is_one_line(text: str) -> None:
    assert line(text).isprintable()


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    lines = table(("a", "empty", "n"), [("送金", "", "1"), ("b", "", "100")], right=frozenset((2,)))
    assert lines == ["a       n", "送金    1", "b     100"]
    assert len({width(line) for line in lines}) == 1


def test_a_table_without_rows_has_no_lines() -> None:
    assert table(("a",), []) == []


@pytest.mark.parametrize(
    "time_us,text",
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (1_796_000_000_123_456, "2026-11-30T00:53:20.123456Z"),
        (10**30, "9999-12-31T23:59:59.999999Z"),
        (-(10**30), "0001-01-01T00:00:00.000000Z"),
    ],
)
def test_an_instant_is_rfc_3339_with_microseconds(time_us: int, text: str) -> None:
    assert rfc3339(time_us) == text


def test_an_instant_of_a_relative_transcript_is_given_in_seconds() -> None:
    assert instant(5_250_000) == "5.25 s into the transcript"


@pytest.mark.parametrize("time_us,text", [(0, "0.0"), (10_000, "0.01"), (-1_500_000, "-1.5"), (60_000_000, "60.0"), (1, "0.000001")])
def test_seconds_are_exact(time_us: int, text: str) -> None:
    assert decimal(time_us) == text


@pytest.mark.parametrize(
    "length,text", [(5, "5 us"), (1_500, "1.5 ms"), (2_000_000, "2 s"), (90_000_000, "1.5 min"), (9_000_000_000, "2.5 h")]
)
def test_a_length_of_time_has_its_largest_fitting_unit(length: int, text: str) -> None:
    assert span(length) == text
