"""Answers of the proxy itself: in JSON-RPC where the client asked in it, else in plain words; each with a reason for the evidence."""

from __future__ import annotations

import json
import ssl
from typing import Final, NamedTuple

import msgspec

from witnessmark.adapters.http.head import Field

CODE: Final = 71_002
"""The error code of a request that the proxy could not pass on; outside of the ranges that JSON-RPC and MCP reserve."""


class Refusal(NamedTuple):
    """What stopped a request: HTTP status, the reason (one word, for evidence and programs), the sentence, and what to do."""

    status: int
    reason: str
    text: str
    hint: str


class _Envelope(msgspec.Struct):
    id: int | str | None = None
    method: str = ""


_decode = msgspec.json.Decoder(_Envelope).decode
_REASONS: Final = {
    400: b"Bad Request", 403: b"Forbidden", 404: b"Not Found", 413: b"Content Too Large",
    421: b"Misdirected Request", 431: b"Request Header Fields Too Large", 502: b"Bad Gateway", 503: b"Service Unavailable",
    504: b"Gateway Timeout", 508: b"Loop Detected",
}  # fmt: skip


def answer(refusal: Refusal, body: bytes) -> tuple[int, bytes, list[Field], bytes]:
    """Status, reason phrase, fields and body of the answer; `body` is the request's, whose id a JSON-RPC error repeats."""
    said = f"witnessmark: {refusal.text} ({refusal.hint})"
    try:
        asked = _decode(body) if body else _Envelope()
    except (msgspec.DecodeError, UnicodeDecodeError):
        asked = _Envelope()
    if asked.method and asked.id is not None:
        data = {"witnessmark": "refusal/1", "reason": refusal.reason, "next": refusal.hint, "sent": False}
        text = json.dumps({"jsonrpc": "2.0", "id": asked.id, "error": {"code": CODE, "message": said, "data": data}}).encode()
        kind = b"application/json"
    else:
        text, kind = (said + "\n").encode(), b"text/plain; charset=utf-8"
    fields = [(b"Content-Type", kind), (b"Content-Length", b"%d" % len(text))]
    return refusal.status, _REASONS.get(refusal.status, b"Error"), fields, text


def unreachable(error: BaseException, origin: str) -> Refusal:
    """Why no connection to the server could be made."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Refusal(502, "certificate", f"the certificate of {origin} is not valid: {error.verify_message}", "mend it at the server")
    if isinstance(error, ssl.SSLError):
        return Refusal(502, "tls", f"no TLS connection to {origin}", "look at the server's TLS settings")
    if isinstance(error, TimeoutError):
        return Refusal(504, "connect_timeout", f"{origin} did not take a connection in time", "look whether it is reachable from here")
    why = getattr(error, "strerror", None) or type(error).__name__
    return Refusal(502, "unreachable", f"{origin} cannot be reached ({why})", "look whether the server runs")
