"""Which tools and parameters probably only changed their name: a guess that says why, bounded on large catalogs."""

from __future__ import annotations

from typing import Any

import pytest

from witnessmark.contract.renamed_tools import TwoCatalogs
from witnessmark.contract.successors import name_likeness, successors, text_likeness, words_of
from witnessmark.model.capture import Capture


def tool(name: str, text: str, *parameters: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": text,
        "inputSchema": {"type": "object", "properties": {each: {"type": "string"} for each in parameters}},
    }


def renamed(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> dict[str, str]:
    catalogs = TwoCatalogs(Capture(server="s", tools=tuple(old)), Capture(server="s", tools=tuple(new)))
    return {each.old: each.new for each in catalogs.renamed}


@pytest.mark.parametrize("name", ["maxResults", "max_results", "max-results", "MaxResults"])
def test_spellings_of_one_name_have_the_same_words(name: str) -> None:
    assert words_of(name) == ["max", "results"]


def test_a_short_form_is_alike_and_a_chance_letter_is_not() -> None:
    assert name_likeness("q", "query") == 1
    assert name_likeness("repo", "repository") == 1
    assert name_likeness("i", "includeStatic") < 0.6


def test_texts_are_compared_by_their_words() -> None:
    assert text_likeness("Finds files by name", "finds files by NAME!") == 1
    assert text_likeness("Finds files", "Sends mail") == 0
    assert text_likeness(None, "a") == 0


def test_each_name_has_at_most_one_successor_and_the_strongest_sign_wins() -> None:
    text = {"type": "string", "description": "What is sought, in plain words."}
    found = successors({"query": text, "search": {"type": "string"}}, {"q": {"type": "string"}, "needle": text}, [], [], ({}, {}))
    assert [(each.old, each.new) for each in found] == [("query", "needle"), ("search", "q")]


def test_another_type_is_no_successor() -> None:
    assert not successors({"query": {"type": "string"}}, {"q": {"type": "array"}}, [], [], ({}, {}))


def test_a_bulk_rename_is_matched_one_to_one() -> None:
    old = [tool(f"read-{each}", f"Reads the {each}.", each) for each in ("file", "mail", "page")]
    new = [tool(f"read_{each}", f"Reads the {each}.", each) for each in ("page", "file", "mail")]
    assert renamed(old, new) == {"read-file": "read_file", "read-mail": "read_mail", "read-page": "read_page"}


def test_one_schema_with_another_purpose_is_no_rename() -> None:
    assert not renamed([tool("read_file", "Reads a text.", "path")], [tool("delete_tree", "Removes folders forever.", "path")])


def test_ten_thousand_tools_without_likeness_are_told_apart_in_bounded_work() -> None:
    old = [tool(f"alpha{each}", f"one {each}", "a") for each in range(5_000)]
    new = [tool(f"omega{each}", f"two {each}", "a") for each in range(5_000)]
    assert not set(renamed(old, new)) - {each["name"] for each in old}
