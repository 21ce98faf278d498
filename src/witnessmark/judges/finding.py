"""What a judge of a layer returns: a claim with its status and reason, and the state it implies where it is not True.

Findings are light, because a decision is wanted far more often than its document; `condition` makes the document's part.
Pure: no I/O, no clock.
"""

from __future__ import annotations

import msgspec

from witnessmark.model.health import Layer, State, Status
from witnessmark.model.verdict import Condition
from witnessmark.state.session import Mark

Value = str | int | float | None


class Finding(msgspec.Struct, frozen=True, gc=False):
    """A claim as it stands; `implies` is None where it is True. Of the facts, `server`, `call` and `since_us` are members of
    the condition; the others are what its message is rendered from.
    """

    claim: Claim
    status: Status
    reason: str
    marks: tuple[Mark | None, ...]
    implies: State | None
    facts: dict[str, Value]

    @property
    def since_us(self) -> int | None:
        """When the claim came to stand so: as stated, or the newest of its evidence."""
        stated = self.facts.get("since_us")
        if stated is not None:
            return int(stated)
        return max((mark.time_us for mark in self.marks if mark is not None), default=None)

    @property
    def condition(self) -> Condition:
        """The claim as the verdict shows it."""
        facts = dict(self.facts)
        facts.pop("since_us", None)
        return Condition(
            self.claim.type,
            self.status,
            self.reason,
            self.claim.layer,
            tuple(dict.fromkeys(mark.ref for mark in self.marks if mark is not None)),
            str(facts.pop("server", "")),
            str(facts.pop("call", "")),
            tuple(facts.items()),
            self.since_us,
        )


class Claim(msgspec.Struct, frozen=True, gc=False):
    """The fixed part of a condition: its type and layer."""

    type: str
    layer: Layer

    def true(self, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """The claim holds, by the evidence at `marks` (at least one; a condition without any cannot be built)."""
        return Finding(self, "true", reason, marks, None, facts)

    def false(self, implies: State, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """The claim is proved wrong; `implies` is the state that follows."""
        return Finding(self, "false", reason, marks, implies, facts)

    def unknown(self, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """Nothing proves the claim either way: the run is unproven at best."""
        return Finding(self, "unknown", reason, marks, "unproven", facts)

    def pending(self, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """Nothing proves the claim yet, and nothing is late: the run is working."""
        return Finding(self, "unknown", reason, marks, "working", facts)
