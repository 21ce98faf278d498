"""The server's process: spawned first, reaped always, its end passed on as ours.

Light on purpose: the child starts before anything heavy of ours is imported, so that both starts overlap.

posix_spawn, not fork: the child gets exactly three descriptors of ours (as 0, 1 and 2); all others of ours are close-on-exec.
Descriptors that the client left open for its server pass, as they would without us. The child stays in our process group and
session: a terminal's ^C and a client's killpg reach it as they would without us.
"""

from __future__ import annotations

import errno
import os
import resource
import select
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from witnessmark.adapters.descriptors import STDERR, STDIN, STDOUT, close_quietly, kind_of
from witnessmark.adapters.signals import SignalPipe
from witnessmark.errors import WorldError

NOT_FOUND: Final = 127
NOT_EXECUTABLE: Final = 126
"""Exit codes of a shell whose command is missing, or is there and cannot be run (POSIX, XCU 2.8.2)."""

STOP_GRACE_S: Final = 2.0
"""Where we end the session: how long the child has after end of file, and again after SIGTERM (the SDKs' own shutdown waits 2 s)."""

_PYTHON_IGNORES: Final = [signal.SIGPIPE, signal.SIGXFSZ]
"""Ignored by the interpreter since its start; an ignored signal would survive exec, and the server would miss its EPIPE death."""


class CommandNotFound(WorldError):
    """The server's command does not exist."""

    exit_code = NOT_FOUND


class CommandNotExecutable(WorldError):
    """The server's command exists and cannot be run."""

    exit_code = NOT_EXECUTABLE


class Child:
    """A running server: its process id and our ends of its pipes. `stderr` is None where it writes to our own."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int | None) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.status: int | None = None

    def reap(self) -> int | None:
        """The exit code if the child has ended (negative: killed by that signal), None while it runs. Never waits."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def send(self, number: int) -> None:
        """Pass a signal on; a child that has ended gets none, so a reused process id is never hit."""
        if self.reap() is None:
            os.kill(self.pid, number)


def spawn(
    command: tuple[str, ...],
    *,
    mask: set[signal.Signals | int],
    environment: Mapping[str, str] | None = None,
    directory: str | None = None,
) -> Child:
    """Start `command` with three pipes; `mask` is the signal mask that the child begins with.

    `environment` and `directory` take the place of ours. The directory is entered and left again around the start, because
    posix_spawn has none: nothing else of ours runs yet.

    Its standard error is a pipe only where ours can block (pipe, socket); a file or a terminal is handed on as it is.
    Raises CommandNotFound or CommandNotExecutable, WorldError for want of processes or descriptors.
    """
    piped_stderr = kind_of(STDERR) in {"pipe", "socket"}
    opened: list[int] = []
    try:
        child_in, stdin = _pipe(opened)
        stdout, child_out = _pipe(opened)
        actions: list[tuple[int, int, int]] = [(os.POSIX_SPAWN_DUP2, child_in, STDIN), (os.POSIX_SPAWN_DUP2, child_out, STDOUT)]
        theirs = [child_in, child_out]
        stderr: int | None = None
        if piped_stderr:
            stderr, child_err = _pipe(opened)
            actions.append((os.POSIX_SPAWN_DUP2, child_err, STDERR))
            theirs.append(child_err)
        with _inside(directory):
            pid = os.posix_spawnp(
                command[0],
                command,
                os.environ if environment is None else environment,
                file_actions=actions,
                setsigdef=_PYTHON_IGNORES,
                setsigmask=mask,
            )
    except OSError as error:
        for fd in opened:
            close_quietly(fd)
        raise _why_not(command[0], error) from error
    for fd in theirs:
        os.close(fd)
    os.set_blocking(stdin, False)  # our end of our own pipe: nobody else holds this open file
    return Child(pid, stdin, stdout, stderr)


@contextmanager
def _inside(directory: str | None) -> Iterator[None]:
    if directory is None:
        yield
        return
    ours = os.open(".", os.O_RDONLY)
    try:
        os.chdir(directory)
        yield
    finally:
        os.fchdir(ours)
        os.close(ours)


def _pipe(opened: list[int]) -> tuple[int, int]:
    ends = os.pipe()
    opened.extend(ends)
    return ends


def _why_not(name: str, error: OSError) -> WorldError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        hint = "check the spelling, PATH, and the interpreter named in its first line"
        return CommandNotFound(f"{name}: command not found", hint=hint)
    if error.errno in {errno.EACCES, errno.ENOEXEC, errno.EISDIR, errno.ELOOP, errno.E2BIG}:
        return CommandNotExecutable(f"{name}: cannot be run: {reason}", hint="check that it is a program and that you may execute it")
    return WorldError(f"{name}: did not start: {reason}", hint="the machine is out of processes, memory or descriptors")


def stop_child(child: Child, signals: SignalPipe) -> int | None:
    """Close the child's standard input, then ask it to end, then end it, with STOP_GRACE_S for each; its exit code.

    (Specification, basic/lifecycle, shutdown over stdio: close the input, wait, SIGTERM, wait, SIGKILL.)
    """
    close_quietly(child.stdin)
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            child.send(number)
        if _ended_within(child, signals, STOP_GRACE_S):
            break
    return child.status


def _ended_within(child: Child, signals: SignalPipe, limit_s: float) -> bool:
    until = time.monotonic() + limit_s
    poll = select.poll()
    poll.register(signals.fd, select.POLLIN)
    while child.reap() is None:
        left = until - time.monotonic()
        if left <= 0:
            return False
        if poll.poll(left * 1000):
            signals.take()
    return True


def end_like(code: int) -> int:
    """The exit code to leave with after the child's `code`; after a death by signal this process dies by the same one.

    Returns 128 + N where that signal does not end us (it is ignored, or blocked by a tracer).
    """
    if code >= 0:
        return code
    number = -code
    # A server's crash leaves one core file, the server's.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    return 128 + number
