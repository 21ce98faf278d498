"""`mcp`: another server's read-only tool tells whether the effect is there."""

from __future__ import annotations

from typing import Final

import msgspec

from witnessmark.adapters.asking.filling import filled, names_key
from witnessmark.adapters.asking.json_answers import count_at
from witnessmark.adapters.asking.mcp_reading import call, text_in
from witnessmark.adapters.asking.question import EffectAnswer, Limits, Question, Unanswered
from witnessmark.model.kind_tables import DESTINATIONS


class McpDestination:
    """`count_at` leads into the tool's `structuredContent`, `contains` looks through its texts; one of them must be there."""

    members: Final = DESTINATIONS["mcp"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def ask(self, question: Question, limits: Limits) -> EffectAnswer:
        """The answer."""
        settings = question.settings
        by_key = names_key(msgspec.json.encode(settings.get("arguments", {})).decode() + settings.get("contains", ""))
        if "contains" not in settings and "count_at" not in settings:
            raise Unanswered("nothing_checked")
        result = call(question, limits)
        there = filled(settings["contains"], question) in text_in(result) if "contains" in settings else None
        if "count_at" not in settings:
            return EffectAnswer(status="applied" if there else "absent", method="operation_key" if by_key else "query")
        answer = count_at(result.get("structuredContent"), settings["count_at"], by_key=by_key)
        if there is not None and there != (answer.status == "applied"):
            raise Unanswered("contradicts")
        return answer


DESTINATION: Final = McpDestination()
