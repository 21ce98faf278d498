"""`sql`: the effect is a row, or a count of rows."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.databases import rows
from witnessmark.adapters.asking.question import EffectAnswer, Limits, Question, Unanswered, counted
from witnessmark.model.kind_tables import DESTINATIONS


class SqlDestination:
    """Each row of the query is one effect; with `counts` its one cell says how many."""

    members: Final = DESTINATIONS["sql"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def ask(self, question: Question, limits: Limits) -> EffectAnswer:
        """The answer."""
        found = rows(question, limits)
        method: Final = "operation_key" if ":operation_key" in question.settings["query"] else "query"
        if not question.settings.get("counts"):
            return counted(len(found), method)
        if len(found) != 1 or len(found[0]) != 1:
            raise Unanswered("not_understood")
        return counted(found[0][0], method)


DESTINATION: Final = SqlDestination()
