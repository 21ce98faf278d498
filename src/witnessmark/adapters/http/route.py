"""Where the requests of one listener go: the server's connections, its sessions, and the fields that are added for it."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from witnessmark.adapters.http.head import Field, Request, end_to_end
from witnessmark.adapters.http.sessions import ServerSessions
from witnessmark.adapters.http.upstream import Pool
from witnessmark.adapters.http_origin import HttpOrigin, origin_of

_OURS: Final = frozenset({b"host", b"expect", b"witnessmark-token"})
"""Fields that are for this hop: the server's own name, a wait that is over, the listener's token."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Route(NamedTuple):
    """One server behind the proxy. `mark` is this process's own, by which a request that comes back is known."""

    pool: Pool
    sessions: ServerSessions
    host: bytes
    mark: bytes
    own_origins: frozenset[bytes]
    added: tuple[Field, ...] = ()
    prefix: bytes = b""
    base: bytes = b""
    plain: bool = False
    """Answers must be readable (`enforce`): no coding is asked for."""

    def target(self, request: Request) -> bytes:
        """The target at the server: as it came, or for a mounted server what follows the prefix, under the path of its URL."""
        return self.base + request.target[len(self.prefix) :] if self.prefix else request.target

    def fields(self, request: Request) -> list[Field]:
        """The fields of a request for the server: as they came, but for those of this hop. `Via` tells of it (RFC 9110 section 7.6.3)."""
        added = {name.lower() for name, _ in self.added} | ({b"accept-encoding"} if self.plain else set())
        kept = end_to_end(request.fields, _OURS | added)
        origin = f"{self.pool.origin.scheme}://{self.host.decode('latin-1')}".encode("latin-1")
        # The listener's own origin stands for the server's: its check of Origin sees what it would see without us.
        kept = [(name, origin if name.lower() == b"origin" and value in self.own_origins else value) for name, value in kept]
        return [*kept, (b"Via", b"1.1 " + self.mark), *self.added]


def route(
    url: str,
    sessions: ServerSessions,
    mark: bytes,
    own_origins: frozenset[bytes],
    headers: Mapping[str, str],
    prefix: bytes = b"",
    *,
    plain: bool = False,
) -> Route:
    """The route to the server at `url`, mounted under `prefix` if there is one. Certificates are verified.

    UsageError where the URL is none that can be asked.
    """
    origin = origin_of(url)
    context = ssl.create_default_context() if origin.scheme == "https" else None
    added = tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items())
    base = path_of(url).encode("latin-1", "replace") if prefix else b""
    return Route(Pool(origin, context), sessions, host_of(origin), mark, own_origins, added, prefix, base, plain)


def host_of(origin: HttpOrigin) -> bytes:
    """The value of `Host` for an origin."""
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    named = host if origin.port == _DEFAULT_PORTS[origin.scheme] else f"{host}:{origin.port}"
    return named.encode("ascii" if named.isascii() else "idna")


def path_of(url: str) -> str:
    """The path of a URL, with its query."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
