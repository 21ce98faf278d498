"""The lock's entry for one server and client profile, asked about live tools: approved, changed below the preset, drifted, unpinned.

A definition that did not change since it was last asked about is not looked at again. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from witnessmark.contract.approving import verdict_of
from witnessmark.contract.digest import contract_digest
from witnessmark.contract.lockfile import Approval, LockedServer
from witnessmark.contract.projection import project
from witnessmark.contract.redaction import Redaction
from witnessmark.errors import PeerError
from witnessmark.model.capture import Capture, Profile
from witnessmark.model.change import Change, Preset
from witnessmark.model.evidence import ToolRef
from witnessmark.observe.frames import BrokenLine, time_of
from witnessmark.observe.redact import Redactor, canonical_text
from witnessmark.observe.served import Served, tool_ref

_HEX_AT: Final = len("sha256:")


class Standing(NamedTuple):
    """How a live tool stands to the lock: `reason` is empty where it may be called, else drifted | unpinned | ambiguous.

    `current` and `approved` are digests (64 hex) of the redacted contracts, empty where there is none. `same`: equal contracts.
    """

    reason: str
    current: str = ""
    approved: str = ""
    same: bool = False
    changes: tuple[Change, ...] = ()


class Approved:
    """One lock entry and the preset in force."""

    def __init__(self, server: str, profile: Profile, locked: LockedServer, redaction: Redaction, preset: Preset) -> None:
        self.server = server
        self.profile = profile
        self._locked = locked
        self._redaction = redaction
        self._preset = preset
        self._known: dict[str, tuple[bytes, Standing]] = {}
        self._comparable = locked.redaction == redaction.rules.digest

    @property
    def names(self) -> tuple[str, ...]:
        """The approved tools."""
        return tuple(self._locked.tools)

    def contract(self, name: str) -> dict[str, Any] | None:
        """The approved text of a tool; None where there is none, or its digest alone was kept."""
        found = self._locked.tools.get(name)
        return found.contract if found is not None else None

    def instructions_stand(self, text: str | None) -> bool:
        """Whether the server's instructions are the approved ones."""
        if not self._comparable:
            return False
        return (self._redaction.text(text) if text is not None else None) == self._locked.instructions

    @property
    def instructions(self) -> str | None:
        """The approved instructions."""
        return self._locked.instructions

    def standing(self, served: Served) -> Standing:
        """How the live contract stands to the approved one."""
        name = str(served.tool.get("name"))
        known = self._known.get(name)
        if known is not None and known[0] == served.encoded:
            return known[1]
        found = self._compared(name, served)
        self._known[name] = (served.encoded, found)
        return found

    def _compared(self, name: str, served: Served) -> Standing:
        locked = self._locked.tools.get(name)
        if locked is None or not self._comparable:
            return Standing("unpinned", served.ref.digest)
        approved = locked.digest[_HEX_AT:]
        if locked.contract is not None and served.encoded == canonical_text(locked.contract):
            return Standing("", approved, approved, same=True)
        tool = self._redaction.tool(served.tool).value
        try:
            current = contract_digest(tool)[_HEX_AT:]
        except PeerError:
            return Standing("ambiguous", "", approved)
        if current == approved:
            return Standing("", current, approved, same=True)
        if locked.contract is None:
            return Standing("drifted", current, approved)
        changes = self._changes(locked.contract, project(tool))
        drifted = verdict_of(changes, self._preset, complete=True) == "drift"
        return Standing("drifted" if drifted else "", current, approved, changes=changes)

    def _changes(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
        from witnessmark.rules.comparing import compare  # noqa: PLC0415 - the rules take 0.1 s to load; an unchanged tool needs none

        sides = [
            Capture(server=self.server, profile=self.profile, complete=True, tools=(dict(sorted(side.items())),)) for side in (old, new)
        ]
        return compare(sides[0], sides[1])

    def ended(self, name: str, now_us: int) -> bool:
        """Whether the tool's approval has ended. A time that cannot be read has ended."""
        locked = self._locked.tools.get(name)
        return locked is not None and _ended(locked.approval, now_us)

    def refs(self, live: Mapping[str, Served], redact: Redactor) -> tuple[ToolRef, ...]:
        """The approved contracts for the evidence. One that is redacted in the lock goes by the digest of the live tool that it
        allows, so that both are of one kind.
        """
        found = []
        for name, locked in sorted(self._locked.tools.items()):
            served = live.get(name)
            if served is not None and self.standing(served).same:
                found.append(served.ref)
            elif locked.contract is not None:
                found.append(tool_ref(locked.contract, redact))
            else:
                found.append(ToolRef(redact.name(name), locked.digest[_HEX_AT:]))
        return tuple(found)


def _ended(approval: Approval, now_us: int) -> bool:
    if not approval.until:
        return False
    try:
        until_us, absolute = time_of(approval.until)
    except BrokenLine:
        return True
    return not absolute or until_us <= now_us
