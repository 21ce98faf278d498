"""A raw HTTP server that says what a test tells it to, and the proxy in front of it, each a process or a thread of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PROXY = Path(sys.executable).with_name("witnessmark")
PATIENCE_S = 30.0


def exchange(port: int, data: bytes, *, pieces: list[bytes] | None = None, until: bytes = b"", shut: bool = False) -> bytes:
    """What a connection answers to these bytes, until it ends or `until` was seen."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
        for piece in pieces if pieces is not None else [data]:
            connection.sendall(piece)
        if shut:
            connection.shutdown(socket.SHUT_WR)
        return read(connection, until)


def read(connection: socket.socket, until: bytes = b"") -> bytes:
    """Everything that comes, until the end or a text."""
    found = bytearray()
    connection.settimeout(PATIENCE_S)
    while not until or until not in found:
        try:
            piece = connection.recv(1 << 20)
        except ConnectionResetError:
            break
        if not piece:
            break
        found += piece
    return bytes(found)


def post(body: Any, *fields: str, path: str = "/mcp", close: bool = True, host: str = "x") -> bytes:
    """A POST of a JSON-RPC message."""
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        *fields,
    ]
    if close:
        head.append("Connection: close")
    return ("\r\n".join([*head, f"Content-Length: {len(text)}"]) + "\r\n\r\n").encode() + text


class RawServer:
    """Each connection is handed to `speak(connection, request bytes so far)`; what was received is kept by connection."""

    def __init__(self, speak: Callable[[socket.socket, bytes], None]) -> None:
        self._speak = speak
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=2_048)
        self.port = int(self._listening.getsockname()[1])
        self.received: list[bytes] = []
        self.ended: list[bool] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while True:
                request = read_request(connection)
                if not request:
                    return
                self.received.append(request)
                self._speak(connection, request)

    def close(self) -> None:
        self._listening.close()


def read_request(connection: socket.socket) -> bytes:
    """One whole request; empty at the end."""
    found = b""
    while b"\r\n\r\n" not in found:
        piece = connection.recv(65_536)
        if not piece:
            return b""
        found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length:
        pieces, size = [body], len(body)
        while size < int(length[1]):
            pieces.append(connection.recv(1 << 20))
            size += len(pieces[-1])
        body = b"".join(pieces)
    elif re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head):
        while not body.endswith(b"\r\n\r\n"):
            body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


def saying(answer: bytes) -> Callable[[socket.socket, bytes], None]:
    """A server that says the same each time."""
    return lambda connection, _: connection.sendall(answer)


def ok(body: bytes, *fields: str, kind: str = "application/json") -> bytes:
    """An answer with that body."""
    head = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", *fields, f"Content-Length: {len(body)}"]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


class Listening:
    """The proxy, listening."""

    def __init__(self, port: int, store: Path, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.store = store
        self.process = process

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def post(self, body: Any, *fields: str, **more: Any) -> bytes:
        """What a POST through the proxy is answered."""
        return exchange(self.port, post(body, *fields, host=self.host, **more))

    def end(self, by: int = signal.SIGTERM) -> int:
        """End it; its exit code."""
        self.process.send_signal(by)
        return self.process.wait(PATIENCE_S)

    def says(self, *words: str) -> str:
        """What a command says of the store."""
        ran = subprocess.run([str(PROXY), *words, "--store", str(self.store)], capture_output=True, text=True, check=False)
        return ran.stdout + ran.stderr

    def events(self) -> list[dict[str, Any]]:
        """Every event of every run, after the end."""
        runs: list[dict[str, Any]] = json.loads(self.says("runs", "--format", "json"))
        names = [each["run"] for each in runs]
        return [json.loads(line) for name in names for line in self.says("export", name).splitlines()]

    def kinds(self) -> list[str]:
        return [event["type"].removeprefix("witnessmark.") for event in self.events()]


@contextmanager
def listening(upstream: int | str, folder: Path, *words: str, env: dict[str, str] | None = None) -> Iterator[Listening]:
    """`witnessmark proxy --listen 127.0.0.1:0 --upstream ...`, until the block ends."""
    url = upstream if isinstance(upstream, str) else f"http://127.0.0.1:{upstream}/mcp"
    named = ["--upstream", url] if url else []
    store = folder / "evidence.db"
    command = [str(PROXY), "proxy", "--listen", "127.0.0.1:0", *named, "--server", "tickets", "--store", str(store), *words]
    if not url:
        command = [each for each in command if each not in ("--server", "tickets")]
    said = folder / f"said-{time.monotonic_ns()}"
    with said.open("wb") as errors:
        process = subprocess.Popen(command, stderr=errors, env={**os.environ, **(env or {})}, start_new_session=True)
    wait_until(lambda: b"http://" in said.read_bytes() or process.poll() is not None)
    found = re.findall(rb"at http://127\.0\.0\.1:(\d+)", said.read_bytes())
    assert found, said.read_text()
    port = int(found[-1])
    try:
        yield Listening(port, store, process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until(found: Callable[[], bool]) -> None:
    """Return once that holds; fails after PATIENCE_S."""
    until = time.monotonic() + PATIENCE_S
    while not found():
        assert time.monotonic() < until
        time.sleep(0.01)
