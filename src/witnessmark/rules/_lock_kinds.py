"""Kinds that only a comparison with a lockfile can find: what was approved is known by its launch, or by its digest alone.

Pure: no I/O, no clock. They are no part of the catalogue: no rule finds them in two captures.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from witnessmark.rules._rule import Doc, Rule

LAUNCH_CHANGED: Final = Rule(
    kind="launch-changed",
    name="The server is started in another way",
    old_caller="none",
    model_told="escalated",
    confidence="proven",
    step="stop",
    action="find out who changed the command or URL, and approve it if it is meant",
    doc=Doc(
        means="Command, arguments, URL, or the names of its variables and headers are not those of the lockfile.",
        matters="Another program may answer with the same contract and do something else with every call.",
        do="Find out who changed it and why. Approve it with `witnessmark approve --server NAME`, without a tool.",
        cannot_see="A program that changed behind the same command, and the values of variables and headers: they are never kept.",
        source="contracts.md, Lockfile: a changed launch command is drift too.",
    ),
)
DIGEST_CHANGED: Final = Rule(
    kind="digest-changed",
    name="A contract changed whose text was not kept",
    old_caller="silent",
    model_told="changed",
    confidence="low",
    step="read",
    action="read the tool as it is now; lock it with its text to see the next change",
    doc=Doc(
        means="The tool was locked with --digest-only, and its digest is another now.",
        matters="What changed cannot be told: missing evidence is never taken for harmless.",
        do="Read the tool as it is now and approve it, or lock it with its text, so that the next change can be shown.",
        cannot_see="What the contract was before.",
        source="contracts.md, Lockfile: the contract text, or the digest alone where the user chose so.",
    ),
)
EXTENDED_CHANGED: Final = Rule(
    kind="extended-digest-changed",
    name="Something outside the contract changed",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="note",
    action="take note",
    doc=Doc(
        means="Icons, `_meta` or a member that no revision knows is another; the contract itself is the same.",
        matters="It is recorded and never gates: no model API is shown it.",
        do="Nothing. `witnessmark approve` takes the new digest over.",
        cannot_see="Which member changed: only its digest is kept. Compare two captures with `witnessmark diff` to see it.",
        source="contracts.md, Contract and digest: the extended digest never gates.",
    ),
)

LOCK_KINDS: Final[Mapping[str, Rule]] = MappingProxyType({rule.kind: rule for rule in (LAUNCH_CHANGED, DIGEST_CHANGED, EXTENDED_CHANGED)})
"""By kind, beside the catalogue's rules."""
