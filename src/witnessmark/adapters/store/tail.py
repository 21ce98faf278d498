"""The tail: a session's newest entries in a small file beside the store, until they are in the store.

A commit of SQLite takes eight system calls or more, and a client waits for two commits in each call. An entry in the tail takes
one write, survives the death of our process like a commit, and is put into the store as soon as nobody waits. What a dead
process left in a tail is put there by whoever opens the store next; that some of it is there already does no harm, because
an equal entry is kept once.

The file begins with the session's source and id. Each record has a checksum, so that the end is found: records of earlier
rounds behind it are in the store already.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from witnessmark.model.chain import Entry

MAX_WAITING: Final = 256
"""Entries that may wait: a commit of so many takes some two milliseconds, and a store that fails for a moment costs nothing."""
MAX_BYTES: Final = 1024 * 1024
"""Bytes that may wait; an entry has some hundred."""

_SUFFIX: Final = "-tail1-"
_NAMES: Final = struct.Struct(">III")  # checksum, bytes of source, bytes of session
_RECORD: Final = struct.Struct(">QqHI32s")  # sequence, time, bytes of kind, bytes of data, hash
_CHECKSUM: Final = struct.Struct(">I")
_CHECKSUM_BYTES: Final = _CHECKSUM.size
_NO_CHECKSUM: Final = b"\x00" * (_CHECKSUM_BYTES + _RECORD.size)
"""No record: the checksum of zeros is another number."""


class LeftBehind(NamedTuple):
    """What stands in a tail that nobody owns any more."""

    source: str
    session: str
    entries: list[Entry]


class Tail:
    """The tail of one session. `waiting` are the entries that are in it and not known to be in the store."""

    __slots__ = ("_at", "_fd", "_path", "_start", "waiting")

    def __init__(self, fd: int, path: str, start: int) -> None:
        self._fd = fd
        self._path = path
        self._start = start
        self._at = start
        self.waiting: list[Entry] = []

    def keep(self, entries: Sequence[Entry]) -> bool:
        """True once the entries survive the death of this process; False where there is no room for them."""
        if len(self.waiting) + len(entries) > MAX_WAITING:
            return False
        data = b"".join([_record(entry) for entry in entries])
        if self._at + len(data) > MAX_BYTES:
            return False
        if not self._written(data):
            return False
        self._at += len(data)
        self.waiting += entries
        return True

    def _written(self, data: bytes) -> bool:
        try:
            if os.pwrite(self._fd, data, self._at) == len(data):
                return True
        except OSError:
            pass
        with suppress(OSError):  # what was written of it is no record: it was not acknowledged
            os.pwrite(self._fd, _NO_CHECKSUM, self._at)
        return False

    def settled(self) -> None:
        """Everything that waited is in the store."""
        self.waiting.clear()
        self._at = self._start

    def close(self) -> None:
        """Let go of the file, which goes away unless something still waits in it."""
        if not self.waiting:
            with suppress(OSError):
                os.unlink(self._path)
        os.close(self._fd)


def open_tail(store: Path, source: str, session: str) -> Tail | None:
    """A tail for a session, beside its store; None where none can be had here: then each entry is a commit."""
    import fcntl  # noqa: PLC0415 - where it is missing, there are no tails and reading a store needs none

    path = f"{store}{_SUFFIX}{os.urandom(8).hex()}"
    names = source.encode(), session.encode()
    head = b"".join((_NAMES.pack(crc32(b"".join(names)), *map(len, names)), *names))
    try:
        fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Somebody who looks for tails of the dead may have taken it away before it was locked.
        if os.fstat(fd).st_nlink and os.pwrite(fd, head, 0) == len(head):
            return Tail(fd, path, len(head))
    except OSError:
        pass
    os.close(fd)
    return None


def left_behind(store: Path) -> Iterator[LeftBehind]:
    """What dead processes left in tails of the store, one after another; each tail is removed once the next one is asked for.

    A tail whose process lives is locked, and left alone.
    """
    prefix = store.name + _SUFFIX
    try:
        paths = [entry.path for entry in os.scandir(store.parent) if entry.name.startswith(prefix)]
    except OSError:
        return
    for path in paths:
        fd = _take(path, store)
        if fd is None:
            continue
        try:
            found = _read(os.pread(fd, 2 * MAX_BYTES, 0))
            if found is not None:
                yield found
            os.unlink(path)
        except OSError:
            pass  # somebody else was faster, or may remove it where we may not
        finally:
            os.close(fd)


def _take(path: str, store: Path) -> int | None:
    """The descriptor of a tail that nobody else holds, locked; None for any other.

    In a directory that others may write to, only a file of ours or of the store's owner speaks for a session.
    """
    import fcntl  # noqa: PLC0415 - where it is missing, there are no tails and reading a store needs none

    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        if stat.S_ISREG(found.st_mode) and found.st_uid in {os.geteuid(), os.stat(store).st_uid}:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
    except OSError:
        pass
    os.close(fd)
    return None


def _record(entry: Entry) -> bytes:
    sequence, time_us, kind, data, digest = entry
    name = kind.encode()
    body = b"".join((_RECORD.pack(sequence, time_us, len(name), len(data), digest), name, data))
    return _CHECKSUM.pack(crc32(body)) + body


def _read(data: bytes) -> LeftBehind | None:
    """The session and the entries in the bytes of a tail, up to the first record that is none; None where there are none."""
    if len(data) < _NAMES.size:
        return None
    checksum, source, session = _NAMES.unpack_from(data)
    at = _NAMES.size + source + session
    names = data[_NAMES.size : at]
    if len(names) != source + session or crc32(names) != checksum:
        return None
    entries: list[Entry] = []
    while len(data) >= at + _CHECKSUM_BYTES + _RECORD.size:
        (checksum,) = _CHECKSUM.unpack_from(data, at)
        body = at + _CHECKSUM_BYTES
        sequence, time_us, kind, size, digest = _RECORD.unpack_from(data, body)
        name = body + _RECORD.size
        end = name + kind + size
        if end > len(data) or crc32(data[body:end]) != checksum:
            break
        entries.append(Entry(sequence, time_us, data[name : name + kind].decode(errors="replace"), data[name + kind : end], digest))
        at = end
    return LeftBehind(names[:source].decode(errors="replace"), names[source:].decode(errors="replace"), entries) if entries else None
