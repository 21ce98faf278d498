"""A scene for the gate: a client's lines, a server whose catalog changes when the test says so, a clock that stands still."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from observe_scene import MODERN, redactor
from witnessmark.contract.approving import locked_server, redacted
from witnessmark.contract.lockfile import Approval, LockedServer
from witnessmark.contract.redaction import Redaction, rule_set
from witnessmark.gate.relay import GatedRelay
from witnessmark.gate.session import GateSession
from witnessmark.judges.judging import judge
from witnessmark.model.capture import Capture, Profile
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import Event, Fact, GateChanged, GateDecided, GateListed, decode_fact
from witnessmark.model.gate import GatePolicy
from witnessmark.model.policy import Policy
from witnessmark.model.verdict import Verdict
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import Effects, Record

RULES = rule_set(["acct-[0-9]+"])
SALT = "00" * 16
PREFIX = "witnessmark-0123456789abcdef-"
SECOND = 1_000_000


def tool(name: str, description: str = "Does it.", **properties: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}}


SEARCH = tool("search", query={"type": "string"}, limit={"type": "integer"})
RENAMED = tool("search", q={"type": "string"}, limit={"type": "integer"})
OTHER = tool("other")


def lock(*tools: dict[str, Any], instructions: str | None = None, until: str = "", digest_only: bool = False) -> LockedServer:
    """What `witnessmark lock` would have written of these tools."""
    found = redacted(Capture(server="tickets", complete=True, tools=tools, instructions=instructions), Redaction(RULES, SALT))
    return locked_server(found.capture, RULES.digest, Approval(until=until), None, digest_only=digest_only)


class GateScene:
    """One session in `enforce` over a pipe. `now` is the clock; `called` what reached the server; `heard` what reached the client."""

    def __init__(
        self,
        *tools: dict[str, Any],
        locked: LockedServer | None = None,
        policy: GatePolicy | None = None,
        modern: bool = False,
        page_size: int = 100,
        read_only: Callable[[str], bool] = lambda _: False,
        list_changed: bool = True,
        instructions: str | None = None,
    ) -> None:
        self.now = 1_700_000_000 * SECOND
        self.tools = list(tools)
        self.page_size = page_size
        self.modern = modern
        self.instructions = instructions
        self.list_changed = list_changed
        self.called: list[dict[str, Any]] = []
        self.lists: list[str] = []
        self.heard: list[dict[str, Any]] = []
        self.raw_heard = b""
        self.sent: list[bytes] = []
        self.facts: list[Fact] = []
        self.entries: list[tuple[int, Any]] = []
        self.silent = False
        self.on_list: Callable[[], None] = lambda: None
        self.before_list: Callable[[], None] = lambda: None
        self.fail_page: int | None = None
        redact = redactor()
        self.observer = Observer("tickets", redact)
        self.recorder = Recorder("test", "s", "r")
        entries: dict[Profile, LockedServer] = {"full": locked if locked is not None else lock(*tools, instructions=instructions)}
        self.gate = GateSession(
            "tickets", policy or GatePolicy(), entries, Redaction(RULES, SALT), redact, self.observer.served,
            prefix=PREFIX, read_only=read_only,
        )  # fmt: skip
        self.relay = GatedRelay(self.observer, self.recorder, self.gate)
        self._from_client = b""
        self.carry(self.relay.opened(self.now))

    # --- driving -------------------------------------------------------------------------------------------------------

    def carry(self, effects: Effects) -> None:
        """Carry out effects as a driver does: the server answers what reaches it at once, unless it is silent."""
        for effect in effects:
            if isinstance(effect, Record):
                for entry in effect.entries:
                    self.facts.append(decode_fact(entry.kind, entry.data))
                    self.entries.append((entry.time_us, entry))
            elif effect.to == "client":
                self.raw_heard += effect.data
                self.heard += [each for line in effect.data.splitlines() for each in _members(json.loads(line))]
            else:
                self.sent.append(effect.data)
                for line in effect.data.splitlines():
                    for message in _members(json.loads(line)):
                        self._serve(message)

    def _serve(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method == "tools/call":
            self.called.append(message)
            if message.get("id") is not None:
                self.answer(message, {"content": [], "resultType": "complete"} if self.modern else {"content": []})
        elif method == "tools/list":
            self.lists.append("ours" if str(message["id"]).startswith(PREFIX) else "client")
            if not self.silent:
                self.before_list()
                self.answer_list(message)
                self.on_list()
        elif method == "initialize":
            capabilities = {"tools": {"listChanged": self.list_changed}}
            result = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {"name": "t", "version": "1"}}
            if self.instructions is not None:
                result["instructions"] = self.instructions
            self.answer(message, result)

    def answer_list(self, message: dict[str, Any]) -> None:
        at = int((message.get("params") or {}).get("cursor", 0))
        if self.fail_page == at:
            self.server({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": "no"}})
            return
        result: dict[str, Any] = {"tools": self.tools[at * self.page_size : (at + 1) * self.page_size]}
        if (at + 1) * self.page_size < len(self.tools):
            result["nextCursor"] = str(at + 1)
        if self.modern:
            result["resultType"] = "complete"
        self.answer(message, result)

    def answer(self, message: dict[str, Any], result: dict[str, Any]) -> None:
        self.server({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def server(self, message: Any) -> None:
        """A line of the server's."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.carry(self.relay.receive("server", data, self.now))

    def client(self, message: Any) -> None:
        """A line of the client's."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.carry(self.relay.receive("client", data, self.now))

    def ask(self, id_: Any, method: str, params: dict[str, Any] | None = None) -> None:
        params = dict(params or {})
        if self.modern:
            params["_meta"] = {**MODERN, **params.get("_meta", {})}
        self.client({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})

    def call(self, id_: Any, name: str = "search", **arguments: Any) -> None:
        self.ask(id_, "tools/call", {"name": name, "arguments": arguments})

    def signal(self) -> None:
        self.server({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def pass_time(self, seconds: float) -> None:
        """Let time pass; the driver wakes the gate at every instant that it asked for."""
        until = self.now + round(seconds * SECOND)
        while (due := self.relay.due_us) is not None and due <= until:
            self.now = max(self.now, due)
            self.carry(self.relay.wake(self.now))
        self.now = until

    def begun(self) -> GateScene:
        """After the handshake and a whole list of the client's."""
        if not self.modern:
            self.ask(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
            self.client({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.read_tools()
        return self

    def read_tools(self) -> list[dict[str, Any]]:
        """The client reads all pages; the tools it was given."""
        given: list[dict[str, Any]] = []
        cursor: str | None = None
        for page in range(100):
            self.ask(f"list-{len(self.heard)}-{page}", "tools/list", {"cursor": cursor} if cursor is not None else {})
            result = self.heard[-1].get("result", {})
            given += result.get("tools", [])
            cursor = result.get("nextCursor")
            if cursor is None:
                break
        return given

    # --- looking -------------------------------------------------------------------------------------------------------

    def said(self, id_: Any) -> dict[str, Any]:
        """The one answer to that id."""
        (found,) = [message for message in self.heard if message.get("id") == id_ and "method" not in message]
        return found

    def reason(self, id_: Any) -> str:
        """Why the call was refused; "" if it was let through."""
        error = self.said(id_).get("error")
        return error["data"]["reason"] if error is not None else ""

    @property
    def decided(self) -> list[GateDecided]:
        return [fact for fact in self.facts if isinstance(fact, GateDecided)]

    @property
    def listed(self) -> list[GateListed]:
        return [fact for fact in self.facts if isinstance(fact, GateListed)]

    @property
    def changed(self) -> list[GateChanged]:
        return [fact for fact in self.facts if isinstance(fact, GateChanged)]

    def verdict(self) -> Verdict:
        """The verdict of all that was recorded, as of now."""
        events = [
            Event("test", "s", n, "r", time_us, fact) for n, ((time_us, _), fact) in enumerate(zip(self.entries, self.facts, strict=True))
        ]
        return judge(events, Policy(), as_of_us=self.now)


def _members(value: Any) -> list[dict[str, Any]]:
    return value if isinstance(value, list) else [value]
