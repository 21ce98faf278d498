"""Which lock entry this client is held to: by the capability profile that it shows. Pure: no I/O, no clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from witnessmark.contract.lockfile import LockedServer
from witnessmark.contract.redaction import Redaction
from witnessmark.gate.approved import Approved
from witnessmark.model.capture import Profile
from witnessmark.model.change import Preset
from witnessmark.model.evidence import ContractApproved
from witnessmark.observe.redact import Redactor
from witnessmark.observe.served import ServedTools

_FULL: Final = frozenset({"roots", "sampling", "elicitation"})
"""Client capabilities of the `full` profile (contracts.md, "Capability profile")."""


class Locks:
    """The entries of one server by profile, and the one in force (`approved`; None where there is none)."""

    def __init__(self, server: str, entries: Mapping[Profile, LockedServer], redaction: Redaction, preset: Preset) -> None:
        self._server = server
        self._entries = entries
        self._redaction = redaction
        self._preset = preset
        self._capabilities: tuple[str, ...] = ()
        self._said = False
        self.approved: Approved | None = None
        self._choose()

    def replace(self, entries: Mapping[Profile, LockedServer], redaction: Redaction) -> None:
        """The lockfile was read anew."""
        self._entries, self._redaction = entries, redaction
        self._choose()

    def shown(self, capabilities: tuple[str, ...]) -> None:
        """The client showed these capability flags."""
        if capabilities != self._capabilities:
            self._capabilities = capabilities
            self._choose()

    def _choose(self) -> None:
        """Take the entry of the profile that the client shows; the other one where only that is locked."""
        full = any(flag.split(".")[0] in _FULL for flag in self._capabilities)
        order: tuple[Profile, ...] = ("full", "bare") if full else ("bare", "full")
        profile = next((each for each in order if each in self._entries), None)
        self._said = False
        self.approved = (
            Approved(self._server, profile, self._entries[profile], self._redaction, self._preset) if profile is not None else None
        )

    def evidence(self, known: ServedTools, redact: Redactor, channel: str, peer: str) -> list[ContractApproved]:
        """The approved contracts as evidence, once for each lock in force; to be asked when a complete traversal was seen, which
        shows by which digests the live tools go.
        """
        if self._said or self.approved is None:
            return []
        self._said = True
        live = {name: served for name in self.approved.names if (served := known.current(name)) is not None}
        refs = self.approved.refs(live, redact)
        return [ContractApproved(server=redact.name(self._server), channel=channel, peer=peer, tools=refs)]
