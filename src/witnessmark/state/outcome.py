"""Promised outcomes: what was declared when, and what verifiers answered. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import Final

from witnessmark.model.evidence import OutcomeDeclared, OutcomeReported
from witnessmark.state.session import Mark

MAX_OUTCOMES: Final = 1_024
"""Outcomes of one run; an answer for one beyond it is dropped, and its declaration stays unanswered: never green."""


class Outcome:
    """One promised outcome: its first declaration and the newest answers, independent and self-reported apart."""

    __slots__ = ("answer", "answered", "declared", "declared_at", "self_reported")

    def __init__(self) -> None:
        self.declared: OutcomeDeclared | None = None
        self.declared_at: Mark | None = None
        self.answer: OutcomeReported | None = None
        self.answered: Mark | None = None
        self.self_reported: Mark | None = None


class Outcomes:
    """The promised outcomes of a run by name."""

    __slots__ = ("by_name", "dropped")

    def __init__(self) -> None:
        self.by_name: dict[str, Outcome] = {}
        self.dropped: Mark | None = None

    def _outcome(self, name: str, mark: Mark) -> Outcome | None:
        found = self.by_name.get(name)
        if found is None:
            if len(self.by_name) >= MAX_OUTCOMES:
                self.dropped = mark
                return None
            found = self.by_name[name] = Outcome()
        return found

    def declare(self, fact: OutcomeDeclared, mark: Mark) -> None:
        """A declaration; a changed one counts as of its own time, so that a verifier cannot be swapped afterwards."""
        outcome = self._outcome(fact.outcome, mark)
        if outcome is None or (outcome.declared is not None and outcome.declared == fact):
            return
        outcome.declared = fact
        outcome.declared_at = mark

    def report(self, fact: OutcomeReported, mark: Mark) -> None:
        """A verifier's answer: the newest independent one counts."""
        outcome = self._outcome(fact.outcome, mark)
        if outcome is None:
            return
        if fact.self_reported:
            outcome.self_reported = mark
        else:
            outcome.answer = fact
            outcome.answered = mark
