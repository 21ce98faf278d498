"""`http`: a service tells whether it has it. 200 is yes, 404 and 410 are no; everything else is no answer."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.filling import names_key
from witnessmark.adapters.asking.http_get import get
from witnessmark.adapters.asking.json_answers import at, count_at, decoded
from witnessmark.adapters.asking.question import EffectAnswer, Limits, Question, Unanswered
from witnessmark.model.kind_tables import DESTINATIONS

ABSENT: Final = frozenset((404, 410))
OK: Final = 200


class HttpDestination:
    """A service that speaks of another key than it was asked for contradicts itself."""

    members: Final = DESTINATIONS["http"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def ask(self, question: Question, limits: Limits) -> EffectAnswer:
        """The answer."""
        settings = question.settings
        by_key = names_key(settings["url"])
        found = get(question, limits)
        if found.status in ABSENT:
            return EffectAnswer(status="absent", method="operation_key" if by_key else "query")
        if found.status != OK:
            raise Unanswered("unreachable")
        if "key_at" not in settings and "count_at" not in settings:
            return EffectAnswer(status="applied", method="operation_key" if by_key else "query")
        body = decoded(found.body, limits.output_bytes)
        if "key_at" in settings:
            self._same_key(body, settings["key_at"], question)
        if "count_at" in settings:
            return count_at(body, settings["count_at"], by_key=by_key)
        return EffectAnswer(status="applied", method="operation_key" if by_key else "query")

    @staticmethod
    def _same_key(body: object, pointer: str, question: Question) -> None:
        try:
            said = at(body, pointer)
        except KeyError:
            raise Unanswered("not_understood") from None
        if said != question.value("operation_key"):
            raise Unanswered("contradicts")


DESTINATION: Final = HttpDestination()
