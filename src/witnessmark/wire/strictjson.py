"""Decode one JSON text strictly: a value, and every way in which the text was not plain JSON, by name.

Two ways through. The fast one lets msgspec decode and encode again: equal bytes (or an equal number of members) prove
that no member was lost, so that no name stood twice; msgspec itself refuses NaN, invalid UTF-8, lone surrogates and
numbers that do not fit. Whatever the fast way does not accept goes the slow way, through the standard library with
hooks, which tells what was wrong and keeps the value wherever there is one.

Nothing of the text's content is in a finding: only a kind, a byte offset and a word of ours.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import math
import re
from enum import StrEnum
from typing import Any, Final

import msgspec

MAX_DEPTH: Final = 128
"""Levels of arrays and objects. Python's own limit is about 1,000 calls, shared with our caller; real catalogs nest below 40."""

MAX_FRAME_BYTES: Final = 4 * 1024 * 1024
"""Bytes of one decoded text: a decoded value takes up to ten times its text, and the relay is promised 45 MB. Above it: bigframe."""

SEARCHED_BYTES: Final = 64 * 1024
"""From this size on brackets are searched for, below it counted: 130 searches cost as much as counting 40 kB."""

_ENVELOPE_MEMBERS: Final = ("params", "result", "error")
_META: Final = "_meta"
_QUOTATION_MARK: Final = 0x22
_BOM: Final = b"\xef\xbb\xbf"
_JSON_WHITESPACE: Final = b" \t\r\n"

# A string as one token (possessive, so that a long one takes no memory), or one bracket.
_STRING_OR_BRACKET: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|([\[{])|[\]}]', re.DOTALL)
# A surrogate pair, a surrogate without its other half (captured), or any other escape.
_ESCAPE: Final = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)", re.DOTALL)
_NO_BRACKETS: Final = bytes(code for code in range(256) if code not in b"[]{}")
_AS_BRACES: Final = bytes.maketrans(b"[]", b"{}")

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class JsonFinding(StrEnum):
    """What was found in a text that is not plain JSON; a closed list."""

    DUPLICATE_NAME = "DuplicateName"
    NOT_A_NUMBER = "NotANumber"
    NUMBER_OUT_OF_RANGE = "NumberOutOfRange"
    TOO_DEEP = "TooDeep"
    TOO_LARGE = "TooLarge"
    INVALID_UTF8 = "InvalidUtf8"
    LONE_SURROGATE = "LoneSurrogate"
    NOT_JSON = "NotJson"
    BOM_BEFORE = "BomBefore"


class Finding(msgspec.Struct, frozen=True):
    """One finding: its kind, the byte offset where it is known, and a word of ours (never content).

    `at_envelope` is told of a duplicate name only: it stands in the top-level object, in its `params`, `result` or
    `error`, or in their `_meta`, so that two readers may understand two different messages.
    """

    kind: JsonFinding
    offset: int | None = None
    detail: str = ""
    at_envelope: bool = False


class JsonLimits(msgspec.Struct, frozen=True):
    """How much one text may hold: `max_bytes` bytes, `max_depth` levels."""

    max_bytes: int = MAX_FRAME_BYTES
    max_depth: int = MAX_DEPTH


class Decoded(msgspec.Struct, frozen=True):
    """A decoded text: `value` (None where `has_value` is False) and what was found.

    Of a duplicate name the last one is the value, as in every decoder that does not complain. NaN and the infinities
    are floats. Integers are exact up to the interpreter's limit of digits (4,300 unless changed); beyond it, and for
    a decimal beyond a double, the value holds an infinity and the finding says NumberOutOfRange.
    """

    value: Any
    findings: tuple[Finding, ...] = ()
    has_value: bool = True

    @property
    def ambiguous(self) -> bool:
        """True if the envelope itself can be read in two ways."""
        return any(finding.at_envelope for finding in self.findings)


_DEFAULT_LIMITS: Final = JsonLimits()


def decode(data: bytes | bytearray | memoryview, limits: JsonLimits = _DEFAULT_LIMITS) -> Decoded:
    """The value of one JSON text and the findings about it; raises nothing, whatever the bytes are.

    Without a value: NotJson, InvalidUtf8, TooDeep, TooLarge. All other findings leave the value usable.
    """
    if type(data) is not bytes:
        data = bytes(data)
    if len(data) > limits.max_bytes:
        return _no_value(Finding(JsonFinding.TOO_LARGE, limits.max_bytes, "longer than the limit"))
    if _may_be_deep(data, limits.max_depth):
        deep_at = _first_too_deep(data, limits.max_depth)
        if deep_at is not None:
            return _no_value(Finding(JsonFinding.TOO_DEEP, deep_at, "more levels than the limit"))
    try:
        value = _decode(data)
        again = _encode(value)
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        return _decode_slowly(data)
    if again == data or _same_number_of_members(data, again):
        return Decoded(value)
    return _decode_slowly(data)


def _no_value(*findings: Finding) -> Decoded:
    return Decoded(None, findings, has_value=False)


def _same_number_of_members(data: bytes, again: bytes) -> bool:
    """Decides whether `again`, the re-encoded value of `data`, has as many members as `data` had.

    A member is `":` once whitespace is gone. A string that holds these two characters has them on both sides, unless
    one of them (or a space between them) was written as an escape: then this test does not apply. A lost duplicate
    lowers the count.
    """
    if b"\\u002" in data or b"\\u003" in data:
        return False
    stripped = data.translate(None, _JSON_WHITESPACE)
    return stripped.count(b'":') == again.translate(None, _JSON_WHITESPACE).count(b'":')


def _may_be_deep(data: bytes, limit: int) -> bool:
    """Whether the text holds so many opening brackets that it could nest deeper than `limit`; exact depth costs more."""
    if len(data) < SEARCHED_BYTES:
        return data.count(b"{") + data.count(b"[") > limit
    # A search passes over a long string many times faster than a count does, and ends at the bracket that is one too many.
    found = 0
    for bracket in (b"{", b"["):
        at = data.find(bracket)
        while at >= 0:
            found += 1
            if found > limit:
                return True
            at = data.find(bracket, at + 1)
    return False


def _first_too_deep(data: bytes, limit: int) -> int | None:
    """The byte offset of the bracket that opens one level more than `limit`, or None.

    First by peeling all innermost pairs at once, which costs little where strings hold no unbalanced bracket and can
    only overestimate; then, where that did not settle it, exactly.
    """
    brackets = data.translate(_AS_BRACES, _NO_BRACKETS)
    for _ in range(limit):
        peeled = brackets.replace(b"{}", b"")
        if not peeled:
            return None
        if len(peeled) == len(brackets):
            break
        brackets = peeled
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(data):
        if token.lastindex:
            depth += 1
            if depth > limit:
                return token.start()
        elif token.end() - token.start() == 1 and data[token.start()] != _QUOTATION_MARK:
            depth -= 1
    return None


class _Duplicated(dict[str, Any]):
    """An object in which a name stood twice; lives only while the place of the duplicate is looked for."""


class _Hooks:
    """What the standard library's decoder met on its way through one text."""

    def __init__(self) -> None:
        self.duplicated = False
        self.not_a_number = False
        self.out_of_range = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.duplicated = True
            return _Duplicated(made)
        return made

    def constant(self, name: str) -> float:
        self.not_a_number = True
        return float(name)

    def decimal(self, text: str) -> float:
        number = float(text)
        if math.isinf(number):
            self.out_of_range = True
        return number

    def integer(self, text: str) -> int | float:
        try:
            return int(text)
        except ValueError:  # more digits than the interpreter converts
            self.out_of_range = True
            return -math.inf if text.startswith("-") else math.inf


def _decode_slowly(data: bytes) -> Decoded:
    findings: list[Finding] = []
    shift = 0
    if data.startswith(_BOM):
        findings.append(Finding(JsonFinding.BOM_BEFORE, 0, "byte order mark before the text"))
        shift = len(_BOM)
    try:
        text = data[shift:].decode()
    except UnicodeDecodeError as error:
        return _no_value(*findings, Finding(JsonFinding.INVALID_UTF8, error.start + shift, error.reason))
    hooks = _Hooks()
    decoder = json.JSONDecoder(
        object_pairs_hook=hooks.pairs, parse_constant=hooks.constant, parse_float=hooks.decimal, parse_int=hooks.integer
    )
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode()) + shift
        detail = error.msg if text.strip() else "no text"
        return _no_value(*findings, Finding(JsonFinding.NOT_JSON, offset, detail))
    except RecursionError:  # our caller stood deep in the stack already
        return _no_value(*findings, Finding(JsonFinding.TOO_DEEP, None, "more levels than the stack has room for"))
    if hooks.duplicated:
        findings.append(
            Finding(JsonFinding.DUPLICATE_NAME, None, "a name stands twice in one object", at_envelope=_ambiguous_envelope(value))
        )
        value = _plain(value)
    if hooks.not_a_number:
        findings.append(Finding(JsonFinding.NOT_A_NUMBER, None, "NaN or an infinity"))
    if hooks.out_of_range:
        findings.append(Finding(JsonFinding.NUMBER_OUT_OF_RANGE, None, "a number that has no exact or finite value here"))
    lone = _first_lone_surrogate(data)
    if lone is not None:
        findings.append(Finding(JsonFinding.LONE_SURROGATE, lone, "half of a surrogate pair"))
    return Decoded(value, tuple(findings))


def _ambiguous_envelope(value: Any) -> bool:
    """Decides whether a duplicate stands where messages are told apart (of a batch: in any member)."""
    if isinstance(value, list):
        return any(_ambiguous_envelope(member) for member in value if isinstance(member, dict))
    if isinstance(value, _Duplicated):
        return True
    if not isinstance(value, dict):
        return False
    inner = [value[name] for name in _ENVELOPE_MEMBERS if isinstance(value.get(name), dict)]
    return any(isinstance(member, _Duplicated) or isinstance(member.get(_META), _Duplicated) for member in inner)


def _plain(value: Any) -> Any:
    """The same value with ordinary dicts only; its depth is bounded by the limit."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value


def _first_lone_surrogate(data: bytes) -> int | None:
    if b"\\u" not in data:
        return None
    for escape in _ESCAPE.finditer(data):
        if escape.lastindex:
            return escape.start()
    return None
