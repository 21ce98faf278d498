"""Signals as readable bytes, with their origin where the system tells it.

A terminal's ^C goes to the whole foreground group, so the child has it already; a client's kill() goes to one process, and the
child must get it from us. Only `si_code` tells the two apart, and Python offers it through sigwaitinfo alone. So on Linux the
signals are blocked and one thread sits in sigwaitinfo and writes two bytes into a pipe; that thread never touches the traffic.
Elsewhere (macOS) handlers feed the same pipe without the origin, and every signal is passed on: a ^C may then arrive twice.

A group-wide kill by another process (killpg) looks like a kill of ours alone: the child gets it from the sender and from us.
"""

from __future__ import annotations

import _thread  # not threading: 4 ms of import that the child would wait for
import os
import signal
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

PASSED_ON: Final = (
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
    signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT,
)  # fmt: skip
"""What a client, a shell or a terminal may send to a server. SIGKILL and SIGSTOP cannot be caught by anybody."""


class SignalPipe:
    """A descriptor that becomes readable when a watched signal arrived; `take` says which, and whether from the kernel."""

    def __init__(self) -> None:
        # A signal that was ignored when we began (nohup, a shell's background job) stays ignored, for the child as for us.
        watched = {signal.SIGCHLD, *(number for number in PASSED_ON if signal.getsignal(number) is not signal.SIG_IGN)}
        self.watched: Final = frozenset(watched)
        self.fd, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self.original_mask: Final[set[signal.Signals | int]] = set(signal.pthread_sigmask(signal.SIG_BLOCK, watched))

    def start(self) -> None:
        """Begin to watch. Until then the watched signals are held pending, none is lost."""
        if sys.platform == "linux":
            _thread.start_new_thread(self._wait, ())
        else:
            for number in self.watched:
                signal.signal(number, self._handle)
            signal.pthread_sigmask(signal.SIG_SETMASK, self.original_mask)

    def take(self) -> list[tuple[int, bool]]:
        """Signals since the last call, in order: (number, True if the kernel sent it: a terminal's key, a child's end)."""
        data = os.read(self.fd, 512)
        return [(data[index], bool(data[index + 1])) for index in range(0, len(data) - 1, 2)]

    def stop_here(self) -> None:
        """Stop this process as SIGTSTP would have, and return when it is continued."""
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        # Pending now and delivered here, by the kernel's rules: none in an orphaned process group.
        blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTSTP})
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGTSTP, handler)

    def _write(self, number: int, *, from_kernel: bool) -> None:
        try:
            os.write(self._write_end, bytes((number, from_kernel)))
        except BlockingIOError:
            return  # 64 KiB of unread signals: the loop is told already that there are some

    if sys.platform == "linux":

        def _wait(self) -> None:
            while True:
                info = signal.sigwaitinfo(self.watched)
                # Positive: sent by the kernel (SI_KERNEL, CLD_*). Zero and less: by a process (SI_USER, SI_QUEUE, SI_TKILL).
                self._write(info.si_signo, from_kernel=info.si_code > 0)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._write(number, from_kernel=number == signal.SIGCHLD)
