"""`sql`: a query gives the rows that it must."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.databases import rows
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered, compared
from witnessmark.model.kind_tables import VERIFIERS


class SqlVerifier:
    """Passed where the number of rows, and the first cell if one is named, are as declared."""

    members: Final = VERIFIERS["sql"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        found, settings = rows(question, limits), question.settings
        if "rows" in settings and len(found) != settings["rows"]:
            return compared(settings["rows"], len(found))
        if "rows" not in settings and not found:
            return OutcomeAnswer(status="failed", reason="absent")
        if "equals" not in settings:
            return OutcomeAnswer(status="passed")
        if not found or not found[0]:
            return OutcomeAnswer(status="failed", reason="absent")
        try:
            return compared(settings["equals"], found[0][0])
        except TypeError:
            raise Unanswered("not_understood") from None


VERIFIER: Final = SqlVerifier()
