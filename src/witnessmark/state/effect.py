"""What destinations say about effects, by call and by operation key.

A report about a call counts for that call; a report about a key counts for every call under it. The number of effects under
a key is the greatest count that a query stated, or the number of calls for which a receipt of their own came, whichever is
more: a second applied effect under one key is a duplicate. Self-reported receipts are kept and never decide.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from witnessmark.model.evidence import EffectDeclared, EffectReported
from witnessmark.state.call import Call
from witnessmark.state.session import Mark

MAX_KEYS: Final = 16_384
"""Operation keys whose effects are remembered, as many as calls are held (state/calls.py). A duplicate under a key that
was forgotten cannot be seen; docs/limits.md says so."""

MAX_EARLY_US: Final = 5_000_000
"""How long before its call a receipt may stand, microseconds: hosts that keep time by NTP differ by less. What a destination
showed earlier than that is not the effect of a call that had not been sent, and the effect stays Unknown."""


class Declaration:
    """What the operator declared of a tool, and when."""

    __slots__ = ("fact", "mark")

    def __init__(self, fact: EffectDeclared, mark: Mark) -> None:
        self.fact = fact
        self.mark = mark


class Key:
    """The effects under one operation key."""

    __slots__ = ("absent", "conflict", "counted", "counted_at", "last", "receipts", "reported_by_self")

    def __init__(self) -> None:
        self.counted = 0
        self.counted_at: Mark | None = None
        self.receipts: set[int] = set()
        self.absent: Mark | None = None
        self.conflict: Mark | None = None
        self.last: Mark | None = None
        self.reported_by_self: Mark | None = None

    def counted_for(self, started_us: int) -> int:
        """How many effects were counted that may be those of a call which was sent at `started_us`: what a destination showed
        before that is not its effect (MAX_EARLY_US apart, for clocks that differ).
        """
        return self.counted if self.counted_at is not None and started_us - self.counted_at.time_us <= MAX_EARLY_US else 0

    @property
    def effects(self) -> int:
        """How many effects are known to have been applied under this key."""
        return max(self.counted, len(self.receipts))


class Effects:
    """The declarations, and the effects by key."""

    __slots__ = ("declared", "keys", "trusts_hints")

    def __init__(self) -> None:
        self.trusts_hints = False
        self.declared: dict[tuple[str, str], Declaration] = {}
        self.keys: OrderedDict[str, Key] = OrderedDict()

    def declare(self, fact: EffectDeclared, mark: Mark) -> None:
        """The newest declaration of a tool holds for the calls after it."""
        self.declared[fact.server, fact.tool] = Declaration(fact, mark)
        self.trusts_hints = self.trusts_hints or fact.trusted_hints

    def declaration(self, server: str, tool: str) -> Declaration | None:
        """What is declared of `tool`: for this server, or for every server."""
        return self.declared.get((server, tool)) or self.declared.get(("", tool)) or self.declared.get(("", f"{server}/{tool}"))

    def key(self, digest: str) -> Key:
        """The record of a key, made on first use; the longest unused one is forgotten beyond the limit."""
        found = self.keys.get(digest)
        if found is None:
            if len(self.keys) >= MAX_KEYS:
                self._forget()
            found = self.keys[digest] = Key()
        else:
            self.keys.move_to_end(digest)
        return found

    def _forget(self) -> None:
        """Let go of the longest unused key, but not of one that proves something wrong while there is another."""
        for digest, key in self.keys.items():
            if key.effects <= 1 and key.conflict is None:
                del self.keys[digest]
                return
        self.keys.popitem(last=False)

    def report_key(self, fact: EffectReported, mark: Mark) -> None:
        """A destination's answer about an operation key."""
        if fact.key is None:
            return
        key = self.key(fact.key)
        key.last = mark
        count = fact.count if fact.count is not None else 1
        if fact.self_reported:
            key.reported_by_self = mark
        elif fact.status == "applied" and count > 0:
            key.counted = max(key.counted, count)
            key.counted_at = mark
        elif fact.status in ("applied", "absent"):
            if key.effects:
                key.conflict = mark
            key.absent = mark

    def report_call(self, call: Call, fact: EffectReported, mark: Mark) -> None:
        """A destination's answer about one call."""
        key = self.key(call.key) if call.key is not None else None
        if fact.self_reported:
            call.reported_by_self = mark
        elif fact.status == "applied":
            count = fact.count if fact.count is not None else 1
            if count == 0:
                self._absent(call, mark)
                return
            if call.applied is None:
                call.applied = {}
            known = call.applied.get(fact.method)
            call.applied[fact.method] = (max(count, known[0] if known else 0), mark)
            if key is not None:
                key.last = mark
                if fact.method == "receipt":
                    # It speaks of its own call: what another call under the key did is not known by it.
                    key.receipts.add(call.started.n)
                else:
                    key.counted = max(key.counted, count)
                    key.counted_at = mark
        elif fact.status == "absent":
            self._absent(call, mark)

    @staticmethod
    def _absent(call: Call, mark: Mark) -> None:
        if call.applied:
            call.conflict = mark
        call.absent = mark
