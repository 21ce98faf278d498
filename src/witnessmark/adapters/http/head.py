"""Heads of HTTP messages: which fields go on, in their order and case, and how a body is framed (RFC 9110 and 9112)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

Field = tuple[bytes, bytes]
Framing = Literal["none", "length", "chunked", "close"]

HOP_BY_HOP: Final = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer",
     b"transfer-encoding", b"upgrade"}
)  # fmt: skip
"""RFC 9110 section 7.6.1: fields of one connection, never forwarded, nor is what `Connection` names."""

MAX_HEAD_BYTES: Final = 64 * 1024
"""Bytes of a head: what common servers take at most (Node 16 KiB, nginx 32 KiB)."""
MAX_FIELDS: Final = 256
"""Fields of a head; browsers send about twenty."""

HOP_FIELD: Final = b"Via"
_NO_BODY: Final = frozenset({204, 304})
_INTERIM_MAX: Final = 199


class Request(NamedTuple):
    """The head of a request as it came: `target` is the raw request target."""

    method: bytes
    target: bytes
    version: str
    fields: list[Field]

    def first(self, name: bytes) -> bytes | None:
        """The value of the first field of that lower-case name."""
        return next((value for field, value in self.fields if field.lower() == name), None)

    def all(self, name: bytes) -> list[bytes]:
        """The values of all fields of that lower-case name."""
        return [value for field, value in self.fields if field.lower() == name]

    @property
    def framing(self) -> Framing:
        """How its body is framed."""
        if self.first(b"transfer-encoding") is not None:
            return "chunked"
        return "length" if self.first(b"content-length") not in (None, b"0") else "none"


def facts_of(request: Request) -> dict[str, object]:
    """The head in the form that the observer reads; it keeps none of the values."""
    return {"method": request.method.decode("latin-1"), "headers": _texts(request.fields)}


def response_facts_of(status: int, fields: Iterable[Field]) -> dict[str, object]:
    """The head of a response in the form that the observer reads."""
    return {"status": status, "headers": _texts(fields)}


def _texts(fields: Iterable[Field]) -> list[list[str]]:
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in fields]


def end_to_end(fields: Sequence[Field], drop: frozenset[bytes] = frozenset()) -> list[Field]:
    """The fields that go on, in order, with their case and duplicates."""
    named = {
        word.strip().lower() for field, value in fields if field.lower() == b"connection" for word in value.split(b",") if word.strip()
    }
    hop = HOP_BY_HOP | named | drop
    return [(name, value) for name, value in fields if name.lower() not in hop]


def request_head(request: Request, target: bytes, host: bytes, fields: Sequence[Field]) -> bytes:
    """The bytes of a request's head for the server; its body is framed as it came."""
    lines = [b"%b %b HTTP/1.1\r\nHost: %b\r\n" % (request.method, target, host)]
    lines += [b"%b: %b\r\n" % field for field in fields]
    if request.framing == "chunked":
        lines.append(b"Transfer-Encoding: chunked\r\n")
    return b"".join((*lines, b"\r\n"))


def response_head(version: str, status: int, reason: bytes, fields: Sequence[Field], framing: Framing, *, keep: bool) -> bytes:
    """The bytes of a response's head for a client of that HTTP version."""
    lines = [b"HTTP/1.1 %d %b\r\n" % (status, reason)]
    lines += [b"%b: %b\r\n" % field for field in fields]
    if framing == "chunked":
        lines.append(b"Transfer-Encoding: chunked\r\n")
    if not keep:
        lines.append(b"Connection: close\r\n")
    elif version == "1.0":
        lines.append(b"Connection: keep-alive\r\n")
    return b"".join((*lines, b"\r\n"))


def response_framing(method: bytes, status: int, fields: Sequence[Field]) -> Framing:
    """How the body of a response is framed (RFC 9112 section 6.3)."""
    if method == b"HEAD" or status in _NO_BODY or status <= _INTERIM_MAX:
        return "none"
    names = {name.lower() for name, _ in fields}
    if b"transfer-encoding" in names:
        return "chunked"
    return "length" if b"content-length" in names else "close"


def chunk(data: bytes) -> bytes:
    """One chunk of the chunked coding."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def last_chunk(trailers: Sequence[Field]) -> bytes:
    """The end of the chunked coding, with the trailer fields."""
    return b"".join((b"0\r\n", *(b"%b: %b\r\n" % field for field in trailers), b"\r\n"))
