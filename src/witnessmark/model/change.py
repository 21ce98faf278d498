"""A change between two contracts: its kind, place and two independent grades (contracts.md, "Differences").

`old_caller` is how an agent that still holds the old contract fares at the new server; `model_told` is what the model now
reads. They are never merged into one severity. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

OldCaller = Literal["none", "loud", "silent"]
ModelTold = Literal["same", "changed", "escalated"]
Confidence = Literal["proven", "high", "medium", "low"]
Preset = Literal["strict", "balanced", "lenient"]
DiffVerdict = Literal["same", "cosmetic", "drift", "incomplete", "unpinned"]

ABSENT: Final = msgspec.UNSET
"""Before or after of a change where there is nothing: not null, which is a value."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One difference. `pointer` is a JSON Pointer into the tool (empty: the tool itself; `/instructions` and the like for
    the server, with an empty `tool`). `group` is `toolchain` for what schema generators and SDK swaps leave behind; `lane` is
    `claims-safer` for a relaxed annotation. `why` says what happened in words, `action` the one next step.
    """

    tool: str
    kind: str
    pointer: str
    old_caller: OldCaller
    model_told: ModelTold
    confidence: Confidence
    why: str
    action: str
    before: Any = ABSENT
    after: Any = ABSENT
    renamed_to: str = ""
    group: str = ""
    lane: str = ""
    fingerprint: str = ""

    @property
    def cosmetic(self) -> bool:
        """True where it has neither grade."""
        return self.old_caller == "none" and self.model_told == "same"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What comparing one server's approved and current contract gave. `tools`: how many the current one has; `expired`: tools
    whose approval has ended ("" for the instructions); `where` names the lockfile or file that is compared with;
    `approved`: that is a contract that somebody approved.
    """

    server: str
    profile: str
    complete: bool
    preset: Preset
    verdict: DiffVerdict
    changes: tuple[Change, ...] = ()
    reason: str = ""
    tools: int = 0
    expired: tuple[str, ...] = ()
    where: str = ""
    approved: bool = True
