"""Where in a text a value stands: the tree that the scanners of JSON, TOML and YAML make, and edits of the text by spans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Pointer = tuple[str | int, ...]
"""The way from the document to a value in it: names of members, numbers of items."""


class NoSpan(ValueError):
    """The value cannot be found in the text, or stands there in a way that is not edited; the text says which, without content."""


@dataclass(slots=True)
class Node:
    """A value in the text, from `start` to before `end` (characters). `outer` is where it begins as an item: at the dash in YAML.

    `block`: written over lines by indentation (YAML), or as lines of a table (TOML); else between brackets.
    """

    kind: Literal["map", "list", "text", "other"]
    start: int
    end: int
    value: str = ""
    block: bool = False
    outer: int = -1
    members: list[Member] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    _index: dict[str, list[Member]] = field(default_factory=dict)

    @property
    def begin(self) -> int:
        """Where it begins as an item."""
        return self.start if self.outer < 0 else self.outer

    def member(self, key: str) -> Member:
        """The member of that name; NoSpan where there is none in the text, or several."""
        if not self._index:
            for one in self.members:
                self._index.setdefault(one.key, []).append(one)
        found = self._index.get(key, [])
        if len(found) != 1:
            raise NoSpan(f"its member {key!a} stands twice in the file" if found else "it is put together from several places of the file")
        return found[0]

    def at(self, pointer: Pointer) -> Node:
        """The value that the pointer leads to; NoSpan where it leads nowhere, or in two directions."""
        node = self
        for step in pointer:
            if isinstance(step, str):
                node = node.member(step).node
            elif step < len(node.items):
                node = node.items[step]
            else:
                raise NoSpan("it is put together from several places of the file")
        return node


@dataclass(slots=True)
class Member:
    """A member of a map: its name, where the name begins, what stands before the last part of a dotted one, and the value."""

    key: str
    start: int
    node: Node
    prefix: str = ""


class Wanted:
    """Which values a scanner opens: those on the way to the entries, and two levels of what is in them. The rest is passed over."""

    def __init__(self, pointers: Iterable[Pointer]) -> None:
        self._pointers = frozenset(pointers)
        self._ways = frozenset(pointer[:depth] for pointer in self._pointers for depth in range(len(pointer) + 1))

    def __contains__(self, pointer: Pointer) -> bool:
        return pointer in self._ways or any(pointer[: len(pointer) - depth] in self._pointers for depth in (1, 2) if len(pointer) > depth)


class Edit(NamedTuple):
    """Put `text` where the characters from `start` to before `end` stand."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits done; NoSpan where two of them overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits):
        if edit.start < at or edit.end < edit.start:
            raise NoSpan("two entries share one place of the file")
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*pieces, text[at:]))


def newline(text: str) -> str:
    """How the text ends its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def blank_before(text: str, at: int) -> str:
    """The blanks and line ends that stand right before `at`."""
    start = at
    while start and text[start - 1] in " \t\r\n":
        start -= 1
    return text[start:at]
