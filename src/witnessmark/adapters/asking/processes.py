"""Foreign programs: a process group of their own, bounded in time and output, ended as a group, reaped always. No shell."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from witnessmark.adapters.asking.question import Limits, Unanswered

ALWAYS_GIVEN: Final = ("PATH", "HOME", "LANG", "TMPDIR")
LOOK_EVERY_MS: Final = 10
"""How often a process is looked after that says nothing."""
_READ: Final = 1 << 16


class Ended(NamedTuple):
    """Exit code (negative: by that signal) and standard output. What it said on standard error is nobody's."""

    code: int
    output: bytes


def given(environment: Mapping[str, str], names: Iterable[str] = ()) -> dict[str, str]:
    """The variables that a foreign process gets: few, and those that its declaration names."""
    return {name: environment[name] for name in (*ALWAYS_GIVEN, *names) if name in environment}


def run(command: Sequence[str], limits: Limits, *, folder: str | None, environment: Mapping[str, str], stdin: bytes = b"") -> Ended:
    """The end of a program; Unanswered where it cannot be started or goes beyond time or output. Nothing of its group is left."""
    with contextlib.ExitStack() as stack:
        source = stack.enter_context(_readable(stdin))
        try:
            process = subprocess.Popen(
                command,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
            )
        except (OSError, ValueError):
            raise Unanswered("not_installed") from None
        try:
            output = _output(process, limits)
            _kill_group(process)
            return Ended(process.wait(), output)
        finally:
            _kill_group(process)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


@contextlib.contextmanager
def _readable(data: bytes):  # type: ignore[no-untyped-def]  # noqa: ANN202
    import tempfile  # noqa: PLC0415 - only where something is asked

    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


def _output(process: subprocess.Popen[bytes], limits: Limits) -> bytes:
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    os.set_blocking(descriptor, False)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    until = time.monotonic() + limits.seconds
    output = bytearray()
    closed = False
    while True:
        # Looked for before the pipe is read: all that it said before its end is in the pipe by then.
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        if time.monotonic() >= until:
            raise Unanswered("time_limit")
        if not closed and (poll.poll(0 if ended else LOOK_EVERY_MS)):
            closed = _take(descriptor, output)
            if len(output) > limits.output_bytes:
                raise Unanswered("output_limit")
        elif ended:
            return bytes(output)
        elif closed:
            time.sleep(LOOK_EVERY_MS / 1000)


def _take(descriptor: int, output: bytearray) -> bool:
    """Read once; whether that was the end."""
    try:
        chunk = os.read(descriptor, _READ)
    except BlockingIOError:
        return False
    output += chunk
    return not chunk


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the group while its leader is not reaped: its number is still its own."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
