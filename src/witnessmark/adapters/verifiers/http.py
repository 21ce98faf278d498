"""`http`: a URL answers with a status, fields, a body. Public: as anybody sees it, without the credential."""

from __future__ import annotations

from typing import Final

from witnessmark.adapters.asking.http_get import get
from witnessmark.adapters.asking.json_answers import at, decoded
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered, compared, digest_of
from witnessmark.model.kind_tables import VERIFIERS

UNKNOWING: Final = frozenset((401, 403, 407, 408, 425, 429))
"""Client errors that say nothing of what was asked for: no permission, or not now."""
SERVER_ERRORS: Final = 500
OK: Final = 200


class HttpVerifier:
    """Passed where everything declared holds. An error of the server, and a refusal, say nothing of the outcome."""

    members: Final = VERIFIERS["http"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings = question.settings
        wanted = settings.get("status", OK)
        fields = settings.get("header", {})
        found = get(question, limits, tuple(fields))
        if found.status != wanted:
            refused = found.status in UNKNOWING and question.visibility == "private"
            if found.status >= SERVER_ERRORS or found.status in {408, 425, 429} or refused:
                raise Unanswered("unreachable")
            return compared(wanted, found.status)
        for name, value in fields.items():
            if found.fields[name] != value:
                return compared(value, found.fields[name])
        if "pointer" in settings and "equals" in settings:
            try:
                answer = compared(settings["equals"], at(decoded(found.body, limits.output_bytes), settings["pointer"]))
            except KeyError:
                return OutcomeAnswer(status="failed", reason="absent")
            if answer.status != "passed" or "sha256" not in settings:
                return answer
        elif "pointer" in settings or "equals" in settings:
            raise Unanswered("bad_setting")
        if "sha256" in settings:
            one, other = f"sha256:{settings['sha256']}", digest_of(found.body)
            return OutcomeAnswer(
                status="passed" if one == other else "failed", reason="" if one == other else "differs", expected=one, found=other
            )
        return OutcomeAnswer(status="passed")


VERIFIER: Final = HttpVerifier()
