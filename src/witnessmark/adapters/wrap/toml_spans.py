"""Spans in TOML 1.0. The standard library's decoder accepted the text before; this walks it once more and notes where values stand."""

from __future__ import annotations

import re
import tomllib
from typing import Final

from witnessmark.adapters.wrap.spans import Member, Node, NoSpan

_BLANK: Final = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE: Final = re.compile(r"[ \t]*+")
_KEY: Final = re.compile(r'[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\'')
_STRING: Final = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\'', re.DOTALL)
_SCALAR: Final = re.compile(r"[^,\]}#\r\n]++")
_UNKNOWN: Final = "the file is written in a way that is not known here"


def toml_spans(text: str) -> Node:
    """The tree of the text's value; NoSpan where the text is not understood."""
    return _Scanner(text).document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._known: dict[tuple[int, str], Node] = {}
        """Tables by the node they stand in and their name; every node lives as long as the tree."""

    def document(self) -> Node:
        root = Node("map", 0, len(self._text), block=True)
        table = root
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text):
                return root
            if self._text[self._at] == "[":
                table = self._header(root)
            else:
                self._pair(table)

    def _skip(self, what: re.Pattern[str]) -> str:
        found = what.match(self._text, self._at)
        if found is None:
            raise NoSpan(_UNKNOWN)
        self._at = found.end()
        return found[0]

    def _take(self, wanted: str) -> bool:
        if not self._text.startswith(wanted, self._at):
            return False
        self._at += len(wanted)
        return True

    def _keys(self) -> tuple[list[str], int]:
        """The parts of a dotted name, and where the last one begins."""
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            last = self._at
            part = self._skip(_KEY)
            keys.append(_decoded(part) if part[0] in "\"'" else part)
            self._skip(_SPACE)
            if not self._take("."):
                return keys, last

    def _header(self, root: Node) -> Node:
        several = self._take("[[")
        if not several:
            self._take("[")
        start = self._at
        keys, _ = self._keys()
        if not self._take("]]" if several else "]"):
            raise NoSpan(_UNKNOWN)
        if not several:
            return self._table(root, keys, start)
        table = self._table(root, keys[:-1], start)
        found = self._known.get((id(table), keys[-1]))
        if found is None:
            found = self._new(table, keys[-1], Node("list", start, start, block=True))
        found.items.append(Node("map", start, start, block=True))
        return found.items[-1]

    def _table(self, node: Node, keys: list[str], start: int, *, block: bool = True) -> Node:
        """The table that the names lead to, made where it is new; of an array of tables the last one."""
        for key in keys:
            found = self._known.get((id(node), key))
            if found is None:
                found = self._new(node, key, Node("map", start, start, block=block))
            node = found.items[-1] if found.kind == "list" and found.items else found
        return node

    def _new(self, table: Node, key: str, node: Node) -> Node:
        table.members.append(Member(key, node.start, node))
        self._known[id(table), key] = node
        return node

    def _pair(self, table: Node) -> None:
        start = self._at
        keys, last = self._keys()
        if not self._take("="):
            raise NoSpan(_UNKNOWN)
        self._skip(_SPACE)
        inner = self._table(table, keys[:-1], start, block=table.block)
        inner.members.append(Member(keys[-1], start, self._value(), self._text[start:last]))

    def _value(self) -> Node:
        start = self._at
        first = self._text[start : start + 1]
        if first and first in "\"'":
            token = self._skip(_STRING)
            return Node("text", start, self._at, _decoded(token))
        if self._take("["):
            return self._list(start)
        if self._take("{"):
            return self._inline(start)
        return Node("other", start, start + len(self._skip(_SCALAR).rstrip()))

    def _list(self, start: int) -> Node:
        node = Node("list", start, start)
        self._skip(_BLANK)
        while not self._take("]"):
            node.items.append(self._value())
            self._skip(_BLANK)
            self._take(",")
            self._skip(_BLANK)
        node.end = self._at
        return node

    def _inline(self, start: int) -> Node:
        node = Node("map", start, start)
        self._skip(_BLANK)
        while not self._take("}"):
            self._pair(node)
            self._skip(_BLANK)
            self._take(",")
            self._skip(_BLANK)
        node.end = self._at
        return node


def _decoded(token: str) -> str:
    try:
        value = tomllib.loads(f"x = {token}")["x"]
    except tomllib.TOMLDecodeError:
        raise NoSpan(_UNKNOWN) from None
    return str(value)
