"""`file`: the effect is a file."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.files import Absent, opened
from witnessmark.adapters.asking.filling import names_key
from witnessmark.adapters.asking.question import EffectAnswer, Limits, Question
from witnessmark.model.kind_tables import DESTINATIONS


class FileDestination:
    """Applied where a regular file lies there. A file tells nothing of how often it was written, so there is no count."""

    members: Final = DESTINATIONS["file"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def ask(self, question: Question, limits: Limits) -> EffectAnswer:
        """The answer."""
        path = question.settings["path"]
        try:
            with opened(path, question, limits):
                return EffectAnswer(status="applied", method="operation_key" if names_key(path) else "query")
        except Absent:
            return EffectAnswer(status="absent", method="operation_key" if names_key(path) else "query")


DESTINATION: Final = FileDestination()
