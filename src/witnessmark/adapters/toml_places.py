"""On which line of a TOML text a member stands.

The decoder of the standard library keeps no places. This walks the text once more, after the decoder accepted it, and notes
where each table and key begins; of values it knows only where they end. TOML 1.0.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from typing import Final

Keys = tuple[str | int, ...]

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_SCALAR: Final = re.compile(r"[^,\]}#\n]*")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


class Places:
    """The lines of a text that the decoder accepted; of another text they may be wrong or missing, never an error."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._ends = [found.start() for found in re.finditer("\n", text)]
        self._lines: dict[Keys, int] = {}
        self._counts: dict[Keys, int] = {}
        with suppress(RecursionError):  # nested deeper than a configuration is: the lines until there are known
            self._walk()

    def line(self, keys: Keys) -> int:
        """The line of the deepest of `keys` that stands in the text, 0 where none does."""
        return next((self._lines[keys[:depth]] for depth in range(len(keys), 0, -1) if keys[:depth] in self._lines), 0)

    def _walk(self) -> None:
        base: Keys = ()
        while True:
            self._skip(_BLANK)
            before = self._at
            if self._at >= len(self._text):
                return
            if self._text[self._at] == "[":
                base = self._header()
            else:
                self._pair(base)
            if self._at == before:
                return  # nothing that we know: what was found until here holds

    def _skip(self, what: re.Pattern[str]) -> str:
        found = what.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]

    def _note(self, keys: Keys, at: int) -> None:
        line = bisect_right(self._ends, at - 1) + 1
        for depth in range(1, len(keys) + 1):
            self._lines.setdefault(keys[:depth], line)

    def _header(self) -> Keys:
        at = self._at
        several = self._text.startswith("[[", at)
        self._at += 2 if several else 1
        path: Keys = ()
        keys = self._keys()
        for place, key in enumerate(keys):
            path = (*path, key)
            if several and place == len(keys) - 1:
                self._counts[path] = self._counts.get(path, -1) + 1
            if path in self._counts:
                path = (*path, self._counts[path])
        self._at += 2 if several else 1
        self._note(path, at)
        # A table that was begun by a header of a deeper one is better named by its own.
        self._lines[path] = bisect_right(self._ends, at - 1) + 1
        return path

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            bare = self._skip(_BARE)
            keys.append(bare or _unquoted(self._skip(_STRING)))
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _pair(self, base: Keys) -> None:
        at = self._at
        path = (*base, *self._keys())
        self._note(path, at)
        if self._text.startswith("=", self._at):
            self._at += 1
            self._value(path)

    def _value(self, path: Keys) -> None:
        self._skip(_SPACE)
        first = self._text[self._at : self._at + 1]
        if first == "{":
            self._members(path)
        elif first == "[":
            self._items(path)
        elif not self._skip(_STRING):
            self._skip(_SCALAR)

    def _members(self, path: Keys) -> None:
        self._at += 1
        while self._more("}"):
            before = self._at
            self._pair(path)
            if self._at == before:
                return

    def _items(self, path: Keys) -> None:
        self._at += 1
        place = 0
        while self._more("]"):
            self._note((*path, place), self._at)
            before = self._at
            self._value((*path, place))
            if self._at == before:
                return
            place += 1

    def _more(self, end: str) -> bool:
        """Whether another member comes before `end`, which is passed."""
        before = -1
        while self._at != before:
            before = self._at
            self._skip(_BLANK)
            if self._text.startswith(",", self._at):
                self._at += 1
        if self._text.startswith(end, self._at):
            self._at += 1
            return False
        return self._at < len(self._text) and self._text[self._at] not in "]}"


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text[1:-1]
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[3], found[3]) if found[3] else _char(found[1] or found[2]), text[1:-1])


def _char(hexadecimal: str) -> str:
    return chr(int(hexadecimal, 16))
