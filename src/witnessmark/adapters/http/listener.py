"""The listener: `witnessmark proxy --listen HOST:PORT`. One process, one loop, one or many servers, one store."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from witnessmark.adapters.diagnostics import say
from witnessmark.adapters.http.face import Face, Rules
from witnessmark.adapters.http.head import Request
from witnessmark.adapters.http.refusing import Refusal
from witnessmark.adapters.http.route import Route, route
from witnessmark.adapters.http.sessions import ServerSessions
from witnessmark.adapters.recorded_session import OnStoreFailure
from witnessmark.adapters.stdio_proxy import BEAT_S
from witnessmark.errors import UsageError, WorldError

if TYPE_CHECKING:
    from witnessmark.adapters.gate_setup import GateSetup
    from witnessmark.adapters.store.protocol import EvidenceStore
    from witnessmark.gate.session import GateSession
    from witnessmark.observe.observer import Observer
    from witnessmark.observe.redact import Redactor

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
MAX_TOKEN_BYTES: Final = 4_096
BACKLOG: Final = 1_024
"""Connections that the kernel holds while we are busy: thousands of streams may come back at once after a network cut."""


class Address(NamedTuple):
    """Where to listen."""

    host: str
    port: int

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK

    def __str__(self) -> str:
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """`HOST:PORT`, `[::1]:PORT` or `PORT` (then on 127.0.0.1). UsageError for anything else."""
    host, colon, port = text.rpartition(":")
    host = (host or ("" if colon else "127.0.0.1")).strip("[]")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:  # noqa: PLR2004 - 16 bits
        raise UsageError(f"{text!r} is no address", where="--listen", hint="write 127.0.0.1:7071, or only the port")
    return Address(host, int(port))


def read_token(text: str) -> bytes:
    """The token that `env:NAME` or a file with mode 0600 holds. UsageError where there is none, or others may read it."""
    if text.startswith("env:"):
        value = os.environ.get(text.removeprefix("env:"), "")
        if not value:
            raise UsageError(f"the variable {text.removeprefix('env:')} is not set", where="--token", hint="set it before the start")
        return value.encode()
    try:
        with open(text, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(MAX_TOKEN_BYTES + 1).strip()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=text, hint="--token env:NAME, or a file with mode 0600") from error
    if mode & 0o077:
        raise UsageError("may be read by other users of this host", where=text, hint=f"chmod 600 {text}")
    if not data or len(data) > MAX_TOKEN_BYTES:
        raise UsageError("holds no token", where=text, hint="one line of text, at most 4 KiB")
    return data


class Behind(NamedTuple):
    """A server behind the listener: its name, its URL, and the fields that are added for it (values already looked up)."""

    name: str
    url: str
    headers: Mapping[str, str] = {}


class Wanted(NamedTuple):
    """What the listener is to do."""

    address: Address
    servers: tuple[Behind, ...]
    mounted: bool
    """Each server under /mcp/NAME, instead of one whose paths are the listener's."""
    token: bytes | None
    origins: tuple[str, ...]
    run: str | None
    on_store_failure: OnStoreFailure
    gates: Mapping[str, GateSetup] = {}
    """By server, what its calls are held to (`enforce`)."""


def check(wanted: Wanted) -> None:
    """UsageError for what must not be started: open to others without a token, or its own upstream."""
    if not wanted.address.loopback and wanted.token is None:
        raise UsageError(
            "others can reach this address, and no token is asked of them", where="--listen", hint="give --token, or listen on 127.0.0.1"
        )
    for server in wanted.servers:
        if server.headers and wanted.token is None:
            raise UsageError(
                "credentials are added for this server, and no token is asked of who uses them", where=server.name, hint="give --token"
            )


class Proxy:
    """A running listener; `port` is the real one where 0 was asked for."""

    def __init__(self, wanted: Wanted, redactor: Redactor, open_store: Callable[[], EvidenceStore]) -> None:
        self._wanted = wanted
        self._redactor = redactor
        self._open_store = open_store
        self._faces: set[Face] = set()
        self._routes: dict[str, Route] = {}
        self._server: asyncio.Server | None = None
        self._mark = f"witnessmark-{os.urandom(8).hex()}".encode()
        self.port = 0

    async def start(self) -> None:
        """Listen. Raises WorldError where the port is taken, UsageError where a server is this listener itself."""
        address = self._wanted.address
        loop = asyncio.get_running_loop()
        rules: list[Rules] = []
        try:
            self._server = await loop.create_server(
                lambda: Face(self._find, rules[0], self._faces), address.host, address.port, backlog=BACKLOG, start_serving=False
            )
        except OSError as error:
            raise WorldError(
                f"cannot listen there: {error.strerror or error}", where=str(address), hint="choose another port, or end who holds it"
            ) from error
        self.port = int(self._server.sockets[0].getsockname()[1])
        names = {address.host, *(LOOPBACK if address.loopback else ())}
        hosts = frozenset(str(Address(name, self.port)).encode() for name in names)
        own = frozenset(b"http://" + host for host in hosts)
        allowed = own | frozenset(origin.lower().encode() for origin in self._wanted.origins)
        hosts = hosts if address.loopback else frozenset()
        rules.append(Rules(hosts, allowed, address.loopback, self._wanted.token, self._mark))
        for server in self._wanted.servers:
            setup = self._wanted.gates.get(server.name)
            sessions = ServerSessions(
                server.name,
                self._redactor,
                self._open_store,
                run=self._wanted.run,
                on_store_failure=self._wanted.on_store_failure,
                gate=self._gates(setup) if setup is not None else None,
            )
            prefix = f"/mcp/{server.name}".encode() if self._wanted.mounted else b""
            found = route(server.url, sessions, self._mark, own, server.headers, prefix, plain=setup is not None)
            sessions.route = found
            if found.pool.origin.host in names and found.pool.origin.port == self.port:
                raise UsageError("the server's address is this listener's own", where=server.url, hint="give the server's address")
            self._routes[server.name] = found
        await self._server.start_serving()

    def _gates(self, setup: GateSetup) -> Callable[[Observer], GateSession]:
        from witnessmark.adapters.gate_setup import gate_session  # noqa: PLC0415 - only in `enforce`

        return lambda observer: gate_session(setup, observer, self._redactor, enforce=True)

    def _look_at_locks(self) -> None:
        """Read a lockfile anew that changed: an approval lets the next call through."""
        for name, setup in self._wanted.gates.items():
            found = setup.lock.changed()
            if found is not None and name in self._routes:
                self._routes[name].sessions.locks(*found)

    def _find(self, request: Request) -> Route | Refusal:
        if self._wanted.gates:
            self._look_at_locks()
        if not self._wanted.mounted:
            return next(iter(self._routes.values()))
        for found in self._routes.values():
            rest = request.target.removeprefix(found.prefix)
            if rest != request.target and rest[:1] in (b"", b"/", b"?"):
                return found
        return Refusal(404, "no_server", "no server is mounted there", "the servers are under /mcp/NAME")

    async def serve(self) -> None:
        """Serve until a signal ends it."""
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, ended.set)
        beating = loop.create_task(self._beat())
        await ended.wait()
        beating.cancel()
        await self.stop()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            for found in self._routes.values():
                found.sessions.beat()

    async def stop(self) -> None:
        """Listen no more, end every exchange, close the evidence."""
        if self._server is not None:
            self._server.close()
        for face in list(self._faces):
            face.close()
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # a transport tells of its end in the next turns of the loop
        for found in self._routes.values():
            found.pool.close()
            found.sessions.close()

    def addresses(self) -> dict[str, str]:
        """Where a client finds each server."""
        from witnessmark.adapters.http.route import path_of  # noqa: PLC0415 - for a person, once

        base = f"http://{Address(self._wanted.address.host, self.port)}"
        return {
            server.name: base + (f"/mcp/{server.name}" if self._wanted.mounted else path_of(server.url)) for server in self._wanted.servers
        }


def run(wanted: Wanted, redactor: Redactor, open_store: Callable[[], EvidenceStore]) -> int:
    """Listen and serve until a signal; the exit code."""
    check(wanted)

    async def main() -> None:
        proxy = Proxy(wanted, redactor, open_store)
        await proxy.start()
        for name, address in proxy.addresses().items():
            say(f"server {name} at {address}")
        await proxy.serve()

    asyncio.run(main())
    return 0
