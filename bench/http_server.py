"""A raw MCP server over HTTP without a framework: a call gets its text, a GET a stream; writes its port."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import httptools
import msgspec

from bench.echo_server import answer

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
_STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: {}\n\r\n"


class Connection(asyncio.Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.parser: Any = httptools.HttpRequestParser(self)
        self.body = b""

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        body, self.body = self.body, b""
        if self.parser.get_method() == b"GET":
            self.transport.write(_STREAM)
            return
        text = answer(body).rstrip(b"\n") if body else b""
        self.transport.write(_HEAD % (len(text), text) if text else b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")


async def main() -> None:
    """Serve until killed."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=2_048)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    msgspec.json.decode(b"{}")
    asyncio.run(main())
