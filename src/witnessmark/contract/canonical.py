"""The canonical bytes of a JSON value: RFC 8785 (JCS), and a mapping for what RFC 8785 refuses.

Pure: no I/O, no clock.

RFC 8785 has no form for an integer that a double does not hold, nor for a string with a lone surrogate. Real catalogs
carry both (`maximum: 18446744073709551615`), and such a tool still needs a contract. Mapping version 1 replaces them
before the RFC's rules apply:

    integer n, |n| > 2^53 - 1, that is exactly a double   the double: RFC 8785 writes it as it writes 1e300
    any other integer n, |n| > 2^53 - 1                   {"$jcs1:integer": "<decimal digits, '-' if negative>"}
    string value with a lone surrogate                    {"$jcs1:utf16": "<its UTF-16BE code units, lower-case hex>"}
    member name with a lone surrogate,
      or one that begins with "$jcs1:"                    "$jcs1:name:<its UTF-16BE code units, lower-case hex>"

Why two values never collide: after the mapping a member name begins with "$jcs1:" only where the mapping put it there,
because every name of the sender that begins so was escaped to "$jcs1:name:...". So an object whose only member is
"$jcs1:integer" or "$jcs1:utf16" is a mapped leaf, every "$jcs1:name:" is an escaped name, and the mapping can be undone.
Equal forms therefore mean equal values, where numbers are equal by mathematical value (1 and 1.0, 2^60 and 2.0^60).
The version stands in the prefix, so that forms of two mapping versions cannot meet either.

A value that needs no mapping has exactly the form that RFC 8785 gives it. The fast path below is the standard library's
encoder and is used only where its output is that form; the property tests compare it with the `rfc8785` library.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

import rfc8785

from witnessmark.errors import PeerError

MAPPING_VERSION: Final = 1

_PREFIX: Final = "$jcs1:"
_INTEGER: Final = _PREFIX + "integer"
_UTF16: Final = _PREFIX + "utf16"
_NAME: Final = _PREFIX + "name:"

# RFC 8785 section 3.1 takes numbers from I-JSON (RFC 7493 section 2.2): integers that a double holds one by one.
_SAFE_INTEGER_MAX: Final = 2**53 - 1

# Levels of nesting, as many as strict JSON lets through. Deeper values are refused, so that neither our walk nor the
# library's recursion meets the interpreter's limit (1,000 frames), which would depend on who called us. Real tool
# schemas stay below 30.
MAX_DEPTH_LEVELS: Final = 128

# Bits of one integer: below the 4,300 decimal digits at which Python refuses to print one.
MAX_INTEGER_BITS: Final = 14_000

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BEYOND_BMP: Final = re.compile("[\U00010000-\U0010ffff]")
# A member name of the mapping, or a text that looks like one: the slow path tells them apart.
_PREFIX_IN_TEXT: Final = f'"{_PREFIX}'


def canonical_bytes(value: object) -> bytes:
    """The canonical form of a JSON value as UTF-8 bytes: RFC 8785 after mapping version 1.

    Takes what a JSON decoder yields: dict with str names, list, str, int, float, bool, None. Anything else, NaN, an
    infinity, more than `MAX_DEPTH_LEVELS` levels or an integer above `MAX_INTEGER_BITS` raises PeerError: such a value
    has no contract that two programs would agree on.
    """
    if _is_plain(value, MAX_DEPTH_LEVELS):
        text = _ENCODER.encode(value)
        if _PREFIX_IN_TEXT not in text:
            if text.isascii():
                return text.encode("ascii")
            # Code point order and UTF-16 order of names differ only where a name has a character beyond the BMP.
            if _SURROGATE.search(text) is None and (_BEYOND_BMP.search(text) is None or not _has_name_beyond_bmp(value)):
                return text.encode("utf-8")
    return rfc8785.dumps(_mapped(value, MAX_DEPTH_LEVELS))


def _is_plain(value: Any, levels_left: int) -> bool:
    """Whether the standard encoder may see the value: exact JSON types, names that are str, safe integers, no float."""
    kind = type(value)
    if kind is dict:
        if not levels_left:
            return False
        for name, member in value.items():
            if type(name) is not str:
                return False
            # Most members are texts: a call each would double the cost of the walk.
            if type(member) is not str and not _is_plain(member, levels_left - 1):
                return False
        return True
    if kind is list:
        if not levels_left:
            return False
        return all(type(item) is str or _is_plain(item, levels_left - 1) for item in value)
    if kind is int:
        return bool(-_SAFE_INTEGER_MAX <= value <= _SAFE_INTEGER_MAX)
    return kind is str or kind is bool or value is None


def _has_name_beyond_bmp(value: Any) -> bool:
    """Whether any member name of a plain value has a character above U+FFFF."""
    if type(value) is dict:
        return any(_BEYOND_BMP.search(name) is not None or _has_name_beyond_bmp(member) for name, member in value.items())
    if type(value) is list:
        return any(_has_name_beyond_bmp(item) for item in value)
    return False


def _mapped(value: Any, levels_left: int) -> Any:
    """A copy of the value that RFC 8785 accepts, by mapping version 1."""
    kind = type(value)
    if kind is bool or value is None:
        return value
    if kind is str:
        joined = _joined(value)
        return joined if _SURROGATE.search(joined) is None else {_UTF16: _code_units(joined)}
    if kind is int:
        return _mapped_integer(value)
    if kind is float:
        if not math.isfinite(value):
            raise _ambiguous("NaN or an infinity")
        return value
    if kind is not dict and kind is not list:
        raise _ambiguous(f"a {kind.__name__}, which JSON does not have")
    if not levels_left:
        raise _ambiguous(f"more than {MAX_DEPTH_LEVELS} levels of nesting")
    if kind is list:
        return [_mapped(item, levels_left - 1) for item in value]
    copy: dict[str, Any] = {}
    for name, member in value.items():
        if type(name) is not str:
            raise _ambiguous("a member name that is not a string")
        mapped_name = _mapped_name(_joined(name))
        # A decoder joins surrogate pairs; a caller that built the value otherwise may hold one name in two spellings.
        if mapped_name in copy:
            raise _ambiguous("one member name twice")
        copy[mapped_name] = _mapped(member, levels_left - 1)
    return copy


def _mapped_integer(number: int) -> Any:
    """The number itself if RFC 8785 takes it, else the equal double, else the wrapper with its decimal digits."""
    if -_SAFE_INTEGER_MAX <= number <= _SAFE_INTEGER_MAX:
        return number
    if number.bit_length() > MAX_INTEGER_BITS:
        raise _ambiguous(f"an integer of more than {MAX_INTEGER_BITS} bits")
    try:
        double = float(number)
    except OverflowError:
        double = math.inf
    if double == number:
        return double
    return {_INTEGER: str(number)}


def _mapped_name(name: str) -> str:
    """The member name itself, or its escape if it has a lone surrogate or looks like a name of the mapping."""
    if name.startswith(_PREFIX) or _SURROGATE.search(name) is not None:
        return _NAME + _code_units(name)
    return name


def _joined(text: str) -> str:
    """The text with each surrogate pair as the one character that it spells; lone surrogates stay."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def _code_units(text: str) -> str:
    """The UTF-16BE code units of a text, in lower-case hexadecimal."""
    return text.encode("utf-16-be", "surrogatepass").hex()


def _ambiguous(what: str) -> PeerError:
    """The error for a value that has no canonical form."""
    return PeerError(
        f"ambiguous contract: the definition has {what}",
        hint="the sender must send plain JSON: finite numbers, names that are strings, reasonable nesting",
    )
