"""Somebody who does what a page says, in a folder of their own, with a server of their own behind the proxy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from peers.raw_client import RawClient

SERVER: Final = """
from witnessmark.adapters.demo.servers.pipe import Pipe, text, tool

def called(pipe, params):
    arguments = params["arguments"]
    with open(arguments.get("file", "note.md"), "w") as file:
        file.write(arguments["text"])
    return text("done")

def listed(pipe, params):
    return {"tools": [tool("TOOL", "Write a note", text="string")]}

Pipe("SERVER", {"tools/list": listed, "tools/call": called}).serve()
"""
"""The reader's own server: one tool, which writes a file."""


class Walk:
    """A folder with `witnessmark` and `python` on PATH, a store, and the client once it is started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client: RawClient | None = None
        # `witnessmark` and `python` by these names, whatever is on PATH here.
        self.names = folder / "bin"
        self.names.mkdir()
        for name, command in (("python", ""), ("witnessmark", "-c 'from witnessmark.cli.main import main; main()'")):
            (self.names / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n', encoding="utf-8")
            (self.names / name).chmod(0o755)
        self.environment = {"PATH": f"{self.names}:{os.environ['PATH']}", "WITNESSMARK_STORE": str(folder / "evidence.sqlite")}
        self.environment["XDG_STATE_HOME"] = str(folder / "state")

    def writes_a_server(self, file: str, tool: str) -> None:
        """The server that the page takes the reader to have."""
        text = SERVER.replace("TOOL", tool).replace("SERVER", file.removesuffix(".py"))
        (self.folder / file).write_text(text, encoding="utf-8")

    def starts(self, command: Sequence[object]) -> RawClient:
        """The client, which starts `command` as its configuration says."""
        self.client = RawClient(command, cwd=self.folder, env=self.environment)
        return self.client

    def says(self, script: str) -> subprocess.CompletedProcess[str]:
        """What a shell says to the lines of a block; nothing on standard error."""
        done = subprocess.run(
            ["sh", "-c", script], capture_output=True, text=True, check=False, cwd=self.folder, env={**os.environ, **self.environment}
        )
        assert done.stderr == ""
        return done

    def says_each(self, script: str) -> list[subprocess.CompletedProcess[str]]:
        """The same for each line by itself, so that no line's failure hides behind the next one."""
        return [self.says(line) for line in script.splitlines() if line.strip()]

    def asks(self, method: str, params: dict[str, Any], number: int) -> None:
        """A request of the client, and its answer."""
        assert self.client is not None
        self.client.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        self.client.wait_for(b'"id": %d' % number)

    def connects(self) -> None:
        """The client negotiates and reads the catalog (requests 1 and 2)."""
        person = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "reader", "version": "1"}}
        self.asks("initialize", person, 1)
        assert self.client is not None
        self.client.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        self.asks("tools/list", {}, 2)
