"""What the client is given: unapproved and drifted definitions are withheld from its lists, changed instructions from its handshake.

An answer in which nothing has to be withheld goes on byte for byte; pages keep their cuts, `nextCursor` is never dropped.
What was given last, by tool, is remembered: a call by another contract is by a stale client. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
from typing import Any, Final

from witnessmark.contract.wire_tool import read_tool
from witnessmark.errors import PeerError
from witnessmark.gate.locks import Locks
from witnessmark.model.evidence import Fact, GateChanged, ToolRef
from witnessmark.model.gate import GatePolicy
from witnessmark.observe.listing import tools_with_repeated_names
from witnessmark.observe.redact import Redactor
from witnessmark.observe.served import MAX_TOOLS_KEPT, ServedTools, tool_ref
from witnessmark.wire.jsonrpc import id_token
from witnessmark.wire.strictjson import MAX_DEPTH, JsonFinding, JsonLimits, decode

MAX_ASKED: Final = 1_024
"""Lists and handshakes of the client that may be open at once; SDK clients were seen with two."""
MAX_NAMED: Final = 64
"""Withheld tools that a fact names."""
MAX_LIST_BYTES: Final = 64 << 20
"""One answer to a list that can be looked at: four times what the prober takes; a larger one ends the session in `enforce`."""
LIST_LIMITS: Final = JsonLimits(max_bytes=MAX_LIST_BYTES, max_depth=MAX_DEPTH)
_HANDSHAKES: Final = frozenset({"initialize", "server/discover"})


class Deliveries:
    """The client's open lists and handshakes, and the contracts that it was last given (`given`, by wire name)."""

    def __init__(self, server: str, redact: Redactor, policy: GatePolicy, locks: Locks, *, enforce: bool) -> None:
        self._server = redact.name(server)
        self._locks = locks
        self.given: dict[str, ToolRef] = {}
        self._redact = redact
        self._policy = policy
        self._enforce = enforce
        self._asked: dict[str, str] = {}

    def asked(self, message: dict[str, Any]) -> None:
        """Note a request of the client's whose answer may have to be changed."""
        method, raw_id = message.get("method"), message.get("id")
        if type(method) is not str or not (method == "tools/list" or method in _HANDSHAKES):
            return
        if type(raw_id) is str or type(raw_id) is int:
            self._asked[id_token(raw_id)] = method
            if len(self._asked) > MAX_ASKED:
                del self._asked[next(iter(self._asked))]

    @property
    def waits(self) -> bool:
        """True while an answer may come that has to be looked at."""
        return bool(self._asked)

    def deliver(
        self, line: bytes, served: ServedTools, known: ServedTools, channel: str, peer: str, *, page: bool
    ) -> tuple[bytes, list[Fact]]:
        """The line that the client gets in place of the server's, and what was changed in it. `page`: it was seen to be a page."""
        decoded = decode(line, LIST_LIMITS)
        value = decoded.value
        if type(value) is not dict or "method" in value:
            return line, []
        method = self._method(value.get("id")) or ("tools/list" if page else "")
        result = value.get("result")
        if type(result) is not dict:
            return line, []
        facts: list[Fact] = []
        # A name that stands twice has two readings: the client gets the one that was checked.
        changed = self._enforce and bool(method) and any(finding.kind is JsonFinding.DUPLICATE_NAME for finding in decoded.findings)
        doubtful = tools_with_repeated_names(line, len(result["tools"])) if changed and type(result.get("tools")) is list else frozenset()
        if method == "tools/list" and type(result.get("tools")) is list:
            changed |= self._tools(result, served, known, facts, channel, peer, doubtful)
        elif method in _HANDSHAKES:
            changed |= self._instructions(result, facts, channel, peer)
        if not changed:
            return line, facts
        # Numbers keep their value and kind; the text around them is ours, which is why an unchanged answer is never written anew.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n", facts

    def _method(self, raw_id: Any) -> str:
        return self._asked.pop(id_token(raw_id), "") if type(raw_id) is str or type(raw_id) is int else ""

    def _tools(
        self,
        result: dict[str, Any],
        served: ServedTools,
        known: ServedTools,
        facts: list[Fact],
        channel: str,
        peer: str,
        doubtful: frozenset[int],
    ) -> bool:
        kept: list[Any] = []
        withheld: list[str] = []
        replaced = 0
        for index, tool in enumerate(result["tools"]):
            name = tool.get("name") if type(tool) is dict else None
            if type(name) is not str:
                if not self._enforce:
                    kept.append(tool)
                else:
                    withheld.append("")
                continue
            known.adopt(name, served)
            given = self._given(name, tool, known, ambiguous=index in doubtful)
            if given is None:
                withheld.append(name)
                self.given.pop(name, None)
                continue
            if given is not tool:
                withheld.append(name)
                replaced += 1
            kept.append(given)
        if not withheld:
            return False
        result["tools"] = kept
        names = tuple(sorted({self._redact.name(name) for name in withheld if name})[:MAX_NAMED])
        facts.append(
            GateChanged(
                server=self._server, channel=channel, peer=peer, what="withheld", tools=names, count=len(withheld), replaced=replaced
            )
        )
        return True

    def _given(self, name: str, tool: dict[str, Any], known: ServedTools, *, ambiguous: bool) -> dict[str, Any] | None:
        """What the client is given in place of a tool: itself, its approved contract, or nothing."""
        current = known.current(name)
        live = read_tool(tool, ambiguous=ambiguous)
        readable = current is not None and live.has_contract and current.tool == live.members
        if not self._enforce or self._locks.approved is None:
            if readable and current is not None:
                self._note(name, current.ref)
            return tool if not self._enforce else None
        if readable and current is not None and not self._locks.approved.standing(current).reason:
            self._note(name, current.ref)
            return tool
        contract = self._locks.approved.contract(name)
        if self._policy.withhold == "nothing" or contract is None:
            return None
        try:
            self._note(name, tool_ref(contract, self._redact))
        except PeerError:
            return None
        return contract

    def _note(self, name: str, ref: ToolRef) -> None:
        self.given.pop(name, None)
        self.given[name] = ref
        if len(self.given) > MAX_TOOLS_KEPT:
            del self.given[next(iter(self.given))]

    def _instructions(self, result: dict[str, Any], facts: list[Fact], channel: str, peer: str) -> bool:
        text = result.get("instructions")
        if not self._enforce or self._locks.approved is None or "instructions" not in result:
            return False
        if self._locks.approved.instructions_stand(text if type(text) is str else None):
            return False
        if self._locks.approved.instructions is not None and self._policy.withhold == "last_approved":
            result["instructions"] = self._locks.approved.instructions
        else:
            del result["instructions"]
        facts.append(GateChanged(server=self._server, channel=channel, peer=peer, what="instructions", count=1))
        return True

    def joined(self, channel: str, peer: str, pages: int) -> Fact:
        """The fact of pages that the client gets as one."""
        return GateChanged(server=self._server, channel=channel, peer=peer, what="joined", count=pages)

    def nudged(self, channel: str, peer: str, differs: tuple[str, ...]) -> Fact:
        """The fact of a nudge: the client is told once that its list is old."""
        return GateChanged(server=self._server, channel=channel, peer=peer, what="nudge", tools=differs[:MAX_NAMED], count=len(differs))
