"""Placeholders for values: of equal length and shape, equal for equal values, and telling nothing of them.

Equal values must stay equal and different ones different, because a verdict joins cursors, operation keys and task ids by
equality. A long value's placeholder comes from a keyed hash (the key dies with the process); a short one's is remembered,
since two short values would soon meet.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Final

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
_DIGEST_CHARS: Final = 32
"""160 bits of a hash in letters: what is longer is filled up, so a megabyte costs one hash and not thousands."""
_SHORT_CHARS: Final = 10
"""Up to here (50 bits) two of a million values might share a placeholder, so these are remembered."""
MAX_REMEMBERED: Final = 50_000
"""Short values remembered, about 10 MB; beyond it new ones are only hashed, and two of them may meet."""

_NUMBER: Final = re.compile(r"(-?)(\d+)(\.\d+)?([eE][+-]?\d+)?")


class Placeholders:
    """One transcript's placeholders."""

    def __init__(self) -> None:
        self._key = os.urandom(32)
        self._given: dict[tuple[str, str], str] = {}
        self._taken: set[tuple[str, str]] = set()

    def text(self, value: str) -> str:
        """As many ASCII characters as `value` has bytes in UTF-8; the empty text stays empty, which is a value of its own."""
        size = len(value.encode("utf-8", "surrogatepass"))
        if size == 0:
            return ""
        if size > _SHORT_CHARS:
            return self._letters(value, 0, size)
        return self._distinct("text", value, lambda turn: self._letters(value, turn, size))

    def number(self, token: str) -> str:
        """A JSON number of the same length: sign, point and exponent stay, and so does a lone zero before a point."""
        match = _NUMBER.fullmatch(token)
        if match is None:
            return token  # NaN and the infinities, which are findings and no values
        sign, whole, fraction, exponent = match.groups(default="")
        return self._distinct("number", token, lambda turn: sign + self._digits(token, turn, whole, fraction) + exponent)

    def _distinct(self, kind: str, value: str, candidate: Callable[[int], str]) -> str:
        known = self._given.get((kind, value))
        if known is not None:
            return known
        found = candidate(0)
        if len(self._given) >= MAX_REMEMBERED:
            return found
        # One character has 32 placeholders: where all are taken, two values meet after all.
        for turn in range(1, 4 * len(_ALPHABET)):
            if (kind, found) not in self._taken:
                break
            found = candidate(turn)
        self._given[kind, value] = found
        self._taken.add((kind, found))
        return found

    def _hash(self, value: str, turn: int) -> bytes:
        return hmac.digest(self._key, turn.to_bytes(2) + value.encode("utf-8", "surrogatepass"), sha256)

    def _letters(self, value: str, turn: int, size: int) -> str:
        return "".join(_ALPHABET[byte & 31] for byte in self._hash(value, turn)[:size])[:_DIGEST_CHARS].ljust(size, "x")

    def _digits(self, token: str, turn: int, whole: str, fraction: str) -> str:
        digits = "".join(str(byte % 10) for byte in self._hash(token, turn))
        size = len(whole)
        if whole == "0" and fraction:
            hidden = "0"
        else:
            hidden = digits[:size].ljust(size, "7")
            if size > 1 and hidden[0] == "0":
                hidden = "1" + hidden[1:]
        return hidden + ("." + digits[-len(fraction) + 1 :].rjust(len(fraction) - 1, "3")[: len(fraction) - 1] if fraction else "")
