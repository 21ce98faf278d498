"""A server without an SDK that does one inconvenient thing: `raw_server.py BEHAVIOUR [ERA]`, ERA one of legacy, modern, dual."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
MODERN = "2026-07-28"


def tool(name: str, description: str = "Does it.") -> Message:
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}


def say(value: object) -> None:
    sys.stdout.write((value if isinstance(value, str) else json.dumps(value)) + "\n")
    sys.stdout.flush()


def two_pages(cursor: str | None) -> Message:
    return {"tools": [tool("second")]} if cursor == "2" else {"tools": [tool("first")], "nextCursor": "2"}


def empty_cursor(cursor: str | None) -> Message:
    return {"tools": [tool("first")], "nextCursor": ""} if cursor is None else {"tools": [tool("second")], "nextCursor": None}


def endless(cursor: str | None) -> Message:
    number = int(cursor or 0)
    return {"tools": [tool(f"t{number}")], "nextCursor": str(number + 1)}


def endless_empty(cursor: str | None) -> Message:
    return {"tools": [], "nextCursor": str(int(cursor or 0) + 1)}


def gaps(cursor: str | None) -> Message:
    number = int(cursor or 0)
    page: Message = {"tools": [tool(f"t{number}")] if number % 3 == 0 else []}
    return page if number == 9 else {**page, "nextCursor": str(number + 1)}


def repeats(cursor: str | None) -> Message:
    return {"tools": [tool("a")], "nextCursor": "b" if cursor == "a" else "a"}


def overlapping(cursor: str | None) -> Message:
    return {"tools": [tool("b"), tool("c")]} if cursor else {"tools": [tool("a"), tool("b")], "nextCursor": "2"}


def conflicting(cursor: str | None) -> Message:
    return {"tools": [tool("same", "Another one.")]} if cursor else {"tools": [tool("same")], "nextCursor": "2"}


def many(cursor: str | None) -> Message:
    """2,000 tools of about 1.3 kB over 20 pages."""
    page = int(cursor or 0)
    properties = {f"argument_{index}": {"type": "string", "description": "w" * 60} for index in range(9)}
    schema = {"type": "object", "properties": properties, "required": ["argument_0"]}
    tools = [{"name": f"tool_{page}_{index}", "description": "d" * 200, "inputSchema": schema} for index in range(100)]
    return {"tools": tools} if page == 19 else {"tools": tools, "nextCursor": str(page + 1)}


def huge(cursor: str | None) -> Message:
    """50 MB over ten pages."""
    page = int(cursor or 0)
    return {"tools": [tool(f"t{page}", "d" * 5_000_000)], "nextCursor": str(page + 1)}


def huge_page(cursor: str | None) -> Message:
    del cursor
    return {"tools": [tool("t", "d" * 50_000_000)]}


def number_as_cursor(cursor: str | None) -> Message:
    del cursor
    return {"tools": [], "nextCursor": 2}


def no_tools_member(cursor: str | None) -> Message:
    del cursor
    return {"items": []}


def asks_for_input(cursor: str | None) -> Message:
    del cursor
    return {"resultType": "input_required", "tools": []}


PAGES: dict[str, Callable[[str | None], Message]] = {
    page.__name__: page
    for page in (
        two_pages, empty_cursor, endless, endless_empty, gaps, repeats, overlapping, conflicting, many, huge, huge_page, number_as_cursor,
        no_tools_member, asks_for_input,
    )
}  # fmt: skip


class Server:
    """One session over standard input and output."""

    def __init__(self, behaviour: str, era: str) -> None:
        self.behaviour = behaviour
        self.era = era
        self.bound = ""
        self.lists = 0
        self.asked: list[str] = []

    def handle(self, message: Message) -> None:
        method = message.get("method")
        if method is None:
            self.asked.append(json.dumps(message.get("result", message.get("error")), sort_keys=True))
            return
        if self.behaviour == "records" and os.environ.get("RECORD"):
            with open(os.environ["RECORD"], "a", encoding="utf-8") as record:
                record.write(json.dumps(message) + "\n")
        if "id" in message:
            self.answer(message, method)
        elif method == "notifications/initialized" and self.behaviour == "registers_late":
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def answer(self, message: Message, method: str) -> None:
        params = message.get("params") or {}
        if method == "server/discover":
            self.discover(message)
        elif method == "initialize":
            self.initialize(message, params)
        elif method == "tools/list":
            self.list(message, params)
        elif method == "subscriptions/listen":
            say({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": {}}})
        else:
            self.error(message, -32601)

    def discover(self, message: Message) -> None:
        if self.behaviour == "dies_of_discover":
            sys.exit(3)
        if self.behaviour == "silent_on_discover":
            return
        if self.era == "legacy" or self.bound == "legacy":
            self.error(message, -32601)
            return
        self.bound = "modern"
        meta = {"io.modelcontextprotocol/serverInfo": {"name": "raw", "version": "2"}}
        capabilities = {"tools": {"listChanged": self.behaviour.startswith("torn")}}
        self.result(message, {"supportedVersions": [MODERN], "capabilities": capabilities, "instructions": "Be kind.", "_meta": meta})

    def initialize(self, message: Message, params: Message) -> None:
        if self.behaviour == "handshake_refused":
            self.error(message, -32602)
            return
        if self.era == "modern" or self.bound == "modern":
            self.error(message, -32022, {"supported": [MODERN], "requested": params.get("protocolVersion")})
            return
        self.bound = "legacy"
        version = os.environ.get("SPEAKS", params.get("protocolVersion"))
        capabilities: Message = {} if self.behaviour == "has_no_tools" else {"tools": {}, "logging": {}}
        info = {"name": "raw", "version": "1"}
        self.result(message, {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info, "instructions": "Be kind."})

    def list(self, message: Message, params: Message) -> None:
        self.lists += 1
        cursor = params.get("cursor")
        act: Callable[[Message], None] | None = getattr(self, f"list_{self.behaviour}", None)
        if act is not None:
            act(message)
            return
        page = PAGES.get(self.behaviour, two_pages)(cursor)
        self.result(message, page)

    # --- what a page of a misbehaving server is --------------------------------------------------------------------

    def list_has_no_tools(self, message: Message) -> None:
        self.error(message, -32601)

    def list_fails(self, message: Message) -> None:
        if self.lists == 2:
            self.error(message, -32603)
        else:
            self.result(message, two_pages(None))

    def list_hangs(self, message: Message) -> None:
        del message
        sys.stderr.write("stuck on the database\n")
        sys.stderr.flush()

    def list_drips(self, message: Message) -> None:
        del message
        while True:
            say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "."}})
            time.sleep(0.02)

    def list_dies(self, message: Message) -> None:
        if self.lists == 2:
            sys.stderr.write(f"out of memory, token {os.environ.get('TOKEN')}\n")
            sys.stderr.flush()
            os._exit(7)
        self.result(message, two_pages(None))

    def list_killed(self, message: Message) -> None:
        del message
        os.kill(os.getpid(), signal.SIGKILL)

    def list_cut(self, message: Message) -> None:
        del message
        sys.stdout.write('{"jsonrpc": "2.0", "id": ')
        sys.stdout.flush()
        os._exit(0)

    def list_torn_once(self, message: Message) -> None:
        if self.lists == 1:
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        self.result(message, two_pages((message.get("params") or {}).get("cursor")))

    def list_torn_always(self, message: Message) -> None:
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        self.result(message, {"tools": [tool("a")]})

    def list_repeated_member(self, message: Message) -> None:
        twice = '{"name": "twice", "description": "one", "description": "two", "inputSchema": {}}'
        say(f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"tools": [{json.dumps(tool("once"))}, {twice}]}}}}')

    def list_not_a_number(self, message: Message) -> None:
        odd = '{"name": "odd", "inputSchema": {"maximum": NaN}}'
        say(f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"tools": [{odd}, {json.dumps(tool("plain"))}, 3]}}}}')

    def list_broken_text(self, message: Message) -> None:
        text = f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"tools": [{{"name": "'.encode()
        sys.stdout.buffer.write(text + b'\xff\xfe"}]}}\n')
        sys.stdout.buffer.flush()

    def list_too_deep(self, message: Message) -> None:
        deep = '{"a": ' * 500 + "1" + "}" * 500
        say(f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"tools": [{{"name": "deep", "inputSchema": {deep}}}]}}}}')

    def list_asks_back(self, message: Message) -> None:
        if self.lists == 1:
            for number, method in enumerate(("ping", "roots/list", "sampling/createMessage", "elicitation/create", "other/thing")):
                say({"jsonrpc": "2.0", "id": f"s{number}", "method": method, "params": {}})
            self.result(message, two_pages(None))
        else:
            self.result(message, {"tools": [tool(f"reply_{index}", reply) for index, reply in enumerate(self.asked)]})

    def list_text_id(self, message: Message) -> None:
        say({"jsonrpc": "2.0", "id": str(message["id"]), "result": {"tools": [tool("a")]}})

    def list_unpaired(self, message: Message) -> None:
        say({"jsonrpc": "2.0", "id": 999, "result": {"tools": [tool("not yours")]}})
        self.result(message, {"tools": [tool("yours")]})

    # --- the wire ----------------------------------------------------------------------------------------------------

    def result(self, message: Message, result: Message) -> None:
        say({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def error(self, message: Message, code: int, data: object = None) -> None:
        say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": "no", "data": data}})


def main(behaviour: str, era: str) -> None:
    if os.environ.get("STARTED"):
        with open(os.environ["STARTED"], "a", encoding="utf-8") as record:
            record.write(f"{os.getpid()}\n")
    if behaviour == "cannot_start":
        sys.stderr.write("noise\n" * 10_000 + "no such database\n")
        sys.exit(4)
    if behaviour == "junk":
        say("Starting up...\n\n=== ready ===\n{not json}\n[1, 2]")
    if behaviour == "flood":
        while True:
            say("x" * 1000)
    if behaviour == "noisy":
        sys.stderr.write("n" * 300_000)
    if behaviour == "has_children":
        # The child keeps every pipe open and outlives its parent unless the whole group is ended.
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open(os.environ["CHILD"], "w", encoding="utf-8") as record:
            record.write(str(child.pid))
    if behaviour == "ignores_everything":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = Server(behaviour, era)
    for line in sys.stdin:
        server.handle(json.loads(line))
    while behaviour == "ignores_everything":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "legacy")
