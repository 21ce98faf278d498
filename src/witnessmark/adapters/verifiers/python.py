"""`python`: a function of the operator's, called in a process of its own with the call's arguments."""

from __future__ import annotations

import os
import sys
from typing import Final

import msgspec

from witnessmark.adapters.asking.json_answers import decoded
from witnessmark.adapters.asking.processes import given, run
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered
from witnessmark.model.kind_tables import VERIFIERS


class PythonVerifier:
    """True is passed, False is failed; an exception, an exit and every other value are no answer."""

    members: Final = VERIFIERS["python"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings, where = question.settings, question.where
        asked = msgspec.json.encode({"callable": settings["callable"], "values": question.values})
        # The folder of the configuration is where its modules lie; -P keeps the working directory out of everybody else's way.
        environment = {**given(where.environment, settings.get("environment", ())), "PYTHONPATH": os.path.abspath(where.folder)}
        worker = [sys.executable, "-P", "-m", "witnessmark.adapters.asking.callable_worker"]
        ended = run(worker, limits, folder=where.folder, environment=environment, stdin=asked)
        if ended.code:
            raise Unanswered("crashed")
        match decoded(ended.output, limits.output_bytes):
            case True:
                return OutcomeAnswer(status="passed")
            case False:
                return OutcomeAnswer(status="failed", reason="differs")
            case _:
                raise Unanswered("not_understood")


VERIFIER: Final = PythonVerifier()
