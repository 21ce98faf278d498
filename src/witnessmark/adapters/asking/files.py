"""Files below a folder, opened component by component without following a link, so that a link put there leads nowhere."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from witnessmark.adapters.asking.filling import PLACEHOLDER, components
from witnessmark.adapters.asking.question import Limits, Question, Unanswered

_READ: Final = 1 << 20
_GONE: Final = frozenset((errno.ENOENT,))


class Absent(Exception):
    """Nothing lies there."""


class OpenFile:
    """A regular file; `size` is that of the moment it was opened."""

    def __init__(self, descriptor: int, limits: Limits) -> None:
        self._descriptor = descriptor
        self._limits = limits
        self._before = os.fstat(descriptor)
        self.size = self._before.st_size
        self.changed_us = self._before.st_mtime_ns // 1000

    def stream(self, take: Callable[[bytes], object], limit_bytes: int | None = None) -> None:
        """Give its bytes away in pieces; Unanswered beyond a limit, and where it changes meanwhile."""
        until, seen = time.monotonic() + self._limits.seconds, 0
        while chunk := os.read(self._descriptor, _READ):
            seen += len(chunk)
            if seen > (self._limits.file_bytes if limit_bytes is None else limit_bytes):
                raise Unanswered("output_limit")
            if time.monotonic() >= until:
                raise Unanswered("time_limit")
            take(chunk)
        self.check_unchanged()

    def read(self) -> bytes:
        """All of it, within the limit of an answer."""
        data = bytearray()
        self.stream(data.extend, self._limits.output_bytes)
        return bytes(data)

    def check_unchanged(self) -> None:
        """Unanswered where it was written since it was opened."""
        now, before = os.fstat(self._descriptor), self._before
        if (now.st_size, now.st_mtime_ns, now.st_nlink > 0) != (before.st_size, before.st_mtime_ns, before.st_nlink > 0):
            raise Unanswered("changed_while_read")


@contextmanager
def opened(template: str, question: Question, limits: Limits) -> Iterator[OpenFile]:
    """The file of a path template; Absent where nothing lies there, Unanswered for a link, a directory, a pipe, a locked door.

    A relative path begins in the configuration's folder. An absolute one begins in its last folder before a placeholder, which
    is the operator's word and may be a link.
    """
    folder, rest = question.where.folder, template
    if template.startswith("/"):
        fixed = template[: found.start()] if (found := PLACEHOLDER.search(template)) else template
        folder = fixed.rpartition("/")[0] or "/"
        rest = template[len(folder) :]
    descriptor = _walk(folder, components(rest, question))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unanswered("unsafe_path")
        yield OpenFile(descriptor, limits)
    finally:
        os.close(descriptor)


def _walk(folder: str, parts: list[str]) -> int:
    try:
        at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _why(error) from None
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        # O_NONBLOCK: a pipe that somebody put there would otherwise wait for its writer.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_NONBLOCK if last else os.O_DIRECTORY)
        try:
            below = os.open(part, flags, dir_fd=at)
        except (OSError, ValueError) as error:
            raise _why(error) from None
        finally:
            with suppress(OSError):
                os.close(at)
        at = below
    return at


def _why(error: Exception) -> Exception:
    code = error.errno if isinstance(error, OSError) else None
    if code in _GONE:
        return Absent()
    return Unanswered("not_permitted" if code in {errno.EACCES, errno.EPERM} else "unsafe_path")
