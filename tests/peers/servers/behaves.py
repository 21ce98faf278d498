"""A process that behaves as its first argument says: what the proxy must pass on whatever stands behind it.

copy [SIZE]        standard input to standard output, SIZE bytes at a time, until end of file
exit CODE          leave at once
die SIGNAL         kill itself
last CODE          write a line without end, then leave
flood BYTES        standard error full, then "flooded" on standard output, then copy
traps              say "ready"; name each signal that arrives; leave at end of file
stubborn           say "ready"; ignore end of file and SIGTERM until SIGUSR1
descriptors        the numbers of all open descriptors
identity           process id, group and session
grandchild         leave, but leave a child behind that holds the pipes for ever
slow BYTES         write BYTES to standard output without reading
deaf               close standard input, say "deaf", live until killed
mute               close standard output, read to end of file, leave with 5
"""

from __future__ import annotations

import os
import select
import signal
import sys
from types import FrameType


def say(text: str, fd: int = 1) -> None:
    os.write(fd, text.encode() + b"\n")


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def copy(size: int) -> None:
    while data := os.read(0, size):
        write_all(1, data)


def note(number: int, frame: FrameType | None) -> None:
    say(signal.Signals(number).name)


def main(what: str, *rest: str) -> int:  # noqa: C901, PLR0912 - a table of behaviours
    match what:
        case "copy":
            copy(int(rest[0]) if rest else 65536)
        case "exit":
            return int(rest[0])
        case "die":
            number = signal.Signals[rest[0]]
            if number is not signal.SIGKILL:
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        case "last":
            os.write(1, b"last words")
            return int(rest[0])
        case "flood":
            write_all(2, b"e" * int(rest[0]))
            say("flooded")
            copy(65536)
        case "traps":
            for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"):
                signal.signal(signal.Signals[name], note)
            say("ready")
            copy(65536)
        case "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGUSR1, lambda number, frame: os._exit(3))
            say(f"ready {os.getpid()}")
            while True:
                signal.pause()
        case "descriptors":
            say(" ".join(sorted(os.listdir("/proc/self/fd"), key=int)[:-1]))
            copy(65536)
        case "identity":
            say(f"{os.getpid()} {os.getpgid(0)} {os.getsid(0)}")
            copy(65536)
        case "grandchild":
            if os.fork():
                say("left")
                return 4
            signal.pause()
        case "slow":
            write_all(1, b"s" * int(rest[0]))
        case "deaf":
            os.close(0)
            say("deaf")
            signal.pause()
        case "mute":
            os.close(1)
            while os.read(0, 65536):
                pass
            return 5
        case "wait":
            select.select([0], [], [])
        case _:
            return 64
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
