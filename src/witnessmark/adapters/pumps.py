"""What waits to be written: one queue per sink, bounded by back-pressure for the traffic and by dropping for standard error."""

from __future__ import annotations

import os
import select
from collections import deque
from typing import Final

from witnessmark.adapters.descriptors import STDERR, close_quietly

READ_BYTES: Final = 64 * 1024
"""One read: a Linux pipe's whole capacity. Reads of 256 KiB were slower in the sketches (the buffer is allocated each time)."""

PENDING_LIMIT_BYTES: Final = 256 * 1024
"""More than this unwritten to one side, and the other side is not read: memory stays flat and the writer feels the slow reader,
as it would without us. Four reads, so that a reader which keeps up never stops the flow."""

STDERR_KEPT_BYTES: Final = 256 * 1024
"""Of a standard error that nobody reads, the newest bytes are kept up to here: a crash's last words are at the end."""


class Sink:
    """A descriptor to write to, and the bytes that it did not take yet. Never waits.

    `nonblocking` says that the descriptor returns at once from any write; without it, writes happen only when poll reported
    room, in pieces of at most PIPE_BUF, which POSIX then guarantees not to block.
    """

    __slots__ = ("_pending", "broken", "fd", "finishing", "nonblocking", "pending_bytes", "written_bytes")

    def __init__(self, fd: int, *, nonblocking: bool) -> None:
        self.fd = fd
        self.nonblocking = nonblocking
        self._pending: deque[memoryview] = deque()
        self.pending_bytes = 0
        self.written_bytes = 0
        self.broken = False
        """Nobody will read: what comes is dropped, and the source of it is to be closed."""
        self.finishing = False
        """Close once everything is written."""

    def write(self, data: bytes | memoryview) -> None:
        """Write what is taken at once, keep the rest for `flush`."""
        if self.broken:
            return
        if self.nonblocking and not self._pending:
            try:
                written = os.write(self.fd, data)
            except BlockingIOError:
                written = 0
            except OSError:
                self.breaks()
                return
            self.written_bytes += written
            if written == len(data):
                return
            data = memoryview(data)[written:]
        self._pending.append(memoryview(data))
        self.pending_bytes += len(data)

    def flush(self) -> None:
        """Write as much of the kept bytes as is taken now; to be called when poll reports room."""
        while self._pending:
            piece = self._pending[0]
            try:
                written = os.write(self.fd, piece if self.nonblocking else piece[: select.PIPE_BUF])
            except BlockingIOError:
                return
            except OSError:
                self.breaks()
                return
            self.pending_bytes -= written
            self.written_bytes += written
            if written == len(piece):
                self._pending.popleft()
            else:
                self._pending[0] = piece[written:]
            if not self.nonblocking:
                return

    def breaks(self) -> None:
        """The reader is gone: EPIPE, a reset, a terminal hung up."""
        self.broken = True
        self._pending.clear()
        self.pending_bytes = 0


class StderrRing:
    """Passes the server's standard error to ours and never makes the server wait: what nobody reads is dropped and counted."""

    __slots__ = ("_pending", "_pending_bytes", "_unsaid_bytes", "broken", "dropped_bytes", "source")

    def __init__(self, source: int) -> None:
        self.source: int | None = source
        self._pending: deque[memoryview] = deque()
        self._pending_bytes = 0
        self._unsaid_bytes = 0
        self.dropped_bytes = 0
        """All bytes dropped so far."""
        self.broken = False

    @property
    def waiting(self) -> bool:
        """True while there is something to write."""
        return bool(self._pending) and not self.broken

    def read(self) -> bool:
        """Take what the server wrote; False at end of file, which closes the source."""
        if self.source is None:
            return False
        try:
            data = os.read(self.source, READ_BYTES)
        except OSError:
            data = b""
        if not data:
            close_quietly(self.source)
            self.source = None
            return False
        if self.broken:
            self._count_dropped(len(data))
            return True
        self._pending.append(memoryview(data))
        self._pending_bytes += len(data)
        while self._pending_bytes > STDERR_KEPT_BYTES and len(self._pending) > 1:
            oldest = self._pending.popleft()
            self._pending_bytes -= len(oldest)
            self._count_dropped(len(oldest))
        return True

    def flush(self) -> None:
        """Write one piece; to be called when poll reports room on our standard error.

        Never more than PIPE_BUF: our standard error is shared with the client and stays in blocking mode.
        """
        if not self._pending:
            return
        piece = self._pending[0]
        try:
            if self._unsaid_bytes:
                note = f"\nwitnessmark: dropped {self._unsaid_bytes} bytes of the server's standard error, which nobody read\n"
                os.write(STDERR, note.encode())  # shorter than any PIPE_BUF (512 at least): taken whole
                self._unsaid_bytes = 0
                return
            written = os.write(STDERR, piece[: select.PIPE_BUF])
        except BlockingIOError:
            return  # somebody else made the shared descriptor non-blocking
        except OSError:
            self.broken = True
            self._count_dropped(self._pending_bytes)
            self._pending.clear()
            self._pending_bytes = 0
            return
        self._pending_bytes -= written
        if written == len(piece):
            self._pending.popleft()
        else:
            self._pending[0] = piece[written:]

    def _count_dropped(self, size: int) -> None:
        self.dropped_bytes += size
        self._unsaid_bytes += size
