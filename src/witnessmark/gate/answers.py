"""Lines that wait, and what becomes of them: forwarded as they came, or answered by us; each with its fact. Pure: no I/O, no clock."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from witnessmark.gate.calls import Asked, Decided
from witnessmark.gate.refusal import answer
from witnessmark.model.evidence import Fact, GateDecided
from witnessmark.model.gate import GatePolicy
from witnessmark.observe.redact import Redactor
from witnessmark.observe.relay import Forward
from witnessmark.wire.jsonrpc import id_token
from witnessmark.wire.strictjson import Decoded, JsonFinding

CALL: Final = "tools/call"
_TOGETHER: Final = "it came in one batch with a call that is refused"


class Step(NamedTuple):
    """What to record, and then what to send, in order. `spoken`: lines to be taken as the server's own, for observer and client."""

    facts: list[Fact]
    out: list[Forward]
    spoken: tuple[bytes, ...] = ()


class Held:
    """A line of the client's that waits: the calls in it, since when, and what lists said since."""

    __slots__ = ("agrees", "arrived", "arrived_us", "batch", "calls", "deadline_us", "line", "looks", "seen")

    def __init__(self, line: bytes, calls: list[Asked], batch: list[Any] | None, arrived: int, arrived_us: int, deadline_us: int) -> None:
        self.arrived = arrived
        self.line = line
        self.calls = calls
        self.batch = batch
        self.arrived_us = arrived_us
        self.deadline_us = deadline_us
        self.looks = 0
        self.seen = ""
        self.agrees = False

    def looked(self, started: int, digest: str) -> None:
        """A complete list that began at that position, with this digest."""
        if started > self.arrived:
            self.agrees = self.looks > 0 and bool(digest) and digest == self.seen
            self.looks += 1
            self.seen = digest


class Answers:
    """Makes the facts and the lines of decisions. `peer` and `channel` are the session's, `modern` tells of 2026-07-28."""

    def __init__(self, server: str, policy: GatePolicy, redact: Redactor) -> None:
        self.server = redact.name(server)
        self.channel = "0"
        self.peer = ""
        self.modern = False
        self._policy = policy
        self._redact = redact

    def asked(self, message: dict[str, Any]) -> Asked:
        """The call in a message."""
        params = message.get("params")
        params = params if type(params) is dict else {}
        raw_id = message.get("id")
        shown = self._redact.id(id_token(raw_id)) if type(raw_id) is str or type(raw_id) is int else ""
        return Asked(raw_id, shown, params.get("name"), params.get("arguments"), self.channel)

    def let_through(self, held: Held, decided: list[Decided], now_us: int) -> Step:
        """The line goes on, if every call in it may; else all of it is answered here."""
        if any(one.refused is not None for one in decided):
            return self.refuse(held, decided, now_us)
        held_ms = (now_us - held.arrived_us) // 1000
        facts: list[Fact] = [
            self.decided(call, "allow", one.note, one, held_ms=held_ms) for call, one in zip(held.calls, decided, strict=True)
        ]
        return Step(facts, [Forward("server", held.line)])

    def refuse(self, held: Held, decided: list[Decided], now_us: int) -> Step:
        """Answer a line that does not leave: each call with its own reason; what came in one batch with it, with the first."""
        first = next(one.refused for one in decided if one.refused is not None)
        held_ms = (now_us - held.arrived_us) // 1000
        facts: list[Fact] = []
        answers: list[dict[str, Any]] = []
        for call, one in zip(held.calls, decided, strict=True):
            refused = one.refused or first._replace(tool=call.shown, detail=_TOGETHER)
            facts.append(self.decided(call, "refuse", refused.reason, one, held_ms=held_ms))
            if call.raw_id is not None:
                answers.append(answer(call.raw_id, refused, self._policy.refusal, modern=self.modern))
        others = [each["id"] for each in held.batch or () if _other_request(each)]
        answers += [answer(raw_id, first._replace(detail=_TOGETHER), "error", modern=self.modern) for raw_id in others]
        if not answers:
            return Step(facts, [])
        told: Any = answers if held.batch is not None else answers[0]
        return Step(facts, [Forward("client", json.dumps(told, ensure_ascii=True).encode("ascii") + b"\n")])

    def decided(self, call: Asked, decision: str, reason: str, one: Decided | None = None, *, held_ms: int = 0) -> GateDecided:
        """The fact of a decision."""
        standing = one.standing if one is not None else None
        return GateDecided(
            server=self.server,
            channel=call.channel,
            peer="" if self.modern else self.peer,
            id=call.id,
            tool=self._redact.name(call.name) if type(call.name) is str else "",
            decision=decision,
            reason=reason,
            stale_client=one is not None and one.stale_client,
            current=standing.current if standing is not None else "",
            approved=standing.approved if standing is not None else "",
            served=one.served.digest if one is not None and one.served is not None else "",
            undeclared=one.weighed.undeclared if one is not None else 0,
            swallowed=tuple(self._redact.name(name) for name, _ in one.weighed.swallowed) if one is not None else (),
            held_ms=held_ms,
        )


def _other_request(message: Any) -> bool:
    return type(message) is dict and message.get("method") not in (None, CALL) and message.get("id") is not None


def cancels_held(members: list[Any], held: list[Held]) -> bool:
    """Whether these members of a frame are one cancellation of a call that has not left."""
    message = members[0] if len(members) == 1 else None
    if type(message) is not dict or message.get("method") != "notifications/cancelled":
        return False
    params = message.get("params")
    wanted = params.get("requestId") if type(params) is dict else None
    return any(same_id(call.raw_id, wanted) for each in held for call in each.calls)


def same_id(one: Any, other: Any) -> bool:
    """Whether two ids are one JSON value: 7 is not "7"."""
    return type(one) is type(other) and bool(one == other)


def has_two_readings(decoded: Decoded) -> bool:
    """Whether two readers may take the frame for two messages."""
    return any(finding.kind is not JsonFinding.LONE_SURROGATE for finding in decoded.findings)
