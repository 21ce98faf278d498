"""The calls of a run: joined by id, token, requestState and task; held in detail while evidence about them may still come.

Memory is bounded by what is open: a successful call of a read-only tool is counted and let go at once; a call that may have
effects is held for its receipt, at most MAX_HELD of them. What is pushed out beyond that can no longer be proved, and the
run says so (`TooManyCalls`) instead of turning green. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from witnessmark.model.evidence import (
    CallAnswered,
    CallCancelled,
    CallExpired,
    CallProgress,
    CallStarted,
    GateDecided,
    PersonAnswered,
    PersonAsked,
    TaskReported,
)
from witnessmark.state.call import Call, CallPhase, CallTrigger
from witnessmark.state.effect import Effects
from witnessmark.state.session import Mark

MAX_HELD: Final = 16_384
"""Calls held for a receipt or a settlement: about 700 B each, so at most 12 MB of the 80 MB that judging may take."""
MAX_REMEMBERED_TOKENS: Final = 1_024
"""Tokens of ended calls that are remembered, to tell a heartbeat after the response from one for an unknown token."""
MAX_STALE_CALLS: Final = 256
"""Calls by an outdated contract that are shown one by one; more are counted and decide just as well."""
_ROOM: Final = MAX_HELD // 16

ENDS: Final = {
    "result": CallTrigger.RESULT,
    "tool_error": CallTrigger.FAILURE,
    "error": CallTrigger.FAILURE,
    "invalid": CallTrigger.FAILURE,
}
REFUSED_CODES: Final = frozenset({-32020, -32021, -32022, -32042})
"""Errors that mean "refused before dispatch" (2026-07-28 schema, 2025-11-25 URL elicitation): nothing was executed."""
REFUSED_STATUS: Final = frozenset({401, 403})


class Calls:
    """Every call of a run that may still matter, and the counts of those that do not."""

    __slots__ = (
        "answered", "arguments_by_key", "by_id", "ended_tokens", "failed", "failed_by_tool", "first_effect", "held", "invalid_unknown",
        "last", "last_effect", "last_success", "pushed_out", "reads", "recovered", "returned_by_key", "stale", "stale_more",
        "started", "succeeded", "tasks", "tokens", "trim_above", "unchecked", "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self.by_id: dict[str, list[Call]] = {}
        self.tokens: dict[tuple[str, str, str], Call] = {}
        self.ended_tokens: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        self.waiting: dict[tuple[str, str, str, str], Call] = {}
        self.tasks: dict[tuple[str, str], Call] = {}
        self.held: OrderedDict[int, Call] = OrderedDict()
        self.failed_by_tool: dict[tuple[str, str], dict[int, Call]] = {}
        self.arguments_by_key: OrderedDict[tuple[str, str, str], str] = OrderedDict()
        self.returned_by_key: OrderedDict[str, int] = OrderedDict()
        self.stale: list[Call] = []
        self.stale_more = 0
        self.trim_above = MAX_HELD
        self.pushed_out: Mark | None = None
        self.first_effect: Mark | None = None
        self.last_effect: Mark | None = None
        self.last_success: Mark | None = None
        self.last: Mark | None = None
        self.reads: Mark | None = None
        self.answered: Mark | None = None
        self.unchecked: Mark | None = None
        self.started = self.succeeded = self.failed = self.recovered = 0
        self.invalid_unknown: dict[str, int] = {}

    # --- the exchange ------------------------------------------------------------------------------------------------

    def start(self, fact: CallStarted, mark: Mark, effects: Effects) -> tuple[Call, bool]:
        """The call that `fact` begins or goes on with, and whether it is new."""
        call = self._next_round(fact, mark)
        if call is not None:
            self._index(call)
            return call, False
        call = Call(fact, mark)
        declared = effects.declaration(fact.server, fact.tool)
        if declared is not None:
            call.effect = declared.fact.effect
            call.has_key = declared.fact.has_key
            call.inactivity_s = declared.fact.inactivity_s
            call.absolute_s = declared.fact.absolute_s
            call.trusts_hints = declared.fact.trusted_hints
        if call.key is not None:
            self._note_key(call)
        self.started += 1
        self.last = mark
        if call.read_only:
            self.reads = declared.mark if declared is not None else mark
        else:
            self.first_effect = self.first_effect or mark
            self.last_effect = mark
        self._index(call)
        self.held[mark.n] = call
        if len(self.held) > self.trim_above:
            self._trim(mark, effects)
        return call, True

    def _note_key(self, call: Call) -> None:
        """One operation key means one intent: other arguments under it are another one, and which of the two was done is open."""
        key = (call.server, call.tool, call.key or "")
        before = self.arguments_by_key.setdefault(key, call.arguments)
        call.key_reused = bool(before and call.arguments and before != call.arguments)
        if len(self.arguments_by_key) > MAX_HELD:
            self.arguments_by_key.popitem(last=False)

    def _index(self, call: Call) -> None:
        known = self.by_id.get(call.id)
        if known is None:
            self.by_id[call.id] = [call]
        elif call not in known:
            known.append(call)
        if call.token is not None:
            self.tokens[call.server, call.peer, call.token] = call

    def _next_round(self, fact: CallStarted, mark: Mark) -> Call | None:
        if not (fact.answers_input or fact.echo):
            return None
        # 2026-07-28, basic/patterns/mrtr: a new id, the original params, and the exact requestState echoed.
        key = (fact.server, fact.tool, fact.arguments, fact.echo)
        call = self.waiting.pop(key, None)
        if call is None or call.phase is not CallPhase.WAITING:
            return None
        self._forget_token(call)
        call.next_round(fact, mark)
        return call

    def find(self, server: str, channel: str, id_: str) -> Call | None:
        """The newest call with this id: in this channel first, then anywhere on the server (a resumed stream)."""
        known = self.by_id.get(id_)
        if known is None:
            return None
        for call in reversed(known):
            if call.channel == channel and call.server == server:
                return call
        return next((call for call in reversed(known) if call.server == server and call.answer is None), None)

    def progress(self, fact: CallProgress, mark: Mark) -> Call | None:
        """A heartbeat: to the call that owns the token, else counted by its reason."""
        key = (fact.server, fact.peer, fact.token)
        call = self.tokens.get(key)
        if call is None and not fact.peer:
            # A stream whose session was not seen: the token tells, where it tells one call apart.
            owners = [call for (server, _, token), call in self.tokens.items() if server == fact.server and token == fact.token]
            call = owners[0] if len(owners) == 1 else None
        if call is not None:
            call.progress(fact, mark)
            return call
        reason = "after_response" if key in self.ended_tokens else "unknown_token"
        self.invalid_unknown[reason] = self.invalid_unknown.get(reason, 0) + 1
        return None

    def cancel(self, fact: CallCancelled, mark: Mark) -> None:
        """A cancellation by the client; for an answered call it changes nothing."""
        call = self.find(fact.server, fact.channel, fact.id)
        if call is not None and call.move(CallTrigger.CANCEL):
            call.loss = "Cancelled"
            call.ended = mark

    def answer(self, fact: CallAnswered, mark: Mark) -> Call | None:
        """The answer of a call; returns the call where one waited for it."""
        call = self.find(fact.server, fact.channel, fact.id)
        if call is None:
            return None
        if fact.outcome == "input_required":
            call.ask(fact.state, mark)
            if call.phase is CallPhase.WAITING:
                self.waiting[call.server, call.tool, call.arguments, fact.state] = call
        elif fact.outcome == "task":
            if call.move(CallTrigger.HANDLE):
                call.task, call.task_status = fact.task, fact.task_status
                self.tasks[call.server, fact.task] = call
        elif fact.outcome == "lost":
            self.lose(call, "ResponseLost", mark)
        else:
            self._end(call, fact.outcome, fact, mark)
        return call

    def _end(self, call: Call, outcome: str, fact: CallAnswered | TaskReported, mark: Mark) -> None:
        # An error after a cancellation says that the server stopped listening, not that nothing was done (seen: mcp 1.30
        # answers a cancelled call with code 0); an answer that cannot be read says nothing.
        if call.phase is CallPhase.CANCELLED and outcome in ("error", "invalid"):
            return
        trigger = ENDS.get(outcome)
        # A word that this version does not know ends nothing: the call stays open, and its clocks decide.
        if trigger is None or not call.move(trigger):
            return
        call.outcome, call.code, call.answer, call.ended = outcome, fact.code, mark, mark
        if isinstance(fact, CallAnswered):
            call.status, call.violation = fact.status, fact.violation
            call.refused = fact.code in REFUSED_CODES or fact.status in REFUSED_STATUS
            if fact.violation and outcome == "result":
                self.unchecked = mark
        self.answered = mark
        self._forget_token(call)
        if call.phase is CallPhase.RETURNED:
            self.succeeded += 1
            if self.last_success is None or call.started.n > self.last_success.n:
                self.last_success = call.started
            self._settle_earlier(call)
            if call.key is not None:
                self.returned_by_key[call.key] = max(call.started.n, self.returned_by_key.pop(call.key, -1))
                if len(self.returned_by_key) > MAX_HELD:
                    self.returned_by_key.popitem(last=False)
            if call.read_only:
                self._release(call)
        else:
            self.failed += 1
            self.failed_by_tool.setdefault((call.server, call.tool), {})[call.started.n] = call

    def _settle_earlier(self, call: Call) -> None:
        """A later success settles an earlier failure of the same tool under the same operation key, or one that was
        refused before dispatch; failures of read-only tools are settled at judgement, when the agent moved on.
        """
        failures = self.failed_by_tool.get((call.server, call.tool))
        if not failures:
            return
        for n, failure in list(failures.items()):
            same_key = failure.key is not None and failure.key == call.key
            # Refused before dispatch, without a key to know the intent by: the same arguments are the same intent.
            repeated = failure.refused and failure.key is None and failure.arguments == call.arguments
            # What the gate kept back did nothing: a later call that was let through makes up for it.
            if n < call.started.n and (same_key or repeated or failure.read_only or failure.kept_back):
                failure.settled = True
                self.recovered += 1
                del failures[n]

    def gated(self, fact: GateDecided, mark: Mark) -> None:
        """What the gate did with a call: one that was refused or given up while it was held was never sent."""
        call = self.find(fact.server, fact.channel, fact.id)
        if call is None or fact.decision == "allow":
            if call is not None and fact.stale_client:
                self.stale_call(call)
            return
        if fact.decision not in ("refuse", "drop") or not (call.open or call.phase is CallPhase.CANCELLED):
            return  # a word of a later version decides nothing here
        call.kept_back = fact.reason or fact.decision
        call.refused = True
        if call.move(CallTrigger.FAILURE):
            call.outcome = "error"
        call.answer = call.ended = mark
        self._forget_token(call)
        if fact.decision == "refuse":
            self.failed += 1
            self.failed_by_tool.setdefault((call.server, call.tool), {})[call.started.n] = call

    def person_asked(self, fact: PersonAsked, mark: Mark) -> None:
        """An elicitation names no call (to 2025-11-25): every call that is open on its channel waits for it."""
        for call in self.held.values():
            if call.open and call.server == fact.server and call.channel == fact.channel:
                call.person_asked(fact.id, mark)

    def person_answered(self, fact: PersonAnswered, mark: Mark) -> None:
        """The elicitation was answered."""
        for call in self.held.values():
            if call.asked is not None and call.server == fact.server:
                call.person_answered(fact.id, mark)

    def lose(self, call: Call, reason: str, mark: Mark) -> None:
        """The call's connection, process or task handle is gone."""
        if call.move(CallTrigger.LOSS):
            call.loss = reason
            call.ended = mark

    def lose_channel(self, server: str, channel: str, peer: str, mark: Mark, *, whole: bool) -> None:
        """Every open call of the channel (or of the whole peer, for stdio) is lost."""
        for call in [c for c in self.held.values() if c.open and c.server == server]:
            if call.channel == channel or (whole and call.peer == peer):
                self.lose(call, "ResponseLost", mark)

    def task(self, fact: TaskReported, mark: Mark) -> None:
        """A task's status, from polling or a notification."""
        call = self.tasks.get((fact.server, fact.task))
        if call is None:
            return
        if fact.gone:
            self.lose(call, "TaskLost", mark)
        elif fact.outcome in ENDS:
            self._end(call, fact.outcome, fact, mark)
        elif fact.status == "failed":
            self._end(call, "tool_error", fact, mark)
        elif fact.status == "cancelled":
            # 2025-11-25 tasks: a cancelled task may still finish its work, so nothing is proved about its effect.
            self.lose(call, "Cancelled", mark)
        elif fact.status:
            call.task_status = fact.status
        if not call.open:
            self.tasks.pop((fact.server, fact.task), None)

    def expire(self, fact: CallExpired, mark: Mark) -> None:
        """A clock of the call ran out on the observer's own steady clock."""
        call = self.find(fact.server, fact.channel, fact.id)
        if call is not None and call.open:
            call.clock_out = mark

    def forget_ended(self) -> None:
        """Let go of every call that is not open, for one who only watches open calls."""
        for call in [call for call in self.held.values() if not call.open]:
            self._release(call)
        self.failed_by_tool.clear()
        self.arguments_by_key.clear()
        self.returned_by_key.clear()

    # --- what is kept ------------------------------------------------------------------------------------------------

    def stale_call(self, call: Call) -> None:
        """The call was sent by a contract that was no longer current."""
        if call.stale_client:
            return
        call.stale_client = True
        if len(self.stale) < MAX_STALE_CALLS:
            self.stale.append(call)
        else:
            self.stale_more += 1

    def _forget_token(self, call: Call) -> None:
        if call.token is None:
            return
        key = (call.server, call.peer, call.token)
        if self.tokens.get(key) is call:
            del self.tokens[key]
            self.ended_tokens[key] = None
            if len(self.ended_tokens) > MAX_REMEMBERED_TOKENS:
                self.ended_tokens.popitem(last=False)

    def _release(self, call: Call) -> None:
        self.held.pop(call.started.n, None)
        failures = self.failed_by_tool.get((call.server, call.tool))
        if failures is not None:
            failures.pop(call.started.n, None)
        known = self.by_id.get(call.id)
        if known is not None:
            known.remove(call)
            if not known:
                del self.by_id[call.id]

    def _trim(self, mark: Mark, effects: Effects) -> None:
        """Make room: let go of the calls that are proved or settled; if they are few, push out the oldest that are not.

        Each sweep frees a sixteenth of what may be held, so that its cost is shared by as many calls.
        """
        finished = [call for call in self.held.values() if self._finished(call, effects)]
        for call in finished[: max(len(finished) // 2, _ROOM)]:
            self._release(call)
        excess = len(self.held) - (MAX_HELD - _ROOM)
        if excess > 0:
            for call in [call for call in self.held.values() if not call.open][:excess]:
                self.pushed_out = mark
                self._release(call)
        # Open calls stay, however many they are; the next sweep waits until it has a sixteenth more to look at.
        self.trim_above = max(MAX_HELD, len(self.held) + len(self.held) // 16)

    def _finished(self, call: Call, effects: Effects) -> bool:
        """Whether the call decides nothing any more: settled, or proved to have had exactly one effect."""
        key = effects.keys.get(call.key) if call.key is not None else None
        applied = max((count for count, _ in call.applied.values()), default=0) if call.applied else 0
        if call.open or call.conflict is not None or applied > 1:
            return False
        if key is not None and (key.conflict is not None or key.effects > 1):
            return False
        if call.settled:
            return True
        if call.read_only:
            return self.last_success is not None and self.last_success.n > call.started.n
        return call.phase is CallPhase.RETURNED and (applied == 1 or (key is not None and key.counted_for(call.started.time_us) == 1))
