"""`mcp`: another server's read-only tool says so."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.filling import filled
from witnessmark.adapters.asking.json_answers import at
from witnessmark.adapters.asking.mcp_reading import call, text_in
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered, compared
from witnessmark.model.kind_tables import VERIFIERS


class McpVerifier:
    """`pointer` leads into the tool's `structuredContent`, `contains` looks through its texts."""

    members: Final = VERIFIERS["mcp"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings = question.settings
        if "contains" not in settings and not {"pointer", "equals"} <= settings.keys():
            raise Unanswered("nothing_checked")
        result = call(question, limits)
        if "contains" in settings and filled(settings["contains"], question) not in text_in(result):
            return OutcomeAnswer(status="failed", reason="absent")
        if "pointer" not in settings:
            return OutcomeAnswer(status="passed")
        try:
            return compared(settings["equals"], at(result.get("structuredContent"), settings["pointer"]))
        except KeyError:
            return OutcomeAnswer(status="failed", reason="absent")


VERIFIER: Final = McpVerifier()
