"""HTTP exchanges with one origin, each with a time limit; nothing of a URL but scheme, host and port reaches a message.

http.client, because it is there and the work is small: two methods, no cookies, no redirects but those on the same origin.
(2025-11-25 and 2026-07-28 basic/authorization: credentials go nowhere else.)
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

from witnessmark.adapters.http_origin import origin_of
from witnessmark.adapters.prober.ending import EndCode, NoAnswer, ProbeEnded, ServerGone
from witnessmark.errors import UsageError

READ_BYTES: Final = 1 << 16
"""Bytes taken from a body at once."""
MAX_REDIRECTS: Final = 3
"""A path without its last slash takes one; more than three is a loop."""
_REDIRECTS: Final = frozenset((301, 302, 307, 308))


class NotReached(ProbeEnded):
    """The connection broke before an answer began."""


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


class Response:
    """An answer whose body is still to be read. Close it always."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        raw: http.client.HTTPResponse,
        sock: socket.socket,
        idle: list[http.client.HTTPConnection],
    ) -> None:
        self.status = raw.status
        self.session_id = raw.getheader("mcp-session-id")
        self.location = raw.getheader("location")
        self.challenge = raw.getheader("www-authenticate") or ""
        self.encoded = (raw.getheader("content-encoding") or "identity").strip().lower() != "identity"
        self.media = (raw.getheader("content-type") or "").partition(";")[0].strip().lower()
        self._connection = connection
        self._raw = raw
        self._sock = sock
        self._idle = idle

    def read(self, left_s: float) -> bytes:
        """The next bytes of the body, b"" at its end; TimeoutError or OSError where none come."""
        if left_s <= 0:
            raise TimeoutError
        self._sock.settimeout(left_s)
        return self._raw.read1(READ_BYTES)

    def header(self, name: str) -> str | None:
        """The value of a field of the answer; None where it has none."""
        return self._raw.getheader(name)

    def cut(self) -> None:
        """End the exchange from another thread: whoever reads it gets its end."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Keep the connection for the next exchange if the body was read to its end, else give it up."""
        if self._raw.length == 0:
            self._raw.read()
        if self._raw.isclosed() and not self._raw.will_close and self._connection.sock is not None:
            self._idle.append(self._connection)
            return
        self._raw.close()
        self._connection.close()
        with contextlib.suppress(OSError):
            self._sock.close()


class Connections:
    """Exchanges with one URL's origin. `headers` go with each; their values are never shown.

    A guard cuts every socket at `deadline`: a peer that sends a byte now and then could otherwise stretch a time limit.
    """

    def __init__(self, url: str, headers: Mapping[str, str], deadline: float, server: str = "") -> None:
        self.origin = origin_of(url, server)
        self.url = url
        self.deadline = deadline
        self._headers = dict(headers)
        self._sockets: set[socket.socket] = set()
        self._tls: ssl.SSLContext | None = None
        # Appended to and popped from by two threads: both are one step for a list.
        self._idle: list[http.client.HTTPConnection] = []
        self._guard = threading.Timer(max(0.0, deadline - time.monotonic()), self._cut_all)
        self._guard.daemon = True
        self._guard.start()

    def close(self) -> None:
        """Close what is open."""
        self._guard.cancel()
        self._cut_all()
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, limit_s: float) -> Response:
        """The answer's head within `limit_s` seconds; ProbeEnded where none comes. Follows redirects on the same origin."""
        until = min(time.monotonic() + limit_s, self.deadline)
        for _ in range(MAX_REDIRECTS + 1):
            response = self._once(method, url, headers, body, until, limit_s)
            if response.status not in _REDIRECTS or response.location is None:
                return response
            location = response.location
            response.close()
            url = self.on_origin(urljoin(url, location), "redirects")
        raise ProbeEnded(EndCode.UNREACHABLE, f"{self.origin} redirects more than {MAX_REDIRECTS} times")

    def on_origin(self, url: str, verb: str) -> str:
        """The URL, if it lies on our origin; ProbeEnded otherwise, so that headers go nowhere else."""
        try:
            same = origin_of(url) == self.origin
        except UsageError:
            same = False
        if not same:
            raise ProbeEnded(EndCode.UNREACHABLE, f"{self.origin} {verb} to another origin; name that one if you trust it")
        return url

    def _once(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, until: float, limit_s: float) -> Response:
        while self._idle:
            connection = self._idle.pop()
            try:
                return self._asked(connection, method, url, headers, body, until, limit_s)
            except (ServerGone, NotReached):
                continue  # it was closed there while it lay idle: nothing of ours was answered, and nothing of ours changes anything
        with self._mapped_errors(method, limit_s):
            fresh = self._connect(until)
        return self._asked(fresh, method, url, headers, body, until, limit_s)

    def _asked(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        until: float,
        limit_s: float,
    ) -> Response:
        try:
            with self._mapped_errors(method, limit_s):
                sock = connection.sock
                sock.settimeout(max(0.001, until - time.monotonic()))
                # The caller's headers last: a server may want another User-Agent.
                connection.request(method, _target(urlsplit(url)), body, {**headers, **self._headers})
                return Response(connection, connection.getresponse(), sock, self._idle)
        except BaseException:
            connection.close()
            raise

    def _connect(self, until: float) -> http.client.HTTPConnection:
        left = max(0.001, until - time.monotonic())
        if self.origin.scheme == "https":
            self._tls = self._tls or ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                self.origin.host, self.origin.port, timeout=left, context=self._tls
            )
        else:
            connection = http.client.HTTPConnection(self.origin.host, self.origin.port, timeout=left)
        connection.connect()
        self._sockets.add(connection.sock)
        return connection

    @contextlib.contextmanager
    def _mapped_errors(self, method: str, limit_s: float) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise NoAnswer(EndCode.TIME, f"no answer to {method} of {self.origin} within {limit_s:g} s") from None
        except ssl.SSLError as error:
            raise ProbeEnded(EndCode.UNREACHABLE, f"{self.origin}: TLS failed ({error.reason or type(error).__name__})") from None
        except socket.gaierror:
            raise ProbeEnded(EndCode.UNREACHABLE, f"{self.origin}: the host's name leads nowhere") from None
        except ConnectionRefusedError:
            raise ProbeEnded(EndCode.UNREACHABLE, f"{self.origin}: the connection was refused") from None
        except http.client.RemoteDisconnected:
            raise ServerGone(EndCode.ENDED, f"{self.origin} hung up before it answered") from None
        except http.client.HTTPException as error:
            raise ProbeEnded(EndCode.NOT_MCP, f"{self.origin} does not answer in HTTP ({type(error).__name__})") from None
        except (UnicodeError, ValueError):
            raise UsageError("a header or the URL holds a character that HTTP does not allow", where=str(self.origin)) from None
        except OSError as error:
            raise NotReached(EndCode.UNREACHABLE, f"{self.origin}: {error.strerror or type(error).__name__}") from None

    def _cut_all(self) -> None:
        for sock in tuple(self._sockets):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
