"""What every evidence store offers, whatever keeps the bytes, and the small records it answers with.

A store is append-only: what it acknowledged stays, or is dropped by a named act that leaves a record of itself. Any method
may raise a StoreError (errors.py); what a failed append did not acknowledge is not in the store. One store object serves
one thread at a time; several processes may share one store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, NewType, Protocol

from witnessmark.model.chain import Entry
from witnessmark.model.evidence import EffectDeclared, Event
from witnessmark.state.order import Logged

Durability = Literal["process", "power"]
"""What an acknowledged append survives: the death of the process, or the loss of power besides."""

SessionKey = NewType("SessionKey", int)
"""A session's short name inside one store; never reused, meaningless elsewhere."""

SILENCE_S: Final = 30.0
"""An observer whose last sign of life is older than this is taken for dead: three beats of ten seconds may be missed."""


class Head(NamedTuple):
    """Where a session's chain stands: how many numbers are given, which is the next one, and the last event's hash."""

    events: int
    hash: bytes


class SessionSummary(NamedTuple):
    """A session as the store knows it. `beat_us` is the last sign of life, `closed_us` None while it is open."""

    key: SessionKey
    source: str
    session: str
    run: str
    server: str
    opened_us: int
    closed_us: int | None
    beat_us: int
    head: Head

    def alive(self, now_us: int, silence_s: float = SILENCE_S) -> bool:
        """Whether the observer is taken to be at work at `now_us`: not closed, and heard of at most `silence_s` ago."""
        return self.closed_us is None and now_us - self.beat_us <= silence_s * 1_000_000


class RunSummary(NamedTuple):
    """A run as a list shows it: `closed` when every session is, `live` when an observer is at work (never both)."""

    run: str
    servers: tuple[str, ...]
    sessions: int
    events: int
    opened_us: int
    last_us: int
    closed: bool
    live: bool


class Dropped(NamedTuple):
    """What was deleted from the store, when and why: the record that stays."""

    run: str
    sessions: int
    events: int
    opened_us: int
    last_us: int
    dropped_us: int
    why: str


class Cursor(NamedTuple):
    """Up to which session receipts were read, and the earlier ones that were still being written then."""

    after: SessionKey = SessionKey(0)
    unfinished: frozenset[SessionKey] = frozenset()


class EvidenceStore(Protocol):
    """A place that keeps evidence. `name` is what messages call it (a path, a URL without credentials)."""

    name: str

    def open_session(self, *, source: str, session: str, run: str, server: str, opened_us: int) -> SessionKey:
        """The key of the session, which is made if it is not there. UsageError if it is there under another run."""

    def append(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Keep all entries, or none and raise. An equal entry again is harmless; a different one under an existing
        number is kept beside the first (an equivocation).
        """

    @property
    def unsettled(self) -> bool:
        """Whether something was acknowledged that readers do not see yet; `settle` is to be called when nobody waits."""

    def settle(self) -> None:
        """Put what was acknowledged where readers see it. What fails is still kept, and is tried again later."""

    def gone(self) -> bool:
        """Whether what is written no longer reaches the store that its name says (its file was removed or replaced)."""

    def beat(self, key: SessionKey, now_us: int) -> None:
        """Note that the session's observer is alive at `now_us`, though it saw nothing."""

    def close_session(self, key: SessionKey, closed_us: int, last: Sequence[Entry] = ()) -> None:
        """Keep the last entries and mark the session closed, in one step."""

    def head(self, key: SessionKey) -> Head:
        """Where the session's chain stands, to go on from there."""

    def runs(self, now_us: int, *, server: str | None = None) -> list[RunSummary]:
        """Every run (of a server), newest first."""

    def live_runs(self, server: str, now_us: int, silence_s: float = SILENCE_S) -> list[str]:
        """The runs in which an observer of `server` is at work at `now_us`, newest first; more than one is possible."""

    def sessions(self, run: str) -> list[SessionSummary]:
        """The sessions of a run, in the order in which they were opened; empty for a run that is not there."""

    def logged(self, run: str) -> Iterator[Logged]:
        """The run's events in canonical order with their bytes, as for export; one snapshot, bounded memory."""

    def changes(self) -> int:
        """A number that differs from the last one if anybody else wrote to the store since; cheap enough for every call."""

    def declarations(self, run: str, since: Cursor) -> tuple[Cursor, list[EffectDeclared]]:
        """What was declared of tools in the run by receipts since the cursor, in their order, and the cursor to go on from."""

    def events(self, run: str) -> Iterator[Event]:
        """The run's events in canonical order, as for judging: what its hash does not cover is read as a gap."""

    def attested(
        self, run: str, now_us: int, *, silence_s: float = SILENCE_S, source: str = "export", every: bool = False
    ) -> Iterator[Logged]:
        """`logged`, and in the same snapshot a session of `source` that attests count and head of each session that is
        not closed: at `now_us` where its observer is alive, else at its last sign of life. With `every`, closed sessions
        are attested too, at their close.
        """

    def checkpoints(self, run: str, now_us: int, silence_s: float = SILENCE_S) -> list[Event]:
        """Only the attesting events of `attested`."""

    def delete_run(self, run: str, now_us: int, why: str = "deleted") -> Dropped:
        """Delete a run and record that. UsageError if it is not there, or an observer is at work in it."""

    def retain(self, max_age_s: float, now_us: int) -> list[Dropped]:
        """Delete every run whose last sign of life is older than `max_age_s` and record what was dropped."""

    def dropped(self) -> list[Dropped]:
        """Everything that was ever deleted, newest first."""

    def close(self) -> None:
        """Let go of the store. Nothing acknowledged depends on it."""
