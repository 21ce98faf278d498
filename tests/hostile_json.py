"""Hypothesis strategies for JSON at its edges: what canonical forms get wrong first."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

# Characters whose order or spelling differs between encodings, escapes, and the mapping's own prefix.
EDGE_TEXTS = (
    "",
    "a",
    "\u0000",
    "\b\t\n\f\r\u000b",
    '"\\/',
    "\u007f\u0080",
    "\u2028\u2029",
    "\u20ac",
    "\ufb33",
    "\uffff",
    "\U0001f600",
    "\U00010000",
    "\ud800",
    "\udfff\ud800",
    "\ud83d\ude00",
    "$jcs1:",
    "$jcs1:integer",
    "$jcs1:utf16",
    "$jcs1:name:0061",
    "$jcs2:integer",
)
EDGE_NUMBERS: tuple[int | float, ...] = (
    0,
    -0.0,
    1.0,
    -1,
    2**53 - 1,
    2**53,
    2**53 + 1,
    -(2**53),
    -(2**53) - 1,
    2**63 - 1,
    2**64 - 1,
    2**64,
    10**21,
    10**400,
    float(2**53),
    1e-7,
    1e21,
    1e16,
    123456789012345680.0,
    5e-324,
    1.7976931348623157e308,
    0.1,
)

texts = st.one_of(st.sampled_from(EDGE_TEXTS), st.text(st.characters(exclude_categories=()), max_size=6))
numbers = st.one_of(st.sampled_from(EDGE_NUMBERS), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())


def _spells_no_name_twice(value: dict[str, Any]) -> bool:
    """A decoder joins surrogate pairs, so that no decoded object has one name in two spellings."""
    return len({name.encode("utf-16-be", "surrogatepass") for name in value}) == len(value)


def names_to(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects whose members come from `inner`."""
    return st.dictionaries(texts, inner, max_size=4).filter(_spells_no_name_twice)


leaves = st.one_of(st.none(), texts, numbers)
values: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), names_to(inner)),
    max_leaves=12,
)
