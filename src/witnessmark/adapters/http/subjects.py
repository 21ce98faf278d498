"""Whose exchange it is: what tells one client's session with a server from another's, without looking at connections.

To 2025-11-25 a session has an id, given with the answer to `initialize`. Since 2026-07-28 there is none: the subject is the
authorization context and the client's identity (verdicts.md section 1). What was sent in headers is hashed here and forgotten.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from witnessmark.adapters.http.head import Request
from witnessmark.wire.revisions import META_CLIENT_INFO, META_PROTOCOL_VERSION

_HASH_BYTES: Final = 16
ADDRESS_BYTES: Final = 4_096
"""Of a stream so much is looked at for the address of its messages: it is the first event."""

Key = tuple[str, ...]


class _Message(msgspec.Struct):
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"")


class _Params(msgspec.Struct, rename={"meta": "_meta"}):
    meta: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(_Message).decode
_decode_params = msgspec.json.Decoder(_Params).decode


class Subject(NamedTuple):
    """The key of an exchange's session; `begins` where it is the handshake of a new one."""

    key: Key
    begins: bool = False


def subject_of(request: Request, body: bytes) -> Subject:
    """Whose request this is."""
    session = request.first(b"mcp-session-id")
    if session is not None:
        return Subject(session_key(session))
    context = _hashed(request.first(b"authorization") or b"")
    method, meta = _said(body)
    if meta is not None and META_PROTOCOL_VERSION in meta and method != "initialize":
        info = meta.get(META_CLIENT_INFO)
        name, version = (info.get("name"), info.get("version")) if isinstance(info, dict) else ("", "")
        return Subject(("modern", context, str(name)[:128], str(version)[:128]))
    query = urlsplit(request.target.decode("latin-1")).query
    if query:
        return Subject(endpoint_key(request.target))
    key = ("stateless", context, _hashed(request.first(b"user-agent") or b""))
    return Subject(key, begins=method == "initialize" or (request.method == b"GET" and not body))


def session_key(session: bytes) -> Key:
    """The key of a session id."""
    return ("session", _hashed(session))


def endpoint_key(target: bytes) -> Key:
    """The key of the address that a stream of 2024-11-05 names for its messages."""
    parts = urlsplit(target.decode("latin-1"))
    return ("endpoint", _hashed(f"{parts.path}?{parts.query}".encode()))


class MessageAddress:
    """2024-11-05: the first event of a stream names the address of its messages, which have no other sign of their session."""

    def __init__(self) -> None:
        self._seen = b""
        self._over = False

    def feed(self, data: bytes) -> Key | None:
        """The key of that address, once it was seen; None before, after, and where the stream is another."""
        if self._over:
            return None
        self._seen += data
        if b"\n\n" not in self._seen and b"\r\n\r\n" not in self._seen and len(self._seen) <= ADDRESS_BYTES:
            return None
        self._over = True
        lines = self._seen.replace(b"\r", b"\n").split(b"\n")
        self._seen = b""
        if not any(line.strip() == b"event: endpoint" for line in lines):
            return None
        address = next((line[5:].strip() for line in lines if line.startswith(b"data:")), b"")
        return endpoint_key(address) if address else None


def _hashed(value: bytes) -> str:
    return blake2b(value, digest_size=_HASH_BYTES).hexdigest() if value else ""


def _said(body: bytes) -> tuple[str, dict[str, Any] | None]:
    """Method and `_meta` of a message; of a batch, or of what is none, nothing."""
    if not body or body[:1] == b"[":
        return "", None
    try:
        message = _decode(body)
        params = _decode_params(message.params) if bytes(message.params)[:1] == b"{" else _Params()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "", None
    return message.method, params.meta
