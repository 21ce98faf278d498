"""A verdict and its parts, as data: codes, ids and numbers. Prose is made in `render`, from the same codes.

A `True` condition cannot be built without evidence ids; that is the rule "green is constructed, not assigned".
Pure: no I/O, no clock.
"""

from __future__ import annotations

import msgspec

from witnessmark.errors import OurError
from witnessmark.model.health import ROUTES, CatalogVerdict, Layer, State, Status


class Condition(msgspec.Struct, frozen=True):
    """One claim of one layer. `facts` hold names and numbers that its message is rendered from."""

    type: str
    status: Status
    reason: str
    layer: Layer
    evidence: tuple[str, ...] = ()
    server: str = ""
    call: str = ""
    facts: tuple[tuple[str, str | int | float | None], ...] = ()
    last_transition_us: int | None = None
    observed_generation: int | None = None

    def __post_init__(self) -> None:
        """Refuse a True without evidence: OurError, because only a defect of ours can ask for it."""
        if self.status == "true" and not self.evidence:
            raise OurError(f"condition {self.type} was to be True without evidence")


class CatalogReport(msgspec.Struct, frozen=True):
    """The convergence verdict of one server, with how far the proof reaches."""

    server: str
    verdict: CatalogVerdict
    reasons: tuple[str, ...]
    delivered: bool = False
    generation: int = 0
    observed_generation: int = 0
    installed_generation: int | None = None
    discovered: str = ""
    installed: str = ""
    grade: str = ""
    projection: int = 1
    pages: int = 0
    tools: int = 0
    evidence: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    in_progress: bool = False
    shown: int | None = None
    listing_channel: bool = False


class CallReport(msgspec.Struct, frozen=True):
    """One logical call: what its exchange said, what its destination says, and whether it still decides the run."""

    id: str
    channel: str
    tool: str
    server: str
    state: str
    effect: str
    answer: str
    settled: bool = False
    reasons: tuple[str, ...] = ()
    started_us: int = 0
    ended_us: int | None = None
    evidence: tuple[str, ...] = ()
    rounds: int = 1
    progress: int = 0
    invalid_progress: tuple[tuple[str, int], ...] = ()
    key: str = ""


class Counts(msgspec.Struct, frozen=True):
    """What was counted and is not listed one by one."""

    events: int = 0
    calls: int = 0
    open: int = 0
    succeeded: int = 0
    failed: int = 0
    recovered: int = 0
    other_requests: int = 0
    other_errors: int = 0
    signals: int = 0
    implicit_lists: int = 0
    junk_lines: int = 0
    advisories: int = 0
    invalid_progress: int = 0
    gaps: int = 0
    sessions: int = 0


class Verdict(msgspec.Struct, frozen=True):
    """The state of a run as of an instant: its conditions by layer, what decided it, and who owns the next step."""

    state: State
    as_of_us: int
    since_us: int | None
    conditions: tuple[Condition, ...]
    deciding: tuple[Condition, ...]
    catalogs: tuple[CatalogReport, ...]
    calls: tuple[CallReport, ...]
    counts: Counts
    run: str = ""
    run_closed: bool = False
    log_closed: bool = False
    policy: tuple[tuple[str, str | int | float | bool | None], ...] = ()
    notes: tuple[str, ...] = ()
    vantage: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """Who moves next."""
        return ROUTES[self.state].owner

    @property
    def next(self) -> str:
        """The next safe step."""
        return ROUTES[self.state].next

    @property
    def forbidden(self) -> tuple[str, ...]:
        """What must not be done automatically."""
        return ROUTES[self.state].forbidden

    @property
    def exit_code(self) -> int:
        """The command line's answer: 0 proved good, 1 proved bad, 3 not proved, 4 working."""
        return ROUTES[self.state].exit_code

    def layer_status(self, layer: Layer) -> Status:
        """False if any condition of the layer is False; True only if it has conditions and all are True; else Unknown."""
        seen: Status = "unknown"
        for condition in self.conditions:
            if condition.layer != layer:
                continue
            if condition.status == "false":
                return "false"
            if condition.status == "unknown":
                seen = "unknown"
                break
            seen = "true"
        else:
            return seen
        return "false" if any(c.layer == layer and c.status == "false" for c in self.conditions) else "unknown"
