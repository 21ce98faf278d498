"""What a rewriting changes, as it is shown: of each entry its command and its arguments, and nothing else of the file.

Environments and headers are not even looked at. Arguments that hold what is secret are masked: clients' files have keys there too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import unified_diff
from typing import Final

from witnessmark.adapters.client_files_entries import COMMANDS
from witnessmark.adapters.client_files_places import Place
from witnessmark.adapters.server_entry import shown_url
from witnessmark.adapters.wrap.edits import ARGUMENTS
from witnessmark.adapters.wrap.rewriting import Rewriting, spans
from witnessmark.adapters.wrap.spans import Edit as Mask
from witnessmark.adapters.wrap.spans import Member, Node, Pointer, edited
from witnessmark.contract.redaction import DETECTORS, Redaction, RuleSet
from witnessmark.render.escape import line, name

HIDDEN: Final = "***"
_SECRET: Final = re.compile(r"key|token|secret|pass|auth|cred|bearer|cookie|header|session", re.IGNORECASE)
_PAIRS: Final = frozenset(("-e", "--env", "-H", "--header", "--set"))
"""Options of launchers (docker, podman, curl, ...) whose next word holds a value of an environment or a header."""
_ASSIGNED: Final = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)([=:])(?=.)", re.DOTALL)
_ASSIGNMENT: Final = re.compile(r"\b[A-Z_][A-Z0-9_]*=\S")
"""A variable that is set somewhere in a line for a shell."""
_NO_SECRETS: Final = frozenset(("home-path", "private-url"))
"""Detectors of what a lockfile must not hold: on the user's own terminal a path of theirs is none."""
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")


def difference(place: Place, before: bytes, after: Rewriting) -> list[str]:
    """Lines in the form of a unified difference, one hunk for each entry; safe for a terminal."""
    if not after.changed:
        return []
    pointers = [one.pointer for one in after.changed]
    old, new = _segments(before, place, pointers), _segments(after.data, place, pointers)
    lines = [f"--- {line(str(place.path))}", f"+++ {line(str(place.path))}"]
    for one in after.changed:
        number, was = old[one.pointer]
        project = f" (for {line(one.project)})" if one.project else ""
        lines.append(f"@@ line {number} @@ {name(one.name)}{project}")
        lines += [line(row.expandtabs(4)) for row in list(unified_diff(was, new[one.pointer][1], n=9, lineterm=""))[3:]]
    return lines


def _segments(data: bytes, place: Place, pointers: Collection[Pointer]) -> dict[Pointer, tuple[int, list[str]]]:
    """Of each entry the line where its command stands, and the lines of its command and its arguments."""
    text = data.decode("utf-8-sig")
    tree = spans(text, place.shape, pointers)
    found = {}
    for pointer in pointers:
        members = list(_command_members(tree.at(pointer)))
        lines = [row for member in members for row in _shown(text, member)]
        found[pointer] = (text.count("\n", 0, members[0].start) + 1, lines)
    return found


def _command_members(entry: Node) -> Iterator[Member]:
    for member in sorted(entry.members, key=lambda one: one.start):
        if member.key in COMMANDS and member.node.kind == "map":  # Zed until 2025
            yield from (one for one in member.node.members if one.key in {"path", ARGUMENTS})
        elif member.key in {*COMMANDS, ARGUMENTS}:
            yield member


def _shown(text: str, member: Member) -> list[str]:
    node = member.node
    texts = [(one.start, one.end, one.value if one.kind == "text" else "") for one in (node.items or [node])]
    masks = [
        Mask(start, end, json.dumps(shown, ensure_ascii=False))
        for (start, end, value), shown in zip(texts, masked([value for _, _, value in texts]), strict=True)
        if shown != value
    ]
    start, end = member.start, node.end
    shifted = [Mask(one.start - start, one.end - start, one.text) for one in masks]
    margin = text[text.rfind("\n", 0, start) + 1 : start]
    indent = margin if not margin.strip() else " " * (len(margin) - len(margin.lstrip()))
    comma = "," if text.startswith(",", end) else ""
    return (indent + edited(text[start:end], shifted) + comma).splitlines()


def masked(words: Sequence[str]) -> list[str]:
    """The words of a command with what is secret in them hidden: after an option that says so, in an assignment, by its form."""
    redaction = Redaction(RuleSet(tuple(one for one in DETECTORS if one.name not in _NO_SECRETS), ""), "")
    shown: list[str] = []
    before = ""
    for word in words:
        shown.append(_masked(word, before, redaction))
        before = word
    return shown


def _masked(word: str, before: str, redaction: Redaction) -> str:
    assigned = _ASSIGNED.match(word)
    if before in _PAIRS:
        return f"{assigned[1]}{assigned[2]}{HIDDEN}" if assigned else word if _VARIABLE.fullmatch(word) else HIDDEN
    if before.startswith("-") and "=" not in before and _SECRET.search(before) and not word.startswith("-"):
        return HIDDEN
    if assigned and _is_secret(assigned):
        return f"{assigned[1]}{assigned[2]}{HIDDEN}"
    if "://" in word:
        word = shown_url(word) if word.startswith(("http://", "https://")) else _without_password(word)
    return HIDDEN if redaction.text(word) != word or (" " in word and _ASSIGNMENT.search(word)) else word


def _is_secret(assigned: re.Match[str]) -> bool:
    name_of, sign = assigned[1], assigned[2]
    if _SECRET.search(name_of) or name_of in _PAIRS:
        return True
    return sign == "=" and _VARIABLE.fullmatch(name_of.removeprefix("-e")) is not None


def _without_password(word: str) -> str:
    scheme, mark, rest = word.partition("://")
    place = rest.partition("?")[0]
    head, _, tail = place.rpartition("@")
    return f"{scheme}{mark}{HIDDEN}@{tail}" if head else f"{scheme}{mark}{place}"
