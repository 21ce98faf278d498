"""Spans in JSON, with comments and trailing commas. The text was read as JSON before; what is not wanted is passed over by its brackets."""

from __future__ import annotations

import json
import re
from typing import Final

from witnessmark.adapters.wrap.spans import Member, Node, NoSpan, Pointer, Wanted

_BLANK: Final = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*.*?\*/)*+", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR: Final = re.compile(r'[^\s,\]}"\[{/]++')
_PASSED: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|//[^\n]*+|/\*.*?\*/|([\[{])|[\]}]', re.DOTALL)
_UNKNOWN: Final = "the file is written in a way that is not known here"


def json_spans(text: str, wanted: Wanted) -> Node:
    """The tree of the text's value; NoSpan where the text is not understood."""
    return _Scanner(text, wanted).value(_blank(text, 0), ())


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


class _Scanner:
    def __init__(self, text: str, wanted: Wanted) -> None:
        self._text = text
        self._wanted = wanted

    def value(self, at: int, pointer: Pointer) -> Node:
        text = self._text
        first = text[at : at + 1]
        if first == '"':
            end = self._string(at)
            return Node("text", at, end, json.loads(text[at:end]))
        if first and first in "{[":
            if pointer not in self._wanted:
                return Node("other", at, self._passed(at))
            return self._map(at, pointer) if first == "{" else self._list(at, pointer)
        found = _SCALAR.match(text, at)
        if found is None:
            raise NoSpan(_UNKNOWN)
        return Node("other", at, found.end())

    def _string(self, at: int) -> int:
        found = _STRING.match(self._text, at)
        if found is None:
            raise NoSpan(_UNKNOWN)
        return found.end()

    def _passed(self, at: int) -> int:
        depth = 0
        for found in _PASSED.finditer(self._text, at):
            last = found[0]
            if found[1]:
                depth += 1
            elif last in "]}":
                depth -= 1
                if not depth:
                    return found.end()
        raise NoSpan(_UNKNOWN)

    def _map(self, start: int, pointer: Pointer) -> Node:
        members: list[Member] = []
        at = _blank(self._text, start + 1)
        while self._text[at : at + 1] == '"':
            end = self._string(at)
            key = json.loads(self._text[at:end])
            colon = _blank(self._text, end)
            if self._text[colon : colon + 1] != ":":
                raise NoSpan(_UNKNOWN)
            node = self.value(_blank(self._text, colon + 1), (*pointer, key))
            members.append(Member(key, at, node))
            at = self._next(node.end)
        return Node("map", start, self._closed(at, "}"), members=members)

    def _list(self, start: int, pointer: Pointer) -> Node:
        items: list[Node] = []
        at = _blank(self._text, start + 1)
        while self._text[at : at + 1] not in ("]", ""):
            items.append(self.value(at, (*pointer, len(items))))
            at = self._next(items[-1].end)
        return Node("list", start, self._closed(at, "]"), items=items)

    def _next(self, at: int) -> int:
        at = _blank(self._text, at)
        return _blank(self._text, at + 1) if self._text[at : at + 1] == "," else at

    def _closed(self, at: int, bracket: str) -> int:
        if self._text[at : at + 1] != bracket:
            raise NoSpan(_UNKNOWN)
        return at + 1
