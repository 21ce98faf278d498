"""`command`: a program says by its exit code: 0 passed, 1 failed, everything else is no answer."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.filling import command
from witnessmark.adapters.asking.processes import given, run
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered
from witnessmark.model.kind_tables import VERIFIERS


class CommandVerifier:
    """No shell; a value is one word and no option."""

    members: Final = VERIFIERS["command"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings, where = question.settings, question.where
        environment = given(where.environment, settings.get("environment", ()))
        ended = run(command(settings["command"], question), limits, folder=where.folder, environment=environment)
        if ended.code not in {0, 1}:
            raise Unanswered("crashed")
        return OutcomeAnswer(status="failed", reason="exit_code") if ended.code else OutcomeAnswer(status="passed")


VERIFIER: Final = CommandVerifier()
