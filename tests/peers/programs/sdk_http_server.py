"""A server on the official SDK over HTTP: `sdk_http_server.py sessions|stateless|sse`. Writes its port once it can be asked."""

import importlib.metadata
import socket
import sys

import uvicorn
from sdk_server import server

GENERATION = int(importlib.metadata.version("mcp").split(".", maxsplit=1)[0])


def application(kind: str) -> object:
    if kind == "sse":
        return server.sse_app()
    if GENERATION == 1:
        server.settings.stateless_http = kind == "stateless"
        return server.streamable_http_app()
    return server.streamable_http_app(stateless_http=kind == "stateless")


if __name__ == "__main__":
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    config = uvicorn.Config(application(sys.argv[1]), log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listening])
