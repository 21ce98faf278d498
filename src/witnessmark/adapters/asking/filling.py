"""`{name}` in settings: filled with a call's argument so that it can be nothing but one component, one word, one text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, urlsplit

import msgspec

from witnessmark.adapters.asking.question import Question, Unanswered

PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
MAX_VALUE_CHARS: Final = 4_096
"""One value: longer than any key, shorter than what a system takes as one word."""
MAX_COMPONENT_BYTES: Final = 255
"""NAME_MAX of Linux and macOS."""


def text_of(value: Any) -> str:
    """A text as it is, a number or a flag as JSON writes it; Unanswered for everything else, and for what is too long."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode() if isinstance(value, int | float) else None
    if not text or len(text) > MAX_VALUE_CHARS or "\0" in text:
        raise Unanswered("bad_value")
    return text


def filled(template: str, question: Question, turn: Callable[[str], str] = str) -> str:
    """The template with each placeholder's text, as `turn` makes it."""
    return PLACEHOLDER.sub(lambda found: turn(text_of(question.value(found[1]))), template)


def names_key(template: str) -> bool:
    """Whether the operation key itself is asked for."""
    return "{operation_key}" in template


def components(template: str, question: Question) -> list[str]:
    """A relative path's components. A value stays inside its own: no separator, no `..`, no control character."""
    parts = [part for part in template.split("/") if part not in {"", "."}]
    whole = [filled(part, question, _inside_component) for part in parts]
    if not whole or any(part in {".", ".."} or len(part.encode(errors="replace")) > MAX_COMPONENT_BYTES for part in whole):
        raise Unanswered("unsafe_path")
    return whole


def word(template: str, question: Question) -> str:
    """One word of a command. A value that begins it cannot make an option of it."""
    whole = filled(template, question)
    if whole.startswith(("-", "@")) and not template.startswith(whole[0]):
        raise Unanswered("bad_value")
    return whole


def command(words: list[str], question: Question) -> list[str]:
    """The words of a command; the program's name is the operator's own."""
    if not words or PLACEHOLDER.search(words[0]):
        raise Unanswered("bad_setting")
    return [words[0], *(word(one, question) for one in words[1:])]


def url(template: str, question: Question) -> str:
    """A URL whose scheme, host and port are the template's; a value is one path segment or one text of the query."""
    head, mark, rest = template.partition("://")
    place = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if not mark or head not in {"http", "https"} or "{" in place or "@" in place or "#" in rest:
        raise Unanswered("bad_setting")
    path, question_mark, query = rest.partition("?")
    whole = f"{head}://{filled(path, question, _segment)}{question_mark}{filled(query, question, lambda text: quote(text, safe=''))}"
    if urlsplit(whole).netloc != place:
        raise Unanswered("bad_value")
    return whole


def tree(value: Any, question: Question) -> Any:
    """JSON with its texts filled; a text that is one placeholder becomes the value itself, with its type."""
    if isinstance(value, str):
        lone = PLACEHOLDER.fullmatch(value)
        return question.value(lone[1]) if lone else filled(value, question)
    if isinstance(value, dict):
        return {name: tree(one, question) for name, one in value.items()}
    return [tree(one, question) for one in value] if isinstance(value, list) else value


def _inside_component(text: str) -> str:
    if text in {".", ".."} or any(char in "/\\" or ord(char) < ord(" ") for char in text):
        raise Unanswered("unsafe_path")
    return text


def _segment(text: str) -> str:
    """Percent-encoded. A slash and dots are refused: servers decode them before they resolve a path."""
    if text in {".", ".."} or "/" in text or "\\" in text:
        raise Unanswered("bad_value")
    return quote(text, safe="")
