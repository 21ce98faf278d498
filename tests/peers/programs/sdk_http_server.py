"""A server on the official SDK over HTTP: `sdk_http_server.py PORT sessions|stateless|sse`. Says "ready" once it listens."""

import importlib.metadata
import socket
import sys

import uvicorn
from sdk_server import server

GENERATION = int(importlib.metadata.version("mcp").split(".")[0])


def application(kind: str):
    if kind == "sse":
        return server.sse_app()
    if GENERATION == 1:
        server.settings.stateless_http = kind == "stateless"
        return server.streamable_http_app()
    return server.streamable_http_app(stateless_http=kind == "stateless")


class Announcing(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print("ready", flush=True)


if __name__ == "__main__":
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", int(sys.argv[1])))
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(application(sys.argv[2]), log_level="warning", timeout_graceful_shutdown=1)
    Announcing(config).run(sockets=[listening])
