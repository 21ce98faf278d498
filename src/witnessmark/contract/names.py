"""Which wire tool a shown name stands for, under the ways in which clients are known to change names.

Pure: no I/O, no clock. Rules seen in real clients (clients.md, section 3): a prefix made of the server's name, signs
outside the model API's alphabet replaced, a cut at 64 characters with or without a hash. None of them can be undone in
general, so the forward images of all wire names are computed and looked up; a name with two origins has none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

# What stands before the tool's name; {} is the server's name, changed like the tool's.
PREFIX_STYLES: Final = ("", "mcp__{}__", "mcp__{}.", "mcp_{}_", "{}__", "{}_", "{}-", "{}.")

# (characters that are replaced, by what): none first, then as clients do it.
_REPLACEMENTS: Final = (
    (re.compile(r"[^A-Za-z0-9_-]"), "_"),
    (re.compile(r"[^A-Za-z0-9_]"), "_"),
    (re.compile(r"[^A-Za-z0-9_-]"), "-"),
    (re.compile(r"[^A-Za-z0-9_.-]"), "_"),
    (re.compile(r"[^A-Za-z0-9_.-]"), "-"),
)
_NEVER_REPLACED: Final = re.compile(r"[A-Za-z0-9_]*")

# The limit that model APIs set to names, in characters; longer ones are cut by clients that know it.
NAME_LIMIT_CHARS: Final = 64
# A cut that keeps both ends: 30 characters, three dots, 30 characters, for names above 63.
_MIDDLE_CUT_ABOVE: Final = 63
_MIDDLE_KEPT_CHARS: Final = 30
# A hash that makes cut or replaced names distinct again: 4 to 16 hex digits after `_` or `-`.
_HASH_SUFFIX: Final = re.compile(r"(?P<stem>.+)[_-][0-9a-f]{4,16}")
# A stem below this many characters was not cut at the limit: 64 less a separator and 16 digits.
_MIN_CUT_STEM_CHARS: Final = NAME_LIMIT_CHARS - 17


class NameMap:
    """The images of one server's wire names under every known rule, built once and asked often.

    `server` is the name that the client's configuration gives the server; "" if nobody knows it: then only names with
    a double underscore in front of the tool's name are recognised as prefixed.
    """

    def __init__(self, wire_names: Iterable[str], server: str = "") -> None:
        self._server = server
        # image -> {(style, wire name)}: whole images, cut ones, and those that a hash follows because of a replacement.
        self._whole: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        self._cut: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        self._replaced: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        self._long: list[tuple[str, str, str]] = []
        for wire in dict.fromkeys(wire_names):
            self._add(wire)

    def _add(self, wire: str) -> None:
        spellings = list(_spellings(wire, self._server))
        for style in PREFIX_STYLES if self._server else ("",):
            for tool, server in spellings:
                image = style.format(server) + tool
                self._whole[image].add((style, wire))
                if tool != wire or server != self._server:
                    self._replaced[image].add((style, wire))
                if len(image) > _MIDDLE_CUT_ABOVE:
                    ends = f"{image[:_MIDDLE_KEPT_CHARS]}...{image[-_MIDDLE_KEPT_CHARS:]}"
                    self._cut[ends].add((style, wire))
                if len(image) > NAME_LIMIT_CHARS:
                    self._cut[image[:NAME_LIMIT_CHARS]].add((style, wire))
                    self._long.append((image, style, wire))

    def origins(self, shown: str) -> frozenset[tuple[str, str]]:
        """Every (prefix style, wire name) that has this shown name as an image."""
        found = set(self._whole.get(shown, ())) | self._cut.get(shown, set())
        hashed = _HASH_SUFFIX.fullmatch(shown)
        if hashed is not None and len(shown) <= NAME_LIMIT_CHARS:
            stem = hashed["stem"]
            found |= self._replaced.get(stem, set())
            if len(stem) >= _MIN_CUT_STEM_CHARS:
                found.update((style, wire) for image, style, wire in self._long if image.startswith(stem))
        if not found and not self._server:
            for tail in _tails(shown):
                found.update(("mcp__{}__", wire) for _, wire in self._whole.get(tail, ()))
        return frozenset(found)

    def wire_name(self, shown: str) -> str | None:
        """The one wire name that this shown name can stand for; None if there is none or more than one."""
        wires = {wire for _, wire in self.origins(shown)}
        return wires.pop() if len(wires) == 1 else None

    def wire_names(self, shown_names: Iterable[str]) -> dict[str, str | None]:
        """The wire name of each shown name of one request, read together; None as in `wire_name`.

        A client has one style. Where names alone leave a choice (server `git`, tools `log` and `git_log`), the style
        that explains more of the request than any other one decides; where two explain as many, nothing is decided.
        """
        origins = {shown: self.origins(shown) for shown in shown_names}
        explained = {style: sum(any(style == each for each, _ in found) for found in origins.values()) for style in PREFIX_STYLES}
        most = max(explained.values(), default=0)
        best = [style for style, count in explained.items() if count == most]
        return {shown: _chosen(shown, found, best, origins) for shown, found in origins.items()}


def _chosen(
    shown: str,
    found: frozenset[tuple[str, str]],
    styles: list[str],
    origins: Mapping[str, frozenset[tuple[str, str]]],
) -> str | None:
    """The wire name that a shown name stands for, when the client's style is one of `styles`."""
    wires = {wire for style, wire in found if style in styles} or {wire for _, wire in found}
    if len(wires) > 1 and shown in wires and all(wire in origins for wire in wires):
        # `a.b` and `a_b` are both shown as they are: this client replaces nothing.
        return shown
    return wires.pop() if len(wires) == 1 else None


def _spellings(tool: str, server: str) -> Iterator[tuple[str, str]]:
    """The pair as it is and as each replacement leaves it, each once."""
    yield tool, server
    if _NEVER_REPLACED.fullmatch(tool) is None or _NEVER_REPLACED.fullmatch(server) is None:
        pairs = [(signs.sub(sign, tool), signs.sub(sign, server)) for signs, sign in _REPLACEMENTS]
        # A client may replace signs in the tool's name and keep the server's, which the user chose.
        kept = [(changed, server) for changed, _ in pairs]
        yield from dict.fromkeys((*pairs, *kept))


def _tails(shown: str) -> Iterator[str]:
    """What follows each double underscore (and the dot of a `mcp__` namespace) of a shown name."""
    for mark in re.finditer("(?=__)", shown):
        yield shown[mark.start() + 2 :]
    if shown.startswith("mcp__") and "." in shown:
        yield shown[shown.index(".") + 1 :]


def match_name(shown_name: str, wire_names: Iterable[str], server: str = "") -> str | None:
    """The wire name that a shown name stands for; None if no known rule yields it, or if two wire names fit.

    For many names of one server build a `NameMap` once.
    """
    return NameMap(wire_names, server).wire_name(shown_name)
