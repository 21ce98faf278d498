"""Writes one session's facts to a store and never hides that something could not be written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from witnessmark.adapters.store.protocol import EvidenceStore, SessionKey
from witnessmark.errors import StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreTooNew
from witnessmark.model.chain import Entry, Recorder
from witnessmark.model.evidence import EvidenceGap, Fact

_REASONS: Final[dict[type[StoreError], str]] = {
    StoreLocked: "store_locked",
    StoreFull: "store_full",
    StoreReadOnly: "store_read_only",
    StoreCorrupt: "store_corrupt",
    StoreTooNew: "store_too_new",
}


class SessionWriter:
    """A session's recorder joined to its place in a store.

    What cannot be written is counted, not queued: memory stays bounded while a disk is full. The recorder goes back to the
    last entry that the store acknowledged, and the next write that succeeds puts an EvidenceGap with the count in front,
    in the same transaction. Whether the wire goes on meanwhile is the caller's policy: every failed write raises.
    """

    __slots__ = ("_lost", "_reason", "key", "recorder", "store")

    def __init__(self, store: EvidenceStore, recorder: Recorder, *, server: str, opened_us: int) -> None:
        self.store = store
        self.recorder = recorder
        self.key: SessionKey = store.open_session(
            source=recorder.source, session=recorder.session, run=recorder.run, server=server, opened_us=opened_us
        )
        self._lost = 0
        self._reason = ""

    @property
    def lost(self) -> int:
        """How many facts could not be written since the last write that succeeded."""
        return self._lost

    def write(self, facts: Sequence[Fact], time_us: int) -> None:
        """Keep the facts of one instant, all or none. Raises the store's StoreError, having counted them as lost."""
        self._write(facts, time_us, last=False)

    def note_lost(self, count: int, reason: str) -> None:
        """Count facts that the caller lost before they came here; the next write states them."""
        self._lost += count
        self._reason = reason

    def beat(self, now_us: int) -> None:
        """Say that the observer is alive, unless facts are lost: then only the gap's own entry may speak again."""
        if not self._lost:
            self.store.beat(self.key, now_us)

    def close(self, time_us: int, facts: Sequence[Fact] = ()) -> None:
        """Keep the last facts and the closing event with count and head, and mark the session closed."""
        self._write(facts, time_us, last=True)

    def _write(self, facts: Sequence[Fact], time_us: int, *, last: bool) -> None:
        recorder = self.recorder
        before = (recorder.sequence, recorder.head, recorder.last_time_us, recorder.closed)
        entries: list[Entry] = []
        if self._lost:
            entries.append(recorder.record(EvidenceGap(reason=self._reason, count=self._lost), time_us))
        entries += [recorder.record(fact, time_us) for fact in facts]
        try:
            if last:
                entries.append(recorder.close(time_us))
                self.store.close_session(self.key, entries[-1].time_us, entries)
            else:
                self.store.append(self.key, entries)
        except BaseException as error:
            recorder.sequence, recorder.head, recorder.last_time_us, recorder.closed = before
            self._lost += len(facts)
            if isinstance(error, StoreError):
                self._reason = _REASONS.get(type(error), "store_failed")
            raise
        self._lost = 0
