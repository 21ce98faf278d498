"""The default that a text names literally. Pure: no I/O, no clock."""

from __future__ import annotations

import re
from typing import Final

from witnessmark.contract.clauses import MAX_READ_CHARS

# Digits of a number that is compared by value.
_AMOUNT_DIGITS: Final = 15
_NUMBER: Final = re.compile(r"-?\d[\d,_]*(?:\.\d+)?")
# After "default", "defaults to", "default is", "default:", "default value of"; "by default" names no value.
_DEFAULT_SAID: Final = re.compile(
    r"(?<!by )\bdefault(?:s to|s? (?:value )?(?:is|of|=|to)|\s*[:=])?\s*(?P<quote>[`'\"])?"
    r"(?P<word>-?\d[\d,_]*(?:\.\d+)?|true|false|[\w./-]+)(?P=quote)?(?=[\s,.;)\]]|\Z)",
    re.IGNORECASE,
)


def default_said(text: str) -> tuple[str, bool | float | str] | None:
    """The one default that a text names literally, as written and as value; None if it names none or several.

    A bare word counts only in quotes: "default behaviour" names no value.
    """
    found = list(_DEFAULT_SAID.finditer(text[:MAX_READ_CHARS]))
    if len(found) != 1:
        return None
    word = found[0]["word"]
    if word.casefold() in {"true", "false"}:
        return word, word.casefold() == "true"
    if _NUMBER.fullmatch(word) and len(word) <= _AMOUNT_DIGITS:
        return word, float(word.replace(",", "").replace("_", ""))
    return (word, word) if found[0]["quote"] else None
