"""Which new name may be the old one: by text, likeness of names, role and place. A suspicion, never a proof.

Pure: no I/O, no clock. Likeness of names is compared only among names that are gone and names that are new.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, Final

import msgspec

from witnessmark.contract.schema_view import View, same, view

# Names on each side that are matched in one object: real objects lose and gain a handful.
_MAX_NAMES: Final = 48
# Characters of a name and words of a text that are compared.
_MAX_NAME_CHARS: Final = 96
_MAX_WORDS: Final = 400

# A beginning of fewer characters counts only of a name that is itself short: `q` of `query`, not `i` of `includeStatic`.
_MIN_SHORT_CHARS: Final = 3
_MAX_LONG_CHARS: Final = 6

NAME_LIKENESS: Final = 0.6
TEXT_LIKENESS: Final = 0.6

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_A-Za-z0-9]+")
_PROSE_WORD: Final = re.compile(r"\w+")

# Words of parameter names that say the same thing in different servers.
_ROLES: Final = (
    (
        "how many",
        frozenset(["limit", "count", "size", "max", "top", "maximum", "num", "number", "n", "k", "take", "first", "results", "rows"]),
    ),
    ("which page", frozenset(["page", "offset", "cursor", "skip", "start", "after", "before", "token"])),
    ("what is sought", frozenset(["query", "q", "search", "term", "terms", "keyword", "keywords", "text", "pattern", "filter"])),
    ("in which order", frozenset(["sort", "order", "orderby", "ordering", "sortby"])),
    ("where", frozenset(["path", "file", "filename", "filepath", "dir", "directory", "folder", "location"])),
    ("which one", frozenset(["id", "identifier", "key", "uid", "uuid", "name", "slug"])),
)


class Renamed(msgspec.Struct, frozen=True):
    """A name that is gone, the new one it probably became, and what speaks for it, in words."""

    old: str
    new: str
    reasons: tuple[str, ...]


def words_of(name: str) -> list[str]:
    """The words of an identifier, in lower case: `maxResults`, `max-results` and `max_results` have the same."""
    return [word.casefold() for word in _WORD.findall(name[:_MAX_NAME_CHARS])]


def folded(name: str) -> str:
    """The identifier without case and separators."""
    return "".join(words_of(name))


def name_likeness(one: str, other: str) -> float:
    """0 to 1: how alike two identifiers are without case and separators, 1 also where one is short for the other."""
    first, second = folded(one), folded(other)
    if not first or not second:
        return 0.0
    if first == second or _short_for(first, second) or _short_for(second, first):
        return 1.0
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _short_for(short: str, long: str) -> bool:
    """Whether one name is the beginning of the other (`q` of `query`, `repo` of `repository`)."""
    return len(short) < len(long) and long.startswith(short) and (len(short) >= _MIN_SHORT_CHARS or len(long) <= _MAX_LONG_CHARS)


def text_likeness(one: Any, other: Any) -> float:
    """0 to 1: the share of words that two texts have in common, counted with repetition; 0 where one has none."""
    if type(one) is not str or type(other) is not str:
        return 0.0
    first = Counter(_PROSE_WORD.findall(one.casefold())[:_MAX_WORDS])
    second = Counter(_PROSE_WORD.findall(other.casefold())[:_MAX_WORDS])
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def _role(name: str) -> str:
    """What the name's words say it is for, "" if they say nothing."""
    words = set(words_of(name))
    return next((role for role, signs in _ROLES if words & signs), "")


def successors(
    gone: Mapping[str, Any], new: Mapping[str, Any], old_order: list[str], new_order: list[str], roots: tuple[Any, Any]
) -> tuple[Renamed, ...]:
    """The likely renames among properties of one object, each name in at most one; the strongest first claim theirs.

    `gone` and `new` map names to schemas; the orders are the `required` lists; `roots` the documents for references.
    """
    lonely = len(gone) == 1 and len(new) == 1
    scored: list[tuple[float, int, str, str, tuple[str, ...]]] = []
    for place, (old_name, old_schema) in enumerate(list(gone.items())[:_MAX_NAMES]):
        old_view = view(old_schema, roots[0])
        for new_name, new_schema in list(new.items())[:_MAX_NAMES]:
            new_view = view(new_schema, roots[1])
            if not _same_types(old_view, new_view):
                continue
            score, reasons = _likeness(old_name, old_view, new_name, new_view)
            if old_name in old_order and new_name in new_order and old_order.index(old_name) == new_order.index(new_name) and lonely:
                score, reasons = score + 1, (*reasons, "same place among the required ones")
            if score >= 1:
                scored.append((-score, place, old_name, new_name, reasons))
    found: list[Renamed] = []
    taken: set[str] = set()
    for _, _, old_name, new_name, reasons in sorted(scored, key=lambda each: each[:2]):
        if f"-{old_name}" not in taken and f"+{new_name}" not in taken:
            taken |= {f"-{old_name}", f"+{new_name}"}
            found.append(Renamed(old_name, new_name, reasons))
    return tuple(found)


def _same_types(old: View, new: View) -> bool:
    """Whether both allow the same types; an integer is a number here, and a schema that says none fits only its like."""
    first = {"number" if each == "integer" else each for each in old.types or ()}
    second = {"number" if each == "integer" else each for each in new.types or ()}
    return first == second


def _likeness(old_name: str, old: View, new_name: str, new: View) -> tuple[float, tuple[str, ...]]:
    """How much speaks for one name having become the other, and what."""
    score = 0.0
    reasons: list[str] = []
    old_text, new_text = old.schema.get("description"), new.schema.get("description")
    likeness = text_likeness(old_text, new_text)
    if old_text and same(old_text, new_text):
        score += 4
        reasons.append("same description")
    elif likeness >= TEXT_LIKENESS:
        score += 1 + likeness
        reasons.append("similar description")
    likeness = name_likeness(old_name, new_name)
    if likeness >= NAME_LIKENESS:
        score += 1 + likeness
        reasons.append("similar name")
    role = _role(old_name)
    if role and role == _role(new_name):
        score += 1
        reasons.append(f"both say {role}")
    values = old.values
    if values and new.values and values.keys() == new.values.keys():
        score += 2
        reasons.append("same values")
    return score, tuple(reasons)
