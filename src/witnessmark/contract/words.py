"""Which words changed between two texts, for renderers that mark them and for the text rules.

Pure: no I/O, no clock. Nothing is escaped here: a text may hold anything that a peer sent.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final, Literal

Mark = Literal["same", "removed", "added"]
Part = tuple[Mark, str]

# Pieces (words, signs, runs of space) of one side that are compared word by word. The matcher's cost grows with the
# product of both sides and worse on repetition: 400 take at most some 50 ms. The median description of a real tool
# has 25 words, the longest 1,500; of longer texts the unchanged lines are found first.
MAX_COMPARED_PIECES: Final = 400
# Lines of one side that are compared as lines; beyond it the changed middle is shown as one replacement.
MAX_COMPARED_LINES: Final = 400

_PIECE: Final = re.compile(r"\w+|\s+|[^\w\s]")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_TOO_SHORT_TO_KEEP: Final = re.compile(r"\W*")


def changed(before: str, after: str) -> list[Part]:
    """The parts of both texts in reading order: `same`, `removed` (only in `before`), `added` (only in `after`).

    The `same` and `removed` parts joined are `before`, the `same` and `added` parts joined are `after`, literally.
    Bounded: where a changed stretch exceeds the limits above it is one removed and one added part.
    """
    return _joined(_by_words(_PIECE.findall(before), _PIECE.findall(after)) or _by_lines(before, after))


def _by_words(before: list[str], after: list[str]) -> list[Part] | None:
    """The parts by word; None if too many pieces lie between the common beginning and the common end."""
    start = _common_start(before, after)
    end = _common_start(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(old), len(new)) > MAX_COMPARED_PIECES:
        return None
    parts: list[Part] = [("same", "".join(before[:start]))]
    parts.extend(_matched(old, new))
    parts.append(("same", "".join(before[len(before) - end :])))
    return parts


def _by_lines(before: str, after: str) -> list[Part]:
    """The parts of two long texts: lines first, then words inside each changed stretch of lines."""
    old, new = _LINE.findall(before), _LINE.findall(after)
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    parts: list[Part] = [("same", "".join(old[:start]))]
    if max(len(middle_old), len(middle_new)) > MAX_COMPARED_LINES:
        parts.extend((("removed", "".join(middle_old)), ("added", "".join(middle_new))))
    else:
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, middle_old, middle_new, autojunk=False).get_opcodes():
            gone, come = "".join(middle_old[i1:i2]), "".join(middle_new[j1:j2])
            if tag == "equal":
                parts.append(("same", gone))
            else:
                finer = _by_words(_PIECE.findall(gone), _PIECE.findall(come))
                parts.extend(finer if finer is not None else [("removed", gone), ("added", come)])
    parts.append(("same", "".join(old[len(old) - end :])))
    return parts


def _matched(old: list[str], new: list[str]) -> list[Part]:
    """The parts of two short lists of pieces. A lone space or sign between two changes is no common ground."""
    parts: list[Part] = []
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for at, (tag, i1, i2, j1, j2) in enumerate(codes):
        gone, come = "".join(old[i1:i2]), "".join(new[j1:j2])
        between_changes = 0 < at < len(codes) - 1
        if tag == "equal" and not (between_changes and _TOO_SHORT_TO_KEEP.fullmatch(gone)):
            parts.append(("same", gone))
        else:
            parts.extend((("removed", gone), ("added", come)))
    return parts


def _common_start(one: list[str], other: list[str]) -> int:
    """How many items both lists begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _joined(parts: list[Part]) -> list[Part]:
    """The parts without empty ones; between two `same` parts all that was removed stands before all that was added."""
    result: list[Part] = []
    removed, added = "", ""
    for mark, text in parts:
        if mark == "removed":
            removed += text
        elif mark == "added":
            added += text
        elif text:
            result.extend(_runs(removed, added))
            removed, added = "", ""
            result.append(("same", text))
    result.extend(_runs(removed, added))
    return result


def _runs(removed: str, added: str) -> list[Part]:
    """One removed and one added part, without empty ones."""
    runs: list[Part] = [("removed", removed), ("added", added)]
    return [part for part in runs if part[1]]
