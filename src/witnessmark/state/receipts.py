"""Receipts about effects: which call they speak for, or that its call has not been seen yet. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import Final

from witnessmark.model.evidence import EffectAccepted, EffectReported
from witnessmark.state.call import Call
from witnessmark.state.calls import Calls
from witnessmark.state.effect import MAX_EARLY_US, Effects
from witnessmark.state.session import Mark

MAX_EARLY_RECEIPTS: Final = 1_024
"""Receipts that came before their call (clocks of two sources differ); a lost one leaves the effect Unknown."""


class Receipts:
    """The receipts of a run that wait for their call; the others are noted at the calls and keys they speak for."""

    __slots__ = ("early",)

    def __init__(self) -> None:
        self.early: list[tuple[EffectReported | EffectAccepted, Mark]] = []

    @staticmethod
    def targets(calls: Calls, fact: EffectReported | EffectAccepted) -> list[Call]:
        """The calls that a receipt by request id speaks for: one, or none where the id is ambiguous or unknown.

        One that names a server speaks for no other server's call, even where that is the only call with the id.
        """
        known = [call for call in calls.by_id.get(fact.call or "", []) if Receipts._speaks_for(fact, call)]
        return known if len(known) == 1 else []

    @staticmethod
    def _speaks_for(fact: EffectReported | EffectAccepted, call: Call) -> bool:
        return fact.call_channel in (None, call.channel) and fact.server in ("", call.server)

    def report(self, calls: Calls, effects: Effects, fact: EffectReported, mark: Mark) -> None:
        """A destination's answer: by call id, by key, or kept for a call that has not been seen yet."""
        if fact.call is not None:
            targets = self.targets(calls, fact)
            for call in targets:
                effects.report_call(call, fact, mark)
            if not targets:
                self._keep(fact, mark)
        effects.report_key(fact, mark)

    def accept(self, calls: Calls, fact: EffectAccepted, mark: Mark) -> None:
        """A person accepted an unknown effect, by call id or by key."""
        if fact.call is None:
            targets = [call for call in calls.held.values() if call.key is not None and call.key == fact.key]
        else:
            targets = self.targets(calls, fact)
        for call in targets:
            call.accepted = mark
        if not targets:
            self._keep(fact, mark)

    def _keep(self, fact: EffectReported | EffectAccepted, mark: Mark) -> None:
        if len(self.early) < MAX_EARLY_RECEIPTS:
            self.early.append((fact, mark))

    def deliver(self, call: Call, effects: Effects) -> None:
        """Hand a new call the receipts that came before it."""
        rest = []
        for fact, mark in self.early:
            if fact.call != call.id or not self._speaks_for(fact, call):
                rest.append((fact, mark))
            elif call.started.time_us - mark.time_us > MAX_EARLY_US:
                continue
            elif isinstance(fact, EffectReported):
                effects.report_call(call, fact, mark)
            else:
                call.accepted = mark
        self.early = rest
