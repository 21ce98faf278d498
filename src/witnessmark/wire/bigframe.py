"""The envelope of a JSON-RPC frame that is too big to decode, read as it arrives, without building its value.

The scanner follows the root object and the few objects in it that tell messages apart (`params`, `result`, `error`,
their `_meta`); there it checks names, colons, commas and scalars. Everything deeper is jumped over: brackets are
matched, strings are skipped whole, scalars and commas are not looked at. So `closed` says that every string and
bracket was closed and the envelope is JSON; it does not say that the inside is.

Memory: one byte a level (at most MAX_DEPTH), the wanted scalars (at most MAX_TOKEN_BYTES each), at most
MAX_NAMES_REMEMBERED names an object. Cost: one regular-expression step a bracket, whatever lies between.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import codecs
import re
from enum import Enum, auto
from typing import Any, Final

from witnessmark.wire.envelope import FOLLOWED, PRESENCE_ONLY, WANTED, Envelope
from witnessmark.wire.strictjson import MAX_DEPTH, Finding, JsonFinding, decode

MAX_TOKEN_BYTES: Final = 2048
"""Bytes of a member's name or of a wanted scalar: eight times the longest id that is kept; the rest of a longer one is skipped."""

MAX_NAMES_REMEMBERED: Final = 64
"""Names of one envelope object that are compared to find duplicates; the revisions define at most 12 members for any of them."""

_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_STRING_BODY: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_SCALAR: Final = re.compile(rb'[^ \t\r\n,:"\[\]{}]*+')
# All that is neither a bracket nor an unfinished string.
_INSIDE: Final = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)
# Control characters that JSON allows nowhere unescaped.
_ALLOWED_BYTES: Final = bytes(code for code in range(256) if code >= 0x20 or code in b"\t\r\n")  # noqa: PLR2004 - the space

_QUOTE, _COLON, _COMMA = b'":,'
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_ARRAY, _CLOSE_ARRAY = b"{}[]"
_CLOSED_BY: Final = {_OPEN_OBJECT: _CLOSE_OBJECT, _OPEN_ARRAY: _CLOSE_ARRAY}


class _Expect(Enum):
    NAME_OR_END = auto()
    NAME = auto()
    COLON = auto()
    VALUE = auto()
    COMMA_OR_END = auto()
    NOTHING = auto()


class _Followed:
    """One object of the envelope that is open now."""

    __slots__ = ("expect", "members", "name", "names", "path")

    def __init__(self, path: tuple[str, ...], members: dict[str, Any]) -> None:
        self.path = path
        self.members = members
        self.names: set[str] = set()
        self.name = ""
        self.expect = _Expect.NAME_OR_END


class BigFrameScanner:
    """Reads one frame in any number of chunks: `feed` them all, then ask `envelope()` (at any time)."""

    __slots__ = (
        "_batch",
        "_capture",
        "_escaped",
        "_findings",
        "_followed",
        "_in_scalar",
        "_in_string",
        "_root",
        "_size",
        "_stack",
        "_stopped",
        "_utf8",
    )

    def __init__(self) -> None:
        self._size = 0
        self._stack = bytearray()
        self._root: dict[str, Any] = {}
        # The outermost entry is no object of the frame: its only "member" is the root value.
        self._followed: list[_Followed] = [_Followed((), {})]
        self._followed[0].expect = _Expect.VALUE
        self._batch = False
        self._in_string = False
        self._escaped = False
        self._in_scalar = False
        self._capture: bytearray | None = None
        self._findings: dict[JsonFinding, Finding] = {}
        self._stopped = False
        self._utf8 = codecs.getincrementaldecoder("utf-8")()

    @property
    def size(self) -> int:
        """Bytes fed so far."""
        return self._size

    def envelope(self) -> Envelope:
        """What is known by now; final once every chunk was fed."""
        closed = not self._stopped and self._followed[0].expect is _Expect.NOTHING and not self._utf8.getstate()[0]
        findings = tuple(sorted(self._findings.values(), key=lambda finding: (finding.offset or 0, finding.kind)))
        return Envelope(_copy(self._root), self._size, closed, self._batch, findings)

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes of the frame; raises nothing, whatever they are."""
        start = self._size
        self._size += len(chunk)
        self._check_utf8(chunk, start)
        control = chunk.translate(None, _ALLOWED_BYTES)
        end = chunk.index(control[:1]) if control else len(chunk)
        usable = chunk[:end] if control else chunk
        position = 0
        while position < end and not self._stopped:
            position = self._step(usable, position, start)
        if control and not self._stopped:
            self._stop(start + end, "unescaped control character")

    def _check_utf8(self, chunk: bytes, start: int) -> None:
        if JsonFinding.INVALID_UTF8 in self._findings:
            return
        held = len(self._utf8.getstate()[0])
        if not held and chunk.isascii():
            return
        try:
            self._utf8.decode(chunk)
        except UnicodeDecodeError as error:
            self._note(JsonFinding.INVALID_UTF8, start - held + error.start, error.reason)
            self._utf8.reset()

    def _note(self, kind: JsonFinding, offset: int, detail: str, *, at_envelope: bool = False) -> None:
        self._findings.setdefault(kind, Finding(kind, offset, detail, at_envelope))

    def _stop(self, offset: int, detail: str) -> None:
        self._note(JsonFinding.NOT_JSON, offset, detail)
        self._stopped = True

    def _step(self, chunk: bytes, position: int, start: int) -> int:
        """Consumes one token, or what is here of it; the position after it."""
        if self._in_string:
            return self._string(chunk, position, start)
        if self._in_scalar:
            return self._scalar(chunk, position, start)
        if len(self._stack) >= len(self._followed):
            return self._inside(chunk, position, start)
        skipped = _SPACE.match(chunk, position)
        if skipped is not None:
            position = skipped.end()
        if position == len(chunk):
            return position
        code = chunk[position]
        if code in b"]}":
            self._close(code, start + position)
            return position + 1
        return self._envelope_token(code, position, start)

    def _inside(self, chunk: bytes, position: int, start: int) -> int:
        """Goes over what lies deeper than the envelope, bracket by bracket, until it is left or the chunk ends."""
        stack, outside = self._stack, len(self._followed)
        while True:
            skipped = _INSIDE.match(chunk, position)
            if skipped is not None:
                position = skipped.end()
            if position == len(chunk):
                return position
            code = chunk[position]
            if code == _QUOTE:
                self._in_string = True
                self._capture = None
                return position + 1
            if code in (_OPEN_OBJECT, _OPEN_ARRAY):
                if len(stack) == MAX_DEPTH:
                    self._open(code, start + position)
                    return position
                stack.append(code)
            elif len(stack) > outside and _CLOSED_BY[stack[-1]] == code:
                stack.pop()
            else:  # the outermost one, or a wrong one
                self._close(code, start + position)
                return position + 1
            position += 1

    def _envelope_token(self, code: int, position: int, start: int) -> int:
        here = self._followed[-1]
        offset = start + position
        if code in (_COLON, _COMMA):
            wanted, then = (_Expect.COLON, _Expect.VALUE) if code == _COLON else (_Expect.COMMA_OR_END, _Expect.NAME)
            if here.expect is not wanted:
                self._stop(offset, "punctuation out of place")
            here.expect = then
            return position + 1
        if here.expect in {_Expect.NAME, _Expect.NAME_OR_END}:
            if code != _QUOTE:
                self._stop(offset, "a member's name was due")
            self._begin_string(capture=True)
            return position + 1
        if here.expect is not _Expect.VALUE:
            self._stop(offset, "more than one value")
            return position + 1
        if code in b"[{":
            self._open(code, offset)
            return position + 1
        if len(self._followed) == 1:
            self._stop(offset, "neither an object nor an array")
            return position + 1
        capture = (*here.path, here.name) in WANTED
        if code == _QUOTE:
            self._begin_string(capture=capture)
            return position + 1
        self._in_scalar = True
        self._capture = bytearray()
        return position

    def _begin_string(self, *, capture: bool) -> None:
        self._in_string = True
        self._capture = bytearray(b'"') if capture else None

    def _string(self, chunk: bytes, position: int, start: int) -> int:
        begin = position
        if self._escaped:
            self._escaped = False
            position += 1
        body = _STRING_BODY.match(chunk, position)
        end = body.end() if body is not None else position
        if end < len(chunk):
            if chunk[end] == _QUOTE:
                self._in_string = False
            else:  # a lone backslash at the very end
                self._escaped = True
            end += 1
        self._keep(chunk, begin, end)
        if not self._in_string and len(self._stack) == len(self._followed) - 1:
            self._string_ended(start + end)
        return end

    def _keep(self, chunk: bytes, begin: int, end: int) -> None:
        """Appends to the captured token, up to one byte more than is allowed (which marks it as too long)."""
        if self._capture is not None:
            room = MAX_TOKEN_BYTES + 1 - len(self._capture)
            self._capture += chunk[begin : min(end, begin + room)]

    def _string_ended(self, offset: int) -> None:
        here = self._followed[-1]
        if here.expect is _Expect.VALUE:
            self._value_ended(offset)
            return
        name = self._captured(offset)
        self._capture = None
        here.expect = _Expect.COLON
        here.name = name if isinstance(name, str) else ""
        if not isinstance(name, str):
            return
        if name in here.names:
            self._note(JsonFinding.DUPLICATE_NAME, offset, "a name stands twice in the envelope", at_envelope=True)
        elif len(here.names) < MAX_NAMES_REMEMBERED:
            here.names.add(name)

    def _scalar(self, chunk: bytes, position: int, start: int) -> int:
        found = _SCALAR.match(chunk, position)
        end = found.end() if found is not None else position
        self._keep(chunk, position, end)
        if end < len(chunk):
            self._in_scalar = False
            self._value_ended(start + end)
        return end

    def _captured(self, offset: int) -> Any:
        """The captured token's value; an empty array where it was too long, so that it is no id, no method, no code."""
        token = bytes(self._capture or b"")
        if len(token) > MAX_TOKEN_BYTES:
            return []
        decoded = decode(token)
        for finding in decoded.findings:
            self._note(finding.kind, offset, finding.detail)
        if not decoded.has_value and not any(finding.kind is JsonFinding.INVALID_UTF8 for finding in decoded.findings):
            self._stopped = True
        return decoded.value if decoded.has_value else []

    def _value_ended(self, offset: int) -> None:
        here = self._followed[-1]
        path = (*here.path, here.name)
        if self._capture is not None:
            value = self._captured(offset)
            if path in WANTED:
                here.members[here.name] = "" if path in PRESENCE_ONLY and isinstance(value, str) else value
        self._capture = None
        here.expect = _Expect.COMMA_OR_END

    def _open(self, code: int, offset: int) -> None:
        if len(self._stack) == MAX_DEPTH:
            self._note(JsonFinding.TOO_DEEP, offset, "more levels than the limit")
            self._stopped = True
            return
        here = self._followed[-1]
        at_followed = len(self._stack) == len(self._followed) - 1
        self._stack.append(code)
        if not at_followed:
            return
        if len(self._stack) == 1:
            self._batch = code == _OPEN_ARRAY
            if not self._batch:
                self._followed.append(_Followed((), self._root))
            return
        path = (*here.path, here.name)
        if path not in WANTED:
            return
        members: dict[str, Any] = {}
        here.members[here.name] = members if code == _OPEN_OBJECT else []
        if code == _OPEN_OBJECT and path in FOLLOWED:
            self._followed.append(_Followed(path, members))

    def _close(self, code: int, offset: int) -> None:
        if not self._stack or _CLOSED_BY[self._stack[-1]] != code:
            self._stop(offset, "a bracket that closes nothing")
            return
        if len(self._stack) == len(self._followed) - 1:
            ended = self._followed.pop()
            if ended.expect not in {_Expect.NAME_OR_END, _Expect.COMMA_OR_END}:
                self._stop(offset, "an object that ends in mid-member")
        self._stack.pop()
        if len(self._stack) == len(self._followed) - 1:
            self._followed[-1].expect = _Expect.COMMA_OR_END if self._stack else _Expect.NOTHING


def _copy(value: dict[str, Any]) -> dict[str, Any]:
    return {name: _copy(member) if isinstance(member, dict) else member for name, member in value.items()}
