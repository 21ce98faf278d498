"""`judged`: a model's judgement, brought by a command that prints JSON. The weakest word there is, and labelled so."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.filling import command
from witnessmark.adapters.asking.json_answers import decoded
from witnessmark.adapters.asking.processes import given, run
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered
from witnessmark.model.kind_tables import VERIFIERS


class JudgedVerifier:
    """`{"status": "passed"}` or `{"status": "failed"}`; everything else is no answer."""

    members: Final = VERIFIERS["judged"].members
    strength: Final = "judged"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings, where = question.settings, question.where
        environment = given(where.environment, settings.get("environment", ()))
        ended = run(command(settings["command"], question), limits, folder=where.folder, environment=environment)
        if ended.code:
            raise Unanswered("crashed")
        word = decoded(ended.output, limits.output_bytes)
        match word.get("status") if isinstance(word, dict) else None:
            case "passed":
                return OutcomeAnswer(status="passed")
            case "failed":
                return OutcomeAnswer(status="failed", reason="differs")
            case _:
                raise Unanswered("not_understood")


VERIFIER: Final = JudgedVerifier()
