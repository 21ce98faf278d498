"""Names that a peer chose, made harmless for a terminal: nothing in them can move the cursor, change a colour, reverse
the reading direction, hide, or fill the screen.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final
from unicodedata import category, combining, east_asian_width

NAME_CHARS: Final = 64
"""Longest name shown whole: the tool-name limit of the common model APIs; what is longer is cut and marked."""

_UNSAFE: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_BMP_LAST: Final = 0xFFFF
_WIDE: Final = frozenset("WF")


def _shown(char: str) -> str:
    kind = category(char)
    if kind in _UNSAFE or (kind == "Zs" and char != " ") or combining(char):
        code = ord(char)
        return f"\\u{code:04x}" if code <= _BMP_LAST else f"\\U{code:08x}"
    return char


def name(text: str, limit: int = NAME_CHARS) -> str:
    r"""`text` with control, format (bidi, zero width), combining, private and unassigned characters as \uXXXX, and cut.

    `limit` counts characters of the result; a cut name ends in `...` and tells its whole length, so that two long names
    with one beginning are not taken for each other unawares. Backslashes stay single: evidence holds names that were
    escaped in the same way when they were recorded.
    """
    # Escapes make a character at most 10 long: looking at `limit` characters and one more is enough.
    shown = "".join(_shown(char) for char in text[: limit + 1])
    if len(text) <= limit and len(shown) <= limit:
        return shown
    mark = f"...({len(text)} characters)"
    room = max(0, limit - len(mark))
    kept = ""
    for char in text:
        piece = _shown(char)
        if len(kept) + len(piece) > room:
            break
        kept += piece
    return kept + mark


def width(text: str) -> int:
    """Columns that `text` takes on a terminal: wide East Asian characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in _WIDE else 1 for char in text)


def line(text: str, limit: int = 2_000) -> str:
    """A message of ours as one line. `limit` keeps an error about a file's content from becoming that content."""
    kept = "".join(_shown(char) for char in text[:limit])
    return kept if len(text) <= limit else f"{kept}..."
