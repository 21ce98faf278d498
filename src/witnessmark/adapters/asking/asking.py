"""Asks a declared verifier or destination and makes the receipt: names, versions, digests, words and counts, never a value.

Whatever goes wrong in between is `error` or `unknown`: a broken check is no failed check.
"""

from __future__ import annotations

import importlib
import time
from typing import Any, Final

from witnessmark.adapters.asking.question import (
    Destination,
    EffectAnswer,
    Limits,
    OutcomeAnswer,
    Question,
    Unanswered,
    Verifier,
    digest_of_value,
)
from witnessmark.model.declaration import DESTINATIONS, VERIFIERS, DestinationDeclaration, OutcomeDeclaration
from witnessmark.model.evidence import EffectReported, OutcomeReported
from witnessmark.model.kind_tables import BUILT_IN
from witnessmark.observe.redact import Purpose, Redactor

_DEFAULTS: Final = Limits()


def ask_verifier(declared: OutcomeDeclaration, question: Question, redact: Redactor, limits: Limits = _DEFAULTS) -> OutcomeReported:
    """The receipt of one outcome. Never raises for what a verifier does.

    What was expected and found is kept as a keyed hash: a version or a status has so few values that a plain digest tells it.
    """
    began, version = time.monotonic(), ""
    try:
        verifier: Verifier = _adapter("verifiers", declared.kind)
        version = verifier.version
        answer = verifier.verify(question, limits)
        if not isinstance(answer, OutcomeAnswer):
            raise Unanswered("not_understood")
    except Unanswered as unanswered:
        answer = OutcomeAnswer(status="error", reason=unanswered.reason)
    except Exception:  # noqa: BLE001 - a verifier that crashes yields unknown (architecture.md); its text may hold values
        answer = OutcomeAnswer(status="error", reason="crashed")
    return OutcomeReported(
        outcome=declared.name,
        status=answer.status,
        strength=declared.strength,
        expected=_hashed(answer.expected, redact),
        found=_hashed(answer.found, redact),
        verifier=declared.kind,
        version=version,
        digest=digest_of_value({"kind": declared.kind, **question.settings}),
        reason=answer.reason,
        visibility=question.visibility,
        duration_ms=_elapsed_ms(began),
    )


def ask_destination(declared: DestinationDeclaration, question: Question, limits: Limits = _DEFAULTS) -> EffectReported:
    """The receipt of one effect, still without the call or key that it speaks of. Never raises for what a destination does."""
    began, version = time.monotonic(), ""
    try:
        destination: Destination = _adapter("destinations", declared.kind)
        version = destination.version
        answer = destination.ask(question, limits)
        if not isinstance(answer, EffectAnswer):
            raise Unanswered("not_understood")
    except Unanswered as unanswered:
        answer = EffectAnswer(status="unknown", reason=unanswered.reason)
    except Exception:  # noqa: BLE001 - as above
        answer = EffectAnswer(status="unknown", reason="crashed")
    return EffectReported(
        status=answer.status,
        method=answer.method,
        count=answer.count,
        destination=declared.kind,
        version=version,
        digest=digest_of_value({"kind": declared.kind, **question.settings}),
        reason=answer.reason,
        duration_ms=_elapsed_ms(began),
    )


def _hashed(digest: str, redact: Redactor) -> str:
    return redact.hashed(Purpose.NAME, digest) if digest else ""


def _elapsed_ms(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _adapter(package: str, kind: str) -> Any:
    """The built-in adapter of that kind, else the plug-in's; Unanswered where there is none."""
    if kind in getattr(BUILT_IN, package):
        module = importlib.import_module(f"witnessmark.adapters.{package}.{kind}")
        return module.VERIFIER if package == "verifiers" else module.DESTINATION
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and only plug-ins need it

    for entry in entry_points(group=VERIFIERS if package == "verifiers" else DESTINATIONS, name=kind):
        return entry.load()
    raise Unanswered("not_installed")
