"""A small HTTP service with idempotency keys, and the bad manners that a service can have. A process of its own."""

from __future__ import annotations

import json
import sys
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ORDERS: dict[str, int] = {}


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        key = self.headers["Idempotency-Key"].strip('"')
        self.rfile.read(int(self.headers["Content-Length"]))
        ORDERS[key] = ORDERS.get(key, 0) + (2 if "twice" in self.path else 1 if key not in ORDERS else 0)
        self._say(201, {"key": key})

    def do_GET(self) -> None:  # noqa: C901, PLR0912 - one case a bad manner
        path, _, query = self.path.partition("?")
        place, _, rest = path.strip("/").partition("/")
        match place:
            case "orders":
                self._say(200, {"key": rest, "count": ORDERS[rest]}) if rest in ORDERS else self._say(404, {})
            case "contradiction":
                self._say(200, {"key": "another", "count": 1})
            case "private":
                self._say(200 if self.headers["Authorization"] == "Bearer hush" else 401, {"version": 7})
            case "elsewhere":
                self._redirect(f"http://localhost:{self.connection.getsockname()[1]}/orders/{rest}")
            case "here":
                self._redirect(f"/orders/{rest}")
            case "bomb":
                self._raw(zlib.compress(b"0" * 50_000_000, 9), "Content-Encoding: deflate")
            case "endless":
                self.send_response(200)
                self.end_headers()
                while True:
                    self.wfile.write(b"0" * 65536)
            case "slow":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                while True:
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.05)
            case "short":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"{}")
                self.close_connection = True
            case "echo":
                self._say(200, {"path": path, "query": query})
            case "broken":
                self._say(503, {})
            case _:
                self._raw(b"not json")

    def _say(self, status: int, value: object) -> None:
        self._raw(json.dumps(value).encode(), "X-Kind: order", status=status)

    def _raw(self, body: bytes, *fields: str, status: int = 200) -> None:
        self.send_response(status)
        for field in fields:
            self.send_header(*field.split(": "))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _redirect(self, place: str) -> None:
        self.send_response(302)
        self.send_header("Location", place)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()
