"""The one door between what was observed and what is stored: everything that enters a fact goes through it.

Values that must be joinable (arguments, an operation key, a session id) become `<key id>:<32 hex>`: HMAC-SHA-256 under
a key that stays on the host, cut to 128 bits, over a purpose word and the value's canonical JSON text. So a value of
few possibilities cannot be guessed from the log, and equal values of two purposes do not meet.

What is kept literally is bounded in length and characters, and has one method each here: an id that looks made by a
machine, a tool's name, a protocol version, a method of the closed list, a scope name.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

import msgspec

from witnessmark.wire.jsonrpc import id_token
from witnessmark.wire.revisions import OTHER_METHOD, is_version_shaped, method_name

HASH_HEX_DIGITS: Final = 32
"""Hex digits of a keyed hash that are kept: 128 bits, so that 2^64 values are needed before two are likely to meet."""

MAX_NAME_CHARS: Final = 128
"""Characters of a name that are kept: the longest tool name of the specification (2025-11-25, server/tools)."""

MAX_ID_CHARS: Final = 40
"""Characters of an id that is kept literally: a UUID with its quotes has 38."""

MAX_SCOPES: Final = 32
"""Scope names of one challenge that are kept; real ones list below ten."""

MAX_FLAGS: Final = 64
"""Capability flags of one side that are kept; the richest revision defines about thirty."""

UNRECOGNISED: Final = "unrecognised"

_BLOCK_BYTES: Final = 64  # of SHA-256, RFC 2104
_CUT_DIGITS: Final = 16
_LAST_OF_FOUR_DIGITS: Final = 0xFFFF


class Purpose(StrEnum):
    """What a hash is for: hashes of two purposes never compare equal."""

    ARGUMENTS = "arguments"
    OPERATION_KEY = "operation_key"
    CURSOR = "cursor"
    TOKEN = "token"  # noqa: S105 - a progress token is no password
    REQUEST_STATE = "request_state"
    SESSION_ID = "session_id"
    TASK = "task"
    ID = "id"
    NAME = "name"


# A UUID, or up to 12 letters, at most one separator, digits: what programs count with, and no place for a secret.
_MACHINE_ID: Final = re.compile(r'"(?:[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|[A-Za-z]{0,12}[-_.:/#]?\d{1,20})"')
# Drafts announce themselves as DRAFT-2026-v1.
_DRAFT_VERSION: Final = re.compile(r"DRAFT-\d{4}-v\d{1,3}")
_SAFE_SCOPE: Final = re.compile(r"[A-Za-z0-9_.:/*+-]{1,64}")
_SAFE_WORD: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_SAFE_FLAG: Final = re.compile(r"[A-Za-z0-9_./-]{1,64}")
# Printable for Python, invisible for people: variation selectors, the joiner, Hangul and Khmer fillers, Braille blank.
_INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")

_encode_sorted = msgspec.json.Encoder(order="sorted").encode


def canonical_text(value: Any) -> bytes:
    """One byte string for one JSON value: names sorted, no white space. Defined for whatever a JSON decoder yields."""
    try:
        return _encode_sorted(value)
    except (UnicodeEncodeError, msgspec.MsgspecError, ValueError, OverflowError, RecursionError, TypeError):
        # A lone surrogate: the standard library escapes it. A prefix keeps the two forms apart.
        return b"\\" + json.dumps(value, sort_keys=True, separators=(",", ":"), default=str).encode("ascii")


class Redactor:
    """The door, with its key. `key_id` names the key in every hash: hashes under two keys never compare equal."""

    __slots__ = ("_inner", "_outer", "_prefix", "key_id")

    def __init__(self, key_id: str, key: bytes) -> None:
        if not _SAFE_WORD.fullmatch(key_id):
            raise ValueError("a key id is 1 to 40 letters, digits, '_', '.' or '-'")
        self.key_id = key_id
        self._prefix = key_id + ":"
        block = (sha256(key).digest() if len(key) > _BLOCK_BYTES else key).ljust(_BLOCK_BYTES, b"\x00")
        # HMAC (RFC 2104), with the state after key and purpose kept: half the cost of starting anew for each value.
        self._outer = sha256(bytes(byte ^ 0x5C for byte in block))
        start = bytes(byte ^ 0x36 for byte in block)
        self._inner = {purpose.value: sha256(start + purpose.value.encode() + b"\x00") for purpose in Purpose}

    def hashed(self, purpose: str, value: Any) -> str:
        """The keyed hash of a JSON value; `bytes` are taken as they are, so that bytes and text of two kinds never meet."""
        return self.hashed_bytes(purpose, b"b" + value if type(value) is bytes else b"j" + canonical_text(value))

    def hashed_bytes(self, purpose: str, data: bytes) -> str:
        """The keyed hash of bytes as they are."""
        inner = self._inner[purpose].copy()
        inner.update(data)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return self._prefix + outer.hexdigest()[:HASH_HEX_DIGITS]

    def id(self, token: str) -> str:
        """The fact form of an id token (wire.jsonrpc.id_token): integers and machine-made strings literally, else hashed."""
        if token.isdigit() and len(token) <= MAX_ID_CHARS:
            return token
        return self._odd_id(token)

    def _odd_id(self, token: str) -> str:
        if len(token) <= MAX_ID_CHARS and (_MACHINE_ID.fullmatch(token) or (token[:1] == "-" and token[1:].isdigit())):
            return token
        return "h:" + self.hashed_bytes(Purpose.ID, token.encode("ascii", "backslashreplace"))

    def id_token(self, value: int | str) -> str:
        """The fact form of an id as a decoded value: `7` for 7, `"7"` (with its quotes) for "7"."""
        return self.id(id_token(value))

    def name(self, value: Any, limit: int = MAX_NAME_CHARS) -> str:
        """A tool's, server's or client's name: as sent, characters that cannot be seen written out, at most `limit` long.

        A name that is cut ends in `~` and 16 hex digits of its keyed hash, so that two long names stay two. What is no
        text is "".
        """
        if type(value) is not str:
            return ""
        text: str = value if value.isascii() and value.isprintable() else self._visible(value)
        if len(text) <= limit:
            return text
        return text[: limit - _CUT_DIGITS - 1] + "~" + self.hashed(Purpose.NAME, value)[-_CUT_DIGITS:]

    @staticmethod
    def _visible(value: str) -> str:
        return "".join(char if char.isprintable() and not _INVISIBLE.match(char) else _escaped(ord(char)) for char in value)

    @staticmethod
    def version(value: Any) -> str:
        """A protocol version that looks like one; "unrecognised" for other text, "" for what is no text."""
        if type(value) is not str:
            return ""
        return value if is_version_shaped(value) or _DRAFT_VERSION.fullmatch(value) else UNRECOGNISED

    @classmethod
    def versions(cls, values: Any) -> tuple[str, ...]:
        """The protocol versions of a list, at most MAX_SCOPES of them; () for what is no list."""
        if not isinstance(values, list | tuple):
            return ()
        return tuple(cls.version(value) for value in values[:MAX_SCOPES] if type(value) is str)

    @staticmethod
    def method(value: Any) -> str:
        """A method of the closed list, else `_OTHER`."""
        return method_name(value) if type(value) is str else OTHER_METHOD

    @staticmethod
    def word(value: Any) -> str:
        """A short word of a closed vocabulary (scheme, status, error code): as sent if it looks like one, else ""."""
        return value if type(value) is str and _SAFE_WORD.fullmatch(value) else ""

    @staticmethod
    def scopes(values: Iterable[Any]) -> tuple[str, ...]:
        """Scope names of safe characters, sorted as sent, at most MAX_SCOPES of 64 characters; others are left out."""
        return tuple(value for value in values if type(value) is str and _SAFE_SCOPE.fullmatch(value))[:MAX_SCOPES]

    @staticmethod
    def flags(capabilities: Any) -> tuple[str, ...]:
        """Capabilities as sorted dotted flags (`tools`, `tools.listChanged`), two levels deep; only what is true or present.

        At most MAX_FLAGS; a member whose name does not look like a flag is left out. () for what is no object.
        """
        if type(capabilities) is not dict:
            return ()
        found: list[str] = []
        for name, member in capabilities.items():
            if len(found) >= MAX_FLAGS:
                break
            if member is False or member is None or not _SAFE_FLAG.fullmatch(name):
                continue
            found.append(name)
            if type(member) is dict:
                found += [
                    f"{name}.{inner}" for inner, value in member.items() if value not in (False, None) and _SAFE_FLAG.fullmatch(inner)
                ]
        return tuple(sorted(found)[:MAX_FLAGS])


def _escaped(code: int) -> str:
    return f"\\u{code:04x}" if code <= _LAST_OF_FOUR_DIGITS else f"\\U{code:08x}"


def text_digest(text: str) -> str:
    """The SHA-256 of a text that must be comparable between hosts (a server's instructions)."""
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
