"""Rows as aligned columns of text.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from witnessmark.render.escape import width

GAP = "  "


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset(), indent: str = "") -> list[str]:
    """Lines with columns as wide as their widest cell. Columns named in `right` (by index) are aligned right, as numbers are.

    Cells are shown as they are: escape peers' names first. A row shorter than the header is filled with empty cells;
    columns that are empty in every row are left out, header included. No rows: no lines.
    """
    count = len(header)
    body = [[*row, *([""] * (count - len(row)))] for row in rows]
    if not body:
        return []
    used = [index for index in range(count) if any(row[index] for row in body)]
    lines = [list(header), *body]
    widths = {index: max(width(line[index]) for line in lines) for index in used}
    out = []
    for line in lines:
        cells = []
        for index in used:
            cell = line[index]
            pad = " " * (widths[index] - width(cell))
            cells.append(pad + cell if index in right else cell + pad)
        out.append((indent + GAP.join(cells)).rstrip())
    return out
