"""Scheme, host and port of a URL: what may be shown of it, and what credentials are bound to."""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import urlsplit

from witnessmark.errors import UsageError

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class HttpOrigin(NamedTuple):
    """Where exchanges go."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def origin_of(url: str, server: str = "") -> HttpOrigin:
    """Scheme, host and port of a URL; UsageError where it is none that can be asked."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError("the URL cannot be read", where=server, hint="write it as https://host:port/path") from error
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise UsageError("the URL is none of http or https", where=server, hint="write it as https://host:port/path")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "the URL holds credentials", where=server, hint='send them as a header by reference: Authorization = "env:VARIABLE"'
        )
    return HttpOrigin(parts.scheme, parts.hostname, port or _DEFAULT_PORTS[parts.scheme])
