"""One session behind the gate: which lines go on, which wait, which we answer; and the lists of ours that tell.

A call that must wait is a state here, not a paused coroutine: whoever drives this feeds lines and instants and carries out
what comes back, in order. Nothing is retried, nothing is called by us. Normative: verdicts.md section 4.

    call --evidence young enough--> allowed or refused at once
         --else--> held, one list of ours (every page), then allowed or refused; refused after `hold_s` at the latest

A signal that came after the list began asks for one more look; two lists that agree around a signal are believed, so that a
server which answers each list with a signal is asked twice and not for ever. Pure: no I/O, no clock, no chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from witnessmark.contract.lockfile import LockedServer
from witnessmark.contract.redaction import Redaction
from witnessmark.gate.answers import CALL, Answers, Held, Step, cancels_held, has_two_readings, same_id
from witnessmark.gate.calls import Asked, Decided, Known, decide
from witnessmark.gate.joining import Joined, Joins
from witnessmark.gate.lists import Budget, Ended, OwnLists
from witnessmark.gate.locks import Locks
from witnessmark.gate.refusal import Refused
from witnessmark.gate.view import View
from witnessmark.gate.withholding import LIST_LIMITS, Deliveries
from witnessmark.model.capture import Profile
from witnessmark.model.evidence import (
    CallStarted,
    Fact,
    ListPage,
    ListStarted,
    SessionConfirmed,
    SessionNegotiated,
    SessionOffered,
)
from witnessmark.model.gate import GatePolicy
from witnessmark.observe.redact import Redactor
from witnessmark.observe.relay import Forward
from witnessmark.observe.served import ServedTools
from witnessmark.state.catalog import same_contract
from witnessmark.wire.revisions import META_PROTOCOL_VERSION
from witnessmark.wire.strictjson import JsonFinding, decode

NUDGE: Final = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
_SECOND_US: Final = 1_000_000
MAX_LOOKS: Final = 3
"""Lists that one held call may cost: the first, one after a signal, and one more. A catalog that is another each time is not known."""


class GateSession:
    """The gate of one session with one server. `read_only` tells of a tool whether it is declared so."""

    def __init__(
        self,
        server: str,
        policy: GatePolicy,
        locks: Mapping[Profile, LockedServer],
        redaction: Redaction,
        redact: Redactor,
        served: ServedTools,
        *,
        prefix: str,
        lockfile: str = "",
        enforce: bool = True,
        read_only: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._server = server
        self._shown_server = redact.name(server)
        self._policy = policy
        self._redact = redact
        self._served = served
        self._lockfile = lockfile
        self._enforce = enforce
        self._read_only = read_only
        self._view = View()
        self._known = ServedTools()
        self._lists = OwnLists(self._shown_server, prefix, redact, self._view, self._known, policy.max_pages)
        self._budget = Budget(policy.lists_per_minute)
        self._locks = Locks(server, locks, redaction, policy.fail_on)
        self._deliveries = Deliveries(server, redact, policy, self._locks, enforce=enforce)
        self._answers = Answers(server, policy, redact)
        self._joins = Joins(prefix, policy.max_pages) if policy.join_pages and enforce else None
        self._held: list[Held] = []
        self._ready = False
        self._channel, self._peer, self._version = "0", "", ""
        self._meta: dict[str, Any] | None = None
        self._last_digest = self._nudged_for = ""
        self._signalled = False
        self._after_signal = False
        self._wake: dict[str, int] = {}

    def locks(self, entries: Mapping[Profile, LockedServer], redaction: Redaction, now_us: int) -> Step:
        """The lockfile was read anew: what it approves counts from here on."""
        self._locks.replace(entries, redaction)
        return self._step(self._say_approved(), [], now_us)

    def _say_approved(self) -> list[Fact]:
        return [*self._locks.evidence(self._known, self._redact, self._channel, self._peer)] if self._view.walk is not None else []

    # --- what was seen ---------------------------------------------------------------------------------------------------

    def saw(self, facts: list[Fact], now_us: int) -> None:
        """Take what the observer told of a line; before the line itself is handed in."""
        for fact in facts:
            kind = type(fact)
            if self._view.take(fact, now_us):
                self._signal(now_us)
            elif kind is SessionOffered:
                offered: SessionOffered = fact  # type: ignore[assignment]  # `kind` narrows it, here and below
                self._locks.shown(offered.capabilities)
            elif kind is SessionNegotiated:
                negotiated: SessionNegotiated = fact  # type: ignore[assignment]
                self._channel, self._peer, self._version = negotiated.channel, negotiated.peer, negotiated.version
                self._answers.channel, self._answers.peer = negotiated.channel, negotiated.peer
            elif kind is SessionConfirmed:
                self._ready = True
            elif kind is ListPage and self._view.walk is not None:
                self._last_digest = self._view.walk.digest.removeprefix("sha256:")

    def _signal(self, now_us: int) -> None:
        """A signal: one list follows when the burst is over, as far as the budget goes."""
        self._signalled = True
        if self._enforce and "signal" not in self._wake:
            self._wake["signal"] = max(now_us + round(self._policy.settle_s * _SECOND_US), self._budget.next_us(now_us))

    def at(self, channel: str, *, version: str = "") -> None:
        """What comes next comes on this channel (an HTTP exchange), under the version that its head names: the session was begun."""
        self._channel = self._answers.channel = channel
        if version and self._meta is None:
            self._version, self._ready = version, True

    # --- lines of the client ---------------------------------------------------------------------------------------------

    def client_line(self, line: bytes, now_us: int) -> Step:
        """A line of the client's, with its end: what to record of the gate's own, and what goes where."""
        if not line.strip():
            return Step([], [Forward("server", line)])
        decoded = decode(line)
        value: Any = decoded.value if decoded.has_value else None
        members = value if type(value) is list else [value]
        calls = [self._answers.asked(each) for each in members if type(each) is dict and each.get("method") == CALL]
        self._note(members)
        if not calls:
            if not decoded.has_value and self._enforce:
                return Step([self._answers.decided(Asked(None, "", "", None), "refuse", "unreadable")], [])
            if cancels_held(members, self._held):
                return self._drop(value["params"]["requestId"], now_us)
            return Step([], [Forward("server", line)])
        deadline_us = now_us + round(self._policy.hold_s * _SECOND_US)
        held = Held(line, calls, value if type(value) is list else None, self._view.position, now_us, deadline_us)
        if not self._enforce:
            return Step(self._observed(held, now_us), [Forward("server", line)])
        if has_two_readings(decoded):
            refusals = [Refused("unreadable", call.shown, self._server, detail="a name stands twice in the message") for call in calls]
            return self._answers.refuse(held, [Decided(refused) for refused in refusals], now_us)
        self._held.append(held)
        return self._step([], [], now_us)

    def _note(self, members: list[Any]) -> None:
        """Note what the client asks besides calls: lists and handshakes that may have to be changed, and its own `_meta`."""
        for message in members:
            if type(message) is not dict:
                continue
            params = message.get("params")
            meta = params.get("_meta") if type(params) is dict else None
            if type(meta) is dict and META_PROTOCOL_VERSION in meta:
                self._meta, self._ready = meta, True
                self._answers.modern = True
                version = meta[META_PROTOCOL_VERSION]
                self._version = version if type(version) is str else ""
            self._deliveries.asked(message)
            if self._joins is not None:
                self._joins.asked(message)

    def _drop(self, raw_id: Any, now_us: int) -> Step:
        """The client gives up a call that has not left: it never will, and the server need not hear of it."""
        facts: list[Fact] = []
        for held in list(self._held):
            for call in [call for call in held.calls if same_id(call.raw_id, raw_id)]:
                facts.append(self._answers.decided(call, "drop", "cancelled", held_ms=(now_us - held.arrived_us) // 1000))
                held.calls.remove(call)
            if not held.calls:
                self._held.remove(held)
        return self._step(facts, [], now_us)

    def too_large(self, facts: list[Fact]) -> Step:
        """A line of the client's that is too large to be looked at: it does not go on, whatever it was."""
        started = next((fact for fact in facts if type(fact) is CallStarted), None)
        call = Asked(None, started.id if started is not None else "", started.tool if started is not None else "", None)
        return Step([self._answers.decided(call, "refuse", "unreadable")], [])

    def holds(self, line: bytes) -> bool:
        """Whether this very line waits."""
        return any(held.line is line for held in self._held)

    def forget(self, line: bytes, now_us: int) -> Step:
        """The client of a held line is gone (an HTTP exchange that ended): its calls never leave."""
        facts: list[Fact] = []
        for held in [held for held in self._held if held.line is line]:
            self._held.remove(held)
            held_ms = (now_us - held.arrived_us) // 1000
            facts += [self._answers.decided(call, "drop", "ended", held_ms=held_ms) for call in held.calls]
        return self._step(facts, [], now_us)

    # --- lines of the server ---------------------------------------------------------------------------------------------

    @property
    def lists_waited_for(self) -> bool:
        """True while an answer may come that has to be looked at whole."""
        return self._deliveries.waits or self._lists.current is not None or (self._joins is not None and self._joins.waits)

    def mine(self, line: bytes) -> bool:
        """Whether a line of the server's answers a list of ours; such a line is for nobody else."""
        if not self._lists.mine(line):
            return False
        value = decode(line).value
        return type(value) is dict and "method" not in value and self._lists.is_mine(value.get("id"))

    def own_answer(self, line: bytes, now_us: int) -> Step:
        """The answer to a list of ours."""
        decoded = decode(line, LIST_LIMITS)
        if self._joins is not None and self._joins.is_mine(decoded.value.get("id")):
            return self._join(self._joins.take(decoded.value, self._meta), now_us)
        repeated = line if any(finding.kind is JsonFinding.DUPLICATE_NAME for finding in decoded.findings) else None
        facts, request, ended = self._lists.take(decoded.value, len(line), repeated, self._meta, now_us)
        out = [Forward("server", request)] if request else []
        if ended is not None:
            self._list_ended(ended, facts, out, now_us)
        return self._step(facts, out, now_us)

    def first_page(self, line: bytes, now_us: int) -> Step | None:
        """Where pages are joined: the step for a first page that has a second one; None for a line that goes its usual way."""
        if self._joins is None or not self._joins.waits:
            return None
        request = self._joins.first(line, decode(line, LIST_LIMITS).value, self._meta, now_us)
        return None if request is None else self._join(request, now_us)

    def _join(self, found: bytes | Joined | None, now_us: int) -> Step:
        if found is None:
            return Step([], [])
        if isinstance(found, Joined):
            facts = [self._deliveries.joined(self._channel, self._peer, found.pages)] if found.pages else []
            return Step(facts, [], (found.line,))
        asked = ListStarted(server=self._answers.server, channel=self._channel, peer=self._peer, origin="witness", trigger="join")
        return self._step([asked], [Forward("server", found)], now_us)

    def server_line(self, line: bytes, facts: list[Fact], now_us: int) -> Step:
        """A line of the server's for the client, with the facts it gave; changed only where something must be withheld."""
        pages = [fact for fact in facts if type(fact) is ListPage]
        told: list[Fact] = []
        if pages or self._deliveries.waits:
            line, told = self._deliveries.deliver(line, self._served, self._known, self._channel, self._peer, page=bool(pages))
        if pages:
            told += self._say_approved()
        return self._step(told, [Forward("client", line)], now_us)

    def _list_ended(self, ended: Ended, facts: list[Fact], out: list[Forward], now_us: int) -> None:
        own = ended.list
        walk = self._view.walk
        differs: tuple[str, ...] = ()
        if ended.complete and walk is not None:
            given = self._deliveries.given
            differs = tuple(
                sorted(ref.name for name, ref in given.items() if not same_contract(ref, walk.tools.get(self._redact.name(name))))
            )
        facts.append(self._lists.listed(ended, differs))
        if not ended.complete:
            for held in [held for held in self._held if held.arrived < own.started]:
                out += self._refuse_held(held, f"the list ended early: {ended.reason}", facts, now_us)
            return
        facts += self._say_approved()
        unchanged = ended.digest == self._last_digest
        self._last_digest = ended.digest
        for held in list(self._held):
            held.looked(own.started, ended.digest)
            if held.looks >= MAX_LOOKS and not held.agrees and self._view.unread:
                out += self._refuse_held(held, "it changes with each list", facts, now_us)
        if own.trigger == "second_look":
            self._view.doubtful = False
        elif self._after_signal and unchanged:
            self._view.doubtful = True
            self._wake["second_look"] = now_us + round(self._policy.second_look_s * _SECOND_US)
        self._after_signal = False
        if differs and self._policy.nudge and ended.digest != self._nudged_for and self._meta is None:
            self._nudged_for = ended.digest  # once for each state of the catalog; since 2026-07-28 only a subscription may tell
            facts.append(self._deliveries.nudged(self._channel, self._peer, differs))
            out.append(Forward("client", NUDGE))

    # --- time ----------------------------------------------------------------------------------------------------------

    @property
    def due_us(self) -> int | None:
        """The instant at which `wake` wants to be called; None where nothing waits for one."""
        times = [*self._wake.values(), *(held.deadline_us for held in self._held)]
        if self._joins is not None and self._joins.began_us is not None:
            times.append(self._joins.began_us + round(self._policy.hold_s * _SECOND_US))
        return min(times) if times else None

    @property
    def holding(self) -> bool:
        """Whether a call waits for its contract to be known."""
        return bool(self._held)

    def every(self, at_us: int) -> None:
        """The next list at an interval is due then (the driver adds the jitter)."""
        self._wake["interval"] = at_us

    def planned(self, trigger: str) -> bool:
        """Whether a list for that reason waits for its time."""
        return trigger in self._wake

    def wake(self, now_us: int) -> Step:
        """Time passed: deadlines of held calls, lists that were put off."""
        facts: list[Fact] = []
        out: list[Forward] = []
        for held in [held for held in self._held if held.deadline_us <= now_us]:
            out += self._refuse_held(held, f"no list within {self._policy.hold_s:g} s", facts, now_us)
        if self._lists.current is not None and self._lists.current.started_us + round(self._policy.hold_s * _SECOND_US) <= now_us:
            facts += self._lists.abandon("unanswered")
        for trigger in [name for name, at_us in self._wake.items() if at_us <= now_us]:
            del self._wake[trigger]
            if self._lists.current is None and self._ready and (trigger != "signal" or self._signalled):
                self._begin(trigger, facts, out, now_us)
        late = self._joins.late(round(self._policy.hold_s * _SECOND_US), now_us) if self._joins is not None else []
        return self._step(facts, out, now_us)._replace(spoken=tuple(each.line for each in late))

    def ended(self, now_us: int) -> Step:
        """The client is gone, or the server: what was held never leaves."""
        facts: list[Fact] = [
            self._answers.decided(call, "drop", "ended", held_ms=(now_us - held.arrived_us) // 1000)
            for held in self._held
            for call in held.calls
        ]
        self._held.clear()
        facts += self._lists.abandon("ended")
        self._wake.clear()
        return Step(facts, [])

    # --- deciding ------------------------------------------------------------------------------------------------------

    def _begin(self, trigger: str, facts: list[Fact], out: list[Forward], now_us: int) -> None:
        if trigger != "call" and not self._held:
            at_us = self._budget.next_us(now_us)
            if at_us > now_us:
                self._wake[trigger] = at_us
                return
            self._budget.spend(now_us)
        self._after_signal = self._signalled
        self._signalled = False
        self._wake.pop("signal", None)
        told, line = self._lists.begin(trigger, self._channel, self._peer, self._version, self._meta, now_us)
        facts += told
        out.append(Forward("server", line))

    def _step(self, facts: list[Fact], out: list[Forward], now_us: int) -> Step:
        """Decide what can be decided now, in the order in which it came, and ask for a list where something has to wait."""
        for held in list(self._held):
            decided = self._decide(held, now_us)
            if decided is None:
                continue
            self._held.remove(held)
            step = self._answers.let_through(held, decided, now_us)
            facts += step.facts
            out += step.out
        if self._held and self._view.doubtful and "second_look" in self._wake:
            # A call that waits does not wait for the budget.
            self._wake["second_look"] = min(self._wake["second_look"], now_us + round(self._policy.second_look_s * _SECOND_US))
        elif self._held and self._lists.current is None:
            if self._ready:
                self._begin("call", facts, out, now_us)
            else:
                for held in list(self._held):
                    out += self._refuse_held(held, "", facts, now_us, reason="not_initialized")
        return Step(facts, out)

    def _decide(self, held: Held, now_us: int) -> list[Decided] | None:
        """The decisions about the calls of a line; None where it has to wait."""
        walk = self._view.walk
        if walk is None:
            return None
        for call in held.calls:
            name = call.name if type(call.name) is str else ""
            verify = self._policy.verify_of(name, read_only=self._read_only(name))
            if not self._view.fresh(verify, held.arrived, now_us) and not (held.agrees and walk.started.n > held.arrived):
                return None
        known = Known(walk, self._known, self._locks.approved, self._deliveries.given, self._lockfile)
        return [
            decide(call, self._redact.name(call.name) if type(call.name) is str else "", known, self._policy, self._server, now_us)
            for call in held.calls
        ]

    def _refuse_held(self, held: Held, detail: str, facts: list[Fact], now_us: int, reason: str = "cannot_list") -> list[Forward]:
        self._held.remove(held)
        refusals = [Decided(Refused(reason, call.shown, self._server, detail=detail, lockfile=self._lockfile)) for call in held.calls]
        step = self._answers.refuse(held, refusals, now_us)
        facts += step.facts
        return step.out

    def _observed(self, held: Held, now_us: int) -> list[Fact]:
        """What the gate would have said, where it only looks on: recorded if it is anything but a plain pass."""
        walk = self._view.walk
        if walk is None or self._locks.approved is None:
            return []
        known = Known(walk, self._known, self._locks.approved, self._deliveries.given, self._lockfile)
        facts: list[Fact] = []
        for call in held.calls:
            shown = self._redact.name(call.name) if type(call.name) is str else ""
            one = decide(call, shown, known, self._policy, self._server, now_us)
            reason = one.refused.reason if one.refused is not None else one.note
            if reason:
                facts.append(self._answers.decided(call, "allow", reason, one))
        return facts
