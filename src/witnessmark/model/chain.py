"""The hash chain of a session's events: each entry's hash covers the one before, so that a hole, a swap or an edit shows.

The chain is tamper-evident for whoever holds a head hash; it is no protection against somebody who can rewrite the whole
store (SECURITY.md). Pure: no I/O, no clock.
"""

from __future__ import annotations

import struct
from hashlib import sha256
from typing import Final, NamedTuple

from witnessmark.model.evidence import EvidenceClosed, Fact, encode_fact

GENESIS: Final = b"\x00" * 32
_HEAD = struct.Struct(">QqI")


class Entry(NamedTuple):
    """An event as the store takes it: everything encoded once."""

    sequence: int
    time_us: int
    kind: str
    data: bytes
    hash: bytes


def link(prev: bytes, session: str, sequence: int, time_us: int, kind: str, data: bytes) -> bytes:
    """The hash of an entry: SHA-256 over the previous hash, session, sequence, time, kind and canonical data bytes."""
    name = session.encode()
    kind_bytes = kind.encode()
    return sha256(b"".join((prev, _HEAD.pack(sequence, time_us, len(name)), name, kind_bytes, b"\x00", data))).digest()


class Recorder:
    """Gives facts their place: sequence, time that never runs backwards, and the chain. One per (source, session)."""

    __slots__ = ("closed", "head", "last_time_us", "run", "sequence", "session", "source")

    def __init__(self, source: str, session: str, run: str, *, sequence: int = 0, head: bytes = GENESIS) -> None:
        self.source = source
        self.session = session
        self.run = run
        self.sequence = sequence
        self.head = head
        self.last_time_us = -(1 << 62)
        self.closed = False

    def record(self, fact: Fact, time_us: int) -> Entry:
        """The next entry for `fact`. A clock that stepped back is held at the last time: order is by sequence."""
        if time_us < self.last_time_us:
            time_us = self.last_time_us
        else:
            self.last_time_us = time_us
        data = encode_fact(fact)
        digest = link(self.head, self.session, self.sequence, time_us, fact.KIND, data)
        entry = Entry(self.sequence, time_us, fact.KIND, data, digest)
        self.head = digest
        self.sequence += 1
        return entry

    def close(self, time_us: int) -> Entry:
        """The last entry: count and head of all before it."""
        self.closed = True
        return self.record(EvidenceClosed(count=self.sequence, head=self.head.hex()), time_us)
