"""What kind of file a descriptor is, and which descriptors may be set non-blocking.

O_NONBLOCK belongs to the open file, not to the descriptor: set on a terminal or on an inherited standard error it would
reach every program that shares it. So it is set on our standard output only where that is a pipe or a socket, which a client
made for us alone, and taken back at exit. What may not be set is written in pieces that POLLOUT guarantees.
"""

from __future__ import annotations

import os
import stat
from typing import Final, Literal

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2

Kind = Literal["pipe", "socket", "terminal", "file", "other"]


def kind_of(fd: int) -> Kind:
    """The kind of open file behind `fd`; `other` covers /dev/null and further devices that never block."""
    mode = os.fstat(fd).st_mode
    if stat.S_ISFIFO(mode):
        return "pipe"
    if stat.S_ISSOCK(mode):
        return "socket"
    if os.isatty(fd):
        return "terminal"
    return "file" if stat.S_ISREG(mode) else "other"


def claim_standard_streams() -> None:
    """Put /dev/null where standard input, output or error is closed: else a pipe of ours would take its number."""
    while True:
        fd = os.open(os.devnull, os.O_RDWR)
        if fd > STDERR:
            os.close(fd)
            return
        os.set_inheritable(fd, True)  # noqa: FBT003 (the signature is the standard library's)


def set_nonblocking(fd: int) -> bool:
    """True where `fd` was made non-blocking here and must be given back as it was; pipes and sockets only."""
    if kind_of(fd) not in {"pipe", "socket"} or not os.get_blocking(fd):
        return False
    os.set_blocking(fd, False)
    return True


def close_quietly(fd: int) -> None:
    """Close `fd`; one that is closed already is no error here."""
    try:
        os.close(fd)
    except OSError:
        return


def replace_with_null(fd: int) -> None:
    """Close the open file behind a standard stream but keep its number taken: its peer sees it closed at once."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, fd)
    os.close(null)
