"""An HTTP server on a thread whose answers a test writes itself, and which remembers what it was asked."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Message = dict[str, Any]


class Asked(NamedTuple):
    """One request as the server saw it; header names in lower case."""

    verb: str
    path: str
    headers: dict[str, str]
    message: Message

    @property
    def method(self) -> str:
        return str(self.message.get("method", ""))


class Exchange(BaseHTTPRequestHandler):
    """One request, with short words for the usual answers."""

    protocol_version = "HTTP/1.1"
    server: RawServer

    def log_message(self, *args: object) -> None:
        del args

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked = Asked(self.command, self.path, headers, json.loads(body) if body else {})
        self.server.asked.append(self.asked)
        try:
            self.server.act(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def status(self, code: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def result(self, result: Message, **headers: str) -> None:
        body = {"jsonrpc": "2.0", "id": self.asked.message["id"], "result": result}
        self.status(200, json.dumps(body).encode(), Content_Type="application/json", **headers)

    def error(self, code: int, status: int = 200, request: object = None) -> None:
        body = {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": "no"}}
        self.status(status, json.dumps(body).encode(), Content_Type="application/json")

    def events(self, **headers: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, message: Message | str, name: str = "", **fields: str) -> None:
        text = f"event: {name}\n" if name else ""
        text += "".join(f"{field}: {value}\n" for field, value in fields.items())
        text += f"data: {message if isinstance(message, str) else json.dumps(message)}\n\n"
        self.wfile.write(text.encode())
        self.wfile.flush()


for verb in ("GET", "POST", "DELETE"):
    setattr(Exchange, f"do_{verb}", Exchange._any)


class RawServer(ThreadingHTTPServer):
    """Runs `act` for each request."""

    daemon_threads = True

    def __init__(self, act: Callable[[Exchange], None], tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.scheme = "http" if tls is None else "https"
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.act = act
        self.asked: list[Asked] = []
        self.connections = 0
        self.open = threading.Event()
        """Set at the end of the test: whoever keeps an answer back waits for it."""

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/mcp"

    def get_request(self) -> tuple[Any, Any]:
        self.connections += 1
        return super().get_request()

    def handle_error(self, request: object, client_address: object) -> None:
        del request, client_address


@contextmanager
def serving(act: Callable[[Exchange], None], tls: ssl.SSLContext | None = None) -> Iterator[RawServer]:
    """The server, which ends with the block."""
    server = RawServer(act, tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.open.set()
        server.shutdown()
        thread.join()
        server.server_close()
