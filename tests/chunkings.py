"""Ways of cutting bytes into chunks: what a reader returns may not depend on which one it was."""

from __future__ import annotations

from hypothesis import strategies as st


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    """The data in chunks of the given sizes, round and round; [] gives one chunk."""
    if not sizes:
        return [data]
    pieces: list[bytes] = []
    position = turn = 0
    while position < len(data):
        size = sizes[turn % len(sizes)]
        pieces.append(data[position : position + size])
        position += size
        turn += 1
    return pieces


cuttings: st.SearchStrategy[list[int]] = st.one_of(st.just([]), st.just([1]), st.lists(st.integers(1, 30), min_size=1, max_size=6))
