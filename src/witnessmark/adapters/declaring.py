"""Keeps what is declared for a run as evidence, before its first call.

A declaration is a session of its own in the run, written and closed in one step, as receipts are: it is there whole or not
at all, and every observer of the run takes it up. Only the operator may say it (verdicts.md section 3): a process inside the
run may be the agent's, and what it says of tools is refused.
"""

from __future__ import annotations

import os
from typing import Final

from witnessmark.adapters.clock import now_us
from witnessmark.adapters.receipts import RUN_VARIABLE, is_independent
from witnessmark.adapters.store.protocol import EvidenceStore
from witnessmark.adapters.store.writer import SessionWriter
from witnessmark.errors import UsageError
from witnessmark.model.chain import Recorder
from witnessmark.model.declaration import RunDeclaration
from witnessmark.model.evidence import Fact
from witnessmark.observe.declarations import declare as facts_of
from witnessmark.observe.redact import Redactor

SOURCE: Final = "receipt:operator"
"""Whose word it is, as of a declaration by `witnessmark receipt declare`."""


def declare(store: EvidenceStore, run: str, declaration: RunDeclaration, redact: Redactor) -> list[Fact]:
    """Keep the declaration in the run; its facts, in their order.

    UsageError inside a run (`WITNESSMARK_RUN` is set), StoreError where it cannot be kept.
    """
    if not is_independent():
        raise UsageError(
            "what is declared is the operator's to say, and this process may be the agent's",
            where=RUN_VARIABLE,
            hint=f"declare it where the run is begun, from where {RUN_VARIABLE} is not set",
        )
    facts = facts_of(declaration, redact)
    keep(store, run, facts)
    return facts


def keep(store: EvidenceStore, run: str, facts: list[Fact]) -> None:
    """Write the facts of a declaration as one closed session of the run. StoreError where it cannot be kept."""
    time_us = now_us()
    recorder = Recorder(SOURCE, f"declare-{os.urandom(8).hex()}", run)
    SessionWriter(store, recorder, server="", opened_us=time_us).close(time_us, facts)
