"""Replaces the values of a transcript's frames and keeps what a verdict needs: names, ids, versions, codes, contracts.

The text of a frame is rewritten token by token, never decoded and encoded again: a duplicate name, 2^53+1 and 1.0 stay what
they are, and so do the findings about them.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from typing import Any, Final

from witnessmark.adapters.placeholders import Placeholders
from witnessmark.adapters.transcript_shapes import CALL_RESULT, DEFAULT_PARAMS, FREE, HIDE, KEEP, PARAMS, RESULTS, Shape, message_shape
from witnessmark.model.evidence import Side
from witnessmark.wire.strictjson import JsonFinding, decode

MAX_REQUESTS_REMEMBERED: Final = 10_000
"""Requests whose method is kept to tell what their answer holds; an answer to an older one is hidden as a call's."""

MAX_DECLARED_NAMES: Final = 50_000
"""Property names of served contracts that are kept literally where they occur."""

_TOKEN: Final = re.compile(r'("(?:[^"\\]|\\.)*")|([\[{])|([\]}])|(,)|(:)|([ \t\r\n]+)|([^\s,:\[\]{}"]+)', re.DOTALL)
_WORDS: Final = frozenset({"true", "false", "null"})
_MARKS: Final = re.compile(r'"jsonrpc"|^[ \t]*content-(?:length|type)[ \t]*:', re.IGNORECASE)
"""What a reader tells junk from a lost message by, and another framing from both (wire.lines, observe.wirefaults)."""

_OTHER: Final[dict[Side, Side]] = {"client": "server", "server": "client"}


class TranscriptRedaction:
    """One transcript's redaction: call it with each frame's text, in order. Needs both directions to pair answers."""

    def __init__(self) -> None:
        self._placeholders = Placeholders()
        self._methods: OrderedDict[tuple[Side, str], str] = OrderedDict()
        self._declared: set[str] = set()

    def __call__(self, side: Side, data: bytes) -> bytes:
        """The frame with its values replaced; of text that is no JSON only the punctuation stays."""
        decoded = decode(data)
        if not decoded.has_value or any(finding.kind is JsonFinding.BOM_BEFORE for finding in decoded.findings):
            return _masked(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        value = decoded.value
        shapes = [self._shape(side, member) for member in value] if isinstance(value, list) else self._shape(side, value)
        return self._rewritten(data.decode("utf-8"), shapes).encode("utf-8")

    # --- which shape -------------------------------------------------------------------------------------------------

    def _shape(self, side: Side, message: Any) -> Shape:
        if not isinstance(message, dict):
            return HIDE
        method = message.get("method")
        if isinstance(method, str):
            if "id" in message:
                self._remember(side, message["id"], method)
            return message_shape(PARAMS.get(method, DEFAULT_PARAMS), CALL_RESULT)
        asked = self._methods.get((_OTHER[side], json.dumps(message.get("id"))), "tools/call")
        if asked == "tools/list":
            self._learn(message.get("result"))
        return message_shape(DEFAULT_PARAMS, RESULTS.get(asked, CALL_RESULT))

    def _remember(self, side: Side, request_id: Any, method: str) -> None:
        self._methods[side, json.dumps(request_id)] = method
        if len(self._methods) > MAX_REQUESTS_REMEMBERED:
            self._methods.popitem(last=False)

    def _learn(self, value: Any) -> None:
        """Remember the property names that the contracts in a `tools/list` result declare."""
        waiting = [value]
        while waiting:
            seen = waiting.pop()
            if isinstance(seen, list):
                waiting += seen
            elif isinstance(seen, dict):
                properties = seen.get("properties")
                if isinstance(properties, dict) and len(self._declared) < MAX_DECLARED_NAMES:
                    self._declared.update(properties)
                waiting += seen.values()

    # --- token by token ----------------------------------------------------------------------------------------------

    def _rewritten(self, text: str, shapes: Shape | list[Shape]) -> str:
        out: list[str] = []
        frames = [_Frame(shapes, in_object=False)]
        for match in _TOKEN.finditer(text):
            token = match[0]
            frame = frames[-1]
            match match.lastindex:
                case 1 if frame.in_object and frame.expects_name:
                    name = json.loads(token)
                    frame.shape_of_value = _member_shape(frame.shape, name)
                    token = self._name(frame.shape, name, token)
                case 1:
                    token = self._string(frame.shape_of_value, token)
                case 2:
                    frames.append(_Frame(frame.shape_of_value, in_object=match[2] == "{"))
                case 3:
                    frames.pop()
                case 4:
                    frame.next_member()
                case 5:
                    frame.expects_name = False
                case 7 if token not in _WORDS and frame.shape_of_value != KEEP:
                    token = self._placeholders.number(token)
                case _:
                    pass
            out.append(token)
        return "".join(out)

    def _name(self, shape: Shape | list[Shape], name: str, token: str) -> str:
        if shape != FREE or name in self._declared:
            return token
        return json.dumps(self._placeholders.text(name))

    def _string(self, shape: Shape | list[Shape], token: str) -> str:
        return token if shape == KEEP else json.dumps(self._placeholders.text(json.loads(token)))


class _Frame:
    """An open array or object: its shape, and the shape of the value that comes next in it."""

    __slots__ = ("_index", "expects_name", "in_object", "shape", "shape_of_value")

    def __init__(self, shape: Shape | list[Shape], *, in_object: bool) -> None:
        self.shape = shape
        self.in_object = in_object
        self.expects_name = in_object
        self._index = -1
        self.shape_of_value: Shape | list[Shape] = shape
        if not in_object:
            self.next_member()

    def next_member(self) -> None:
        self.expects_name = self.in_object
        self._index += 1
        if isinstance(self.shape, list) and not self.in_object:
            self.shape_of_value = self.shape[self._index] if self._index < len(self.shape) else HIDE


def _member_shape(shape: Shape | list[Shape], name: str) -> Shape:
    if isinstance(shape, dict):
        return shape.get(name, shape.get("*", HIDE))
    return HIDE if isinstance(shape, list) else shape


def _masked(text: str) -> str:
    """Text that is no JSON, with letters and digits as `x`, byte for byte; the marks that a reader looks for stay."""
    out: list[str] = []
    at = 0
    for mark in _MARKS.finditer(text):
        out += [_crossed_out(text[at : mark.start()]), mark[0]]
        at = mark.end()
    out.append(_crossed_out(text[at:]))
    return "".join(out)


def _crossed_out(text: str) -> str:
    return "".join(character if _says_nothing(character) else "x" * _size(character) for character in text)


def _says_nothing(character: str) -> bool:
    """True for punctuation, and for a byte that is no UTF-8, which is why this text is no JSON."""
    return (character.isascii() and not character.isalnum()) or "\udc80" <= character <= "\udcff"


def _size(character: str) -> int:
    return len(character.encode("utf-8", "surrogatepass"))
