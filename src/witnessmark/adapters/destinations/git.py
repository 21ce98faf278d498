"""`git`: the effect is a commit whose message holds the operation key in a trailer."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.filling import text_of
from witnessmark.adapters.asking.git_reading import Repository
from witnessmark.adapters.asking.question import EffectAnswer, Limits, Question, counted
from witnessmark.model.kind_tables import DESTINATIONS


class GitDestination:
    """Counts the commits of a branch that say `TRAILER: KEY` on a line of their own."""

    members: Final = DESTINATIONS["git"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def ask(self, question: Question, limits: Limits) -> EffectAnswer:
        """The answer."""
        key, repository = text_of(question.value("operation_key")), Repository(question, limits)
        head = repository.commit(question.settings.get("branch", "HEAD"))
        return counted(repository.trailers(head, question.settings.get("trailer", "Operation-Key"), key), "operation_key")


DESTINATION: Final = GitDestination()
