"""`git`: a branch holds a commit, and a file with a content."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.filling import components, filled
from witnessmark.adapters.asking.git_reading import Repository
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, digest_of
from witnessmark.model.kind_tables import VERIFIERS


class GitVerifier:
    """Passed where everything declared holds; a branch that is not there is unknown."""

    members: Final = VERIFIERS["git"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings, repository = question.settings, Repository(question, limits)
        head = repository.commit(settings.get("branch", "HEAD"))
        if "commit" in settings and not repository.holds(head, filled(settings["commit"], question)):
            return OutcomeAnswer(status="failed", reason="absent")
        if "path" not in settings:
            return OutcomeAnswer(status="passed")
        data = repository.blob(head, "/".join(components(settings["path"], question)))
        wanted = f"sha256:{settings['sha256']}" if "sha256" in settings else ""
        if data is None:
            return OutcomeAnswer(status="failed", reason="absent", expected=wanted)
        found = digest_of(data)
        held = wanted in {"", found}
        return OutcomeAnswer(status="passed" if held else "failed", reason="" if held else "differs", expected=wanted, found=found)


VERIFIER: Final = GitVerifier()
