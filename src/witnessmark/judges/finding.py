"""What a judge of a layer returns: a condition, and the state it implies where it is not True. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import NamedTuple

from witnessmark.model.health import Layer, State, Status
from witnessmark.model.verdict import Condition
from witnessmark.state.session import Mark

class Finding(NamedTuple):
    """A condition and the state that it implies (None where it is True)."""

    condition: Condition
    implies: State | None


Value = str | int | float | None


class Claim(NamedTuple):
    """The fixed part of a condition: its type and layer. `server`, `call` and `since_us` among the facts are members of the
    condition; the others are what its message is rendered from."""

    type: str
    layer: Layer

    def _finding(self, status: Status, reason: str, marks: tuple[Mark | None, ...], implies: State | None, facts: dict[str, Value]) -> Finding:
        seen = [mark for mark in marks if mark is not None]
        since = facts.pop("since_us", None)
        if since is None:
            since = max((mark.time_us for mark in seen), default=None)
        condition = Condition(
            self.type,
            status,
            reason,
            self.layer,
            tuple(dict.fromkeys(mark.ref for mark in seen)),
            str(facts.pop("server", "")),
            str(facts.pop("call", "")),
            tuple(facts.items()),
            int(since) if since is not None else None,
        )
        return Finding(condition, implies)

    def true(self, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """The claim holds, by the evidence at `marks` (at least one)."""
        return self._finding("true", reason, marks, None, facts)

    def false(self, implies: State, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """The claim is proved wrong; `implies` is the state that follows."""
        return self._finding("false", reason, marks, implies, facts)

    def unknown(self, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """Nothing proves the claim either way: the run is unproven at best."""
        return self._finding("unknown", reason, marks, "unproven", facts)

    def pending(self, reason: str, *marks: Mark | None, **facts: Value) -> Finding:
        """Nothing proves the claim yet, and nothing is late: the run is working."""
        return self._finding("unknown", reason, marks, "working", facts)
