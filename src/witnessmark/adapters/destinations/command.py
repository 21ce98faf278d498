"""`command`: a program prints `{"status": "applied", "count": 1}`."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.filling import command, names_key
from witnessmark.adapters.asking.json_answers import decoded
from witnessmark.adapters.asking.processes import given, run
from witnessmark.adapters.asking.question import EffectAnswer, Limits, Question, Unanswered
from witnessmark.model.kind_tables import DESTINATIONS


class CommandDestination:
    """A status and a count that do not fit each other are a contradiction."""

    members: Final = DESTINATIONS["command"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def ask(self, question: Question, limits: Limits) -> EffectAnswer:
        """The answer."""
        settings, where = question.settings, question.where
        environment = given(where.environment, settings.get("environment", ()))
        ended = run(command(settings["command"], question), limits, folder=where.folder, environment=environment)
        if ended.code:
            raise Unanswered("crashed")
        word = decoded(ended.output, limits.output_bytes)
        status, count = (word.get("status"), word.get("count")) if isinstance(word, dict) else (None, None)
        if status not in {"applied", "absent"} or isinstance(count, bool) or not isinstance(count, int | None):
            raise Unanswered("not_understood")
        if count is not None and (count > 0) != (status == "applied"):
            raise Unanswered("contradicts")
        by_key = any(names_key(one) for one in settings["command"])
        return EffectAnswer(status=status, count=count, method="operation_key" if by_key else "query")


DESTINATION: Final = CommandDestination()
