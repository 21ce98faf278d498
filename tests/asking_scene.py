"""Questions as a run would ask them, in a folder of the test's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from witnessmark.adapters.asking.asking import ask_destination, ask_verifier
from witnessmark.adapters.asking.question import Limits, Question, Surroundings
from witnessmark.model.declaration import DestinationDeclaration, OutcomeDeclaration
from witnessmark.model.kind_tables import BUILT_IN
from witnessmark.observe.redact import Redactor

SOON = Limits(seconds=1.0, output_bytes=1 << 16)
"""For what never answers: the test waits this long."""
PATIENT = Limits(seconds=30.0)
"""For what does answer: no test depends on how fast."""


REDACT = Redactor("k1", b"k" * 32)


class Scene:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, str] = dict(os.environ)
        self.more: dict[str, Any] = {}

    def question(self, settings: dict[str, Any], values: dict[str, Any], key: Any, visibility: Any = "private") -> Question:
        where = Surroundings(folder=str(self.folder), environment=self.environment, **self.more)
        return Question(settings=settings, where=where, values=values, key=key, visibility=visibility)

    def verify(
        self, kind: str, limits: Limits = PATIENT, *, values: dict[str, Any] | None = None, visibility: str = "private", **settings: Any
    ) -> tuple[str, str]:
        receipt = self.receipt(kind, limits, values=values, visibility=visibility, **settings)
        return receipt.status, receipt.reason

    def receipt(
        self, kind: str, limits: Limits = PATIENT, *, values: dict[str, Any] | None = None, visibility: str = "private", **settings: Any
    ) -> Any:
        declared = OutcomeDeclaration(name="it", kind=kind, settings=settings, strength=BUILT_IN.verifiers[kind].strength)
        return ask_verifier(declared, self.question(settings, values or {}, None, visibility), REDACT, limits)

    def ask(
        self, kind: str, limits: Limits = PATIENT, *, values: dict[str, Any] | None = None, key: Any = None, **settings: Any
    ) -> tuple[str, int | None, str]:
        declared = DestinationDeclaration(kind=kind, settings=settings)
        receipt = ask_destination(declared, self.question(settings, values or {}, key), limits)
        return receipt.status, receipt.count, receipt.reason
