"""One logical call: all its rounds, both clocks, and how its exchange ended.

    OPEN     --progress--> OPEN          a valid heartbeat moves the inactivity window
    OPEN     --ask--> WAITING            `input_required`: a person is asked; the window is suspended, the deadline is not
    WAITING  --retry--> OPEN             the next round carries `inputResponses` or the echoed `requestState`
    OPEN     --handle--> TASK            a task handle is no answer
    any open --cancel--> CANCELLED       cancelled is a wish, not an outcome
    any open --loss--> LOST              the connection ended; never a timer: deadlines are derived from times
    open, CANCELLED, LOST --result--> RETURNED, --failure--> FAILED      the late answer is welcome

Pure: no I/O, no clock.
"""

from __future__ import annotations

import math
from enum import Enum, auto
from typing import Final

from witnessmark.model.evidence import CallProgress, CallStarted
from witnessmark.model.policy import Policy
from witnessmark.state.session import Mark


class CallPhase(Enum):
    """Where a logical call stands."""

    __hash__ = object.__hash__  # members are singletons; the inherited hash is Python code on the hot path

    OPEN = auto()
    WAITING = auto()
    TASK = auto()
    CANCELLED = auto()
    LOST = auto()
    RETURNED = auto()
    FAILED = auto()


class CallTrigger(Enum):
    """What moves a logical call."""

    __hash__ = object.__hash__  # members are singletons; the inherited hash is Python code on the hot path

    PROGRESS = auto()
    ASK = auto()
    RETRY = auto()
    HANDLE = auto()
    CANCEL = auto()
    LOSS = auto()
    RESULT = auto()
    FAILURE = auto()


_OPEN: Final = (CallPhase.OPEN, CallPhase.WAITING, CallPhase.TASK)
_UNANSWERED: Final = (*_OPEN, CallPhase.CANCELLED, CallPhase.LOST)

CALL: Final[dict[tuple[CallPhase, CallTrigger], CallPhase]] = {
    (CallPhase.OPEN, CallTrigger.PROGRESS): CallPhase.OPEN,
    (CallPhase.TASK, CallTrigger.PROGRESS): CallPhase.TASK,
    (CallPhase.OPEN, CallTrigger.ASK): CallPhase.WAITING,
    (CallPhase.TASK, CallTrigger.ASK): CallPhase.WAITING,
    (CallPhase.LOST, CallTrigger.ASK): CallPhase.WAITING,
    (CallPhase.WAITING, CallTrigger.RETRY): CallPhase.OPEN,
    (CallPhase.OPEN, CallTrigger.HANDLE): CallPhase.TASK,
    (CallPhase.WAITING, CallTrigger.HANDLE): CallPhase.TASK,
    (CallPhase.LOST, CallTrigger.HANDLE): CallPhase.TASK,
    **{(phase, CallTrigger.CANCEL): CallPhase.CANCELLED for phase in _OPEN},
    **{(phase, CallTrigger.LOSS): CallPhase.LOST for phase in _OPEN},
    **{(phase, CallTrigger.RESULT): CallPhase.RETURNED for phase in _UNANSWERED},
    **{(phase, CallTrigger.FAILURE): CallPhase.FAILED for phase in _UNANSWERED},
}
"""An absent pair changes nothing: a cancellation of an answered call, a heartbeat after the end."""

OPEN_PHASES: Final = frozenset(_OPEN)


class Call:
    """A logical `tools/call` with everything that may still decide about it."""

    __slots__ = (
        "absolute_s", "answer", "applied", "arguments", "asked", "channel", "clock_out", "code", "conflict", "contradicting",
        "effect", "ended", "gone", "has_key", "heartbeat_us", "id", "inactivity_s", "invalid", "kept_back", "key",
        "last_progress", "loss", "outcome", "peer", "phase", "refused", "reported_by_self", "rounds", "server", "settled",
        "stale_client", "started", "state", "status", "task", "task_status", "ticks", "token", "tool", "absent", "accepted",
        "violation", "waiting_since_us", "unresolved", "key_reused", "trusts_hints",
    )  # fmt: skip

    def __init__(self, fact: CallStarted, mark: Mark) -> None:
        self.id = fact.id
        self.channel = fact.channel
        self.server = fact.server
        self.peer = fact.peer
        self.tool = fact.tool
        self.arguments = fact.arguments
        self.key = fact.key or None  # an empty one is none: it joins nothing
        self.token = fact.token
        self.started = mark
        self.phase = CallPhase.OPEN
        self.unresolved = fact.unresolved
        self.key_reused = False
        self.trusts_hints = False
        self.effect = "write"
        self.has_key = False
        self.inactivity_s: float | None = None
        self.absolute_s: float | None = None
        self.heartbeat_us = mark.time_us
        self.last_progress = -math.inf
        self.ticks = 0
        self.invalid: dict[str, int] | None = None
        self.rounds = 1
        self.state = ""
        self.waiting_since_us: int | None = None
        self.asked: set[str] | None = None
        self.task = ""
        self.task_status = ""
        self.gone = False
        self.ended: Mark | None = None
        self.answer: Mark | None = None
        self.outcome = ""
        self.code: int | None = None
        self.status: int | None = None
        self.violation = ""
        self.loss = ""
        self.refused = False
        # Why the gate did not send it on, if it did not: then nothing was done, whatever the exchange says.
        self.kept_back = ""
        self.stale_client = False
        self.settled = False
        # What destinations say of it (state/effect.py fills these).
        self.applied: dict[str, tuple[int, Mark]] | None = None
        self.absent: Mark | None = None
        self.clock_out: Mark | None = None
        self.conflict: Mark | None = None
        self.reported_by_self: Mark | None = None
        self.accepted: Mark | None = None
        self.contradicting = False

    @property
    def read_only(self) -> bool:
        """True where the operator declared the tool read-only (or a trusted server hinted it)."""
        return self.effect == "read"

    @property
    def open(self) -> bool:
        """True while no answer, cancellation or loss was seen."""
        return self.phase in OPEN_PHASES

    @property
    def waiting(self) -> bool:
        """True while a person is asked: the inactivity window stands still, the absolute deadline does not."""
        return self.phase is CallPhase.WAITING or self.asked is not None

    def move(self, trigger: CallTrigger) -> bool:
        """Take the table's step; False (and nothing changed) where the table has none."""
        target = CALL.get((self.phase, trigger))
        if target is None:
            return False
        self.phase = target
        return True

    def invalid_heartbeat(self, reason: str) -> None:
        """Count a heartbeat that moves nothing, by its reason."""
        if self.invalid is None:
            self.invalid = {}
        self.invalid[reason] = self.invalid.get(reason, 0) + 1

    def progress(self, fact: CallProgress, mark: Mark) -> bool:
        """A heartbeat for this call's token: valid if the call is open and the number finite and strictly greater.

        Specification, basic/utilities/progress (all revisions): "The progress value MUST increase with each notification".
        """
        value = fact.progress
        if not self.open:
            self.invalid_heartbeat("after_response")
        elif value is None or not math.isfinite(value):
            self.invalid_heartbeat("not_finite")
        elif value <= self.last_progress:
            self.invalid_heartbeat("not_increasing")
        elif self.move(CallTrigger.PROGRESS):
            self.last_progress = value
            self.heartbeat_us = mark.time_us
            self.ticks += 1
            return True
        return False

    def ask(self, state: str, mark: Mark) -> None:
        """The server asks for input: the inactivity window stands still until the next round."""
        if self.move(CallTrigger.ASK):
            self.state = state
            self.waiting_since_us = mark.time_us

    def person_asked(self, id_: str, mark: Mark) -> None:
        """The server asked for a person in a request of its own (to 2025-11-25)."""
        if self.open:
            self.asked = (self.asked or set()) | {id_}
            self.waiting_since_us = mark.time_us

    def person_answered(self, id_: str, mark: Mark) -> None:
        """The client answered for the person: the inactivity window starts anew."""
        if self.asked is not None and id_ in self.asked:
            self.asked = (self.asked - {id_}) or None
            if self.asked is None:
                self.waiting_since_us = None
                self.heartbeat_us = mark.time_us

    def next_round(self, fact: CallStarted, mark: Mark) -> None:
        """The next round of the same logical call: another id, maybe another token, the same absolute deadline."""
        if self.move(CallTrigger.RETRY):
            self.id = fact.id
            self.channel = fact.channel
            self.token = fact.token
            self.last_progress = -math.inf
            self.rounds += 1
            self.waiting_since_us = None
            self.heartbeat_us = mark.time_us

    def deadlines_us(self, policy: Policy) -> tuple[int, int | None]:
        """The absolute deadline, and the end of the inactivity window (None without a token, or while a person is asked)."""
        absolute = self.absolute_s if self.absolute_s is not None else policy.absolute_s
        end = self.started.time_us + round(absolute * 1_000_000)
        if self.token is None or self.waiting or (self.phase is not CallPhase.OPEN and self.phase is not CallPhase.TASK):
            return end, None
        window = self.inactivity_s if self.inactivity_s is not None else policy.inactivity_s
        return end, self.heartbeat_us + round(window * 1_000_000)

    def expired(self, policy: Policy, as_of_us: int) -> tuple[str, int] | None:
        """Which clock ended the open call, and when: the earlier of the two; None while inside both."""
        absolute, inactivity = self.deadlines_us(policy)
        if inactivity is not None and inactivity <= absolute and as_of_us >= inactivity:
            return "InactivityDeadline", inactivity
        if as_of_us >= absolute:
            return ("InputAbandoned" if self.waiting else "AbsoluteDeadline"), absolute
        return None
