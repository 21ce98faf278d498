"""A SQLite store whose newest entries of one session wait in a tail, so that a call does not wait for commits."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from witnessmark.adapters.store.protocol import SessionKey
from witnessmark.adapters.store.sqlite import SqliteStore
from witnessmark.adapters.store.tail import Tail
from witnessmark.errors import WitnessmarkError
from witnessmark.model.chain import Entry

RETRY_S: Final = 1.0
"""How long a store that failed is left alone while the tail has room: a try may wait for a lock, and the client waits with it."""


class TailedStore(SqliteStore):
    """A store for the writer of one session, whose entries it keeps in `tail` until `settle`; everything else is as there.

    What `append` acknowledged survives the death of the process at any instant. Readers see it after `settle`, which the
    writer calls as soon as nobody waits for it.
    """

    def __init__(self, path: str, writer: sqlite3.Connection, tail: Tail) -> None:
        super().__init__(path, writer)
        self._tail = tail
        self._key = SessionKey(0)
        self._retry_at = 0.0

    def append(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Keep all entries, in the tail while it has room; else put them into the store with all that waited, or raise."""
        self._key = key
        if not self._tail.keep(entries):
            super().append(key, [*self._tail.waiting, *entries])
            self._tail.settled()

    @property
    def unsettled(self) -> bool:
        """Whether something waits in the tail and may be tried."""
        return bool(self._tail.waiting) and (not self._retry_at or time.monotonic() >= self._retry_at)

    def settle(self) -> None:
        """Put what waits into the store. What fails stays in the tail, and is tried again later."""
        if not self._tail.waiting:
            return
        try:
            super().append(self._key, self._tail.waiting)
        except WitnessmarkError:
            self._retry_at = time.monotonic() + RETRY_S
            raise
        self._retry_at = 0.0
        self._tail.settled()

    def beat(self, key: SessionKey, now_us: int) -> None:
        """As there; what waits comes first."""
        self.settle()
        super().beat(key, now_us)

    def close_session(self, key: SessionKey, closed_us: int, last: Sequence[Entry] = ()) -> None:
        """As there; what waits comes first."""
        self.settle()
        super().close_session(key, closed_us, last)

    def close(self) -> None:
        """As there. What the store did not take stays in the tail, for whoever opens the store next."""
        with suppress(WitnessmarkError):
            self.settle()
        self._tail.close()
        super().close()
