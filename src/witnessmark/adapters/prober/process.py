"""A server's process for a probe: in a group of its own, its standard error drained, ended as a group, reaped always."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from typing import Final

from witnessmark.adapters.child import CommandNotExecutable, CommandNotFound
from witnessmark.adapters.held_values import without_secrets
from witnessmark.errors import UsageError, WorldError

TAIL_BYTES: Final = 4 * 1024
"""Bytes kept of the end of a server's standard error: a traceback's last lines."""
TAIL_LINES: Final = 6
"""Lines of it that a reason shows."""
LINE_CHARS: Final = 200
"""Characters of such a line."""

END_OF_FILE_GRACE_S: Final = 0.2
"""How long a server may take to end by itself once its input is closed: it was only asked for a list, so there is nothing to save."""
TERMINATE_GRACE_S: Final = 1.0
"""And after SIGTERM, before SIGKILL: nothing was asked of it that it could have to finish."""
LOOK_EVERY_S: Final = 0.01
"""How often the end is looked for while we wait for it; the wait ends with the process, mostly after one look."""

SECRET_CHARS: Final = 6
"""A value of the environment shorter than this is not taken out of the tail: it would blank out every `1` and `true`."""


class ServerProcess:
    """A started server. `stdin` and `stdout` are non-blocking descriptors, closed by `stop`."""

    def __init__(
        self, command: tuple[str, ...], environment: Mapping[str, str], directory: str | None, secrets: Iterable[str] = ()
    ) -> None:
        """Start `command`; CommandNotFound, CommandNotExecutable or WorldError where it cannot be."""
        self.command = command
        self._secrets = sorted((text for text in secrets if len(text) >= SECRET_CHARS), key=len, reverse=True)
        self._tail = bytearray()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment,
                cwd=directory,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise _why_not(command[0], directory, error) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.stdin = self._process.stdin.fileno()
        self.stdout = self._process.stdout.fileno()
        self.stderr = self._process.stderr.fileno()
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)

    def drain(self) -> bool:
        """Read what standard error holds and keep its end; False once it is closed."""
        try:
            data = os.read(self.stderr, 1 << 16)
        except BlockingIOError:
            return True
        self._tail += data
        del self._tail[:-TAIL_BYTES]
        return bool(data)

    def stop(self) -> int | None:
        """Close its input, wait, then end its whole group; its exit code (negative: by that signal). May be called again.

        (Specification, basic/lifecycle, shutdown over stdio: close the input, wait, SIGTERM, wait, SIGKILL.)
        """
        process = self._process
        if process.returncode is None:
            assert process.stdin is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
            if not self._ended_within(END_OF_FILE_GRACE_S):
                self._signal(signal.SIGTERM)
                self._ended_within(TERMINATE_GRACE_S)
            # What it started and left behind goes with it. It is not reaped yet, so its group's number is still its own.
            self._signal(signal.SIGKILL)
            process.wait()
            while self._readable() and self.drain():
                pass
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        return process.returncode

    def kill(self) -> int | None:
        """End the whole group at once; its exit code. For a server that did not keep a time limit."""
        if self._process.returncode is None:
            self._signal(signal.SIGKILL)
        return self.stop()

    def last_words(self) -> str:
        """The end of its standard error in one line, without the values that were handed to it; "" if it said nothing."""
        text = without_secrets(self._tail.decode(errors="replace"), self._secrets)
        lines = [line.strip()[:LINE_CHARS] for line in text.splitlines() if line.strip()]
        return " | ".join(lines[-TAIL_LINES:])

    def _readable(self) -> bool:
        return not self._process.stderr.closed if self._process.stderr is not None else False

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left; or only a zombie is (macOS says EPERM)
            os.killpg(self._process.pid, number)

    def _ended_within(self, limit_s: float) -> bool:
        """Whether the process ended in time; it stays unreaped where the system can look without reaping (not on macOS)."""
        until = time.monotonic() + limit_s
        while not self._ended():
            if time.monotonic() >= until:
                return False
            self.drain()  # a server that blocks on a full pipe could not end
            time.sleep(LOOK_EVERY_S)
        return True

    def _ended(self) -> bool:
        if hasattr(os, "waitid"):
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return self._process.poll() is not None


def _why_not(name: str, directory: str | None, error: Exception) -> WorldError | UsageError:
    if isinstance(error, ValueError):
        return UsageError(f"{name!a}: cannot be a command: it holds a NUL character", hint="check the command in the configuration")
    if directory is not None and not os.path.isdir(directory):
        return UsageError(f"{name}: its working directory is not there", where=directory, hint="check `cwd` in the configuration")
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return CommandNotFound(f"{name}: command not found", hint="check the spelling, PATH, and the interpreter named in its first line")
    if isinstance(error, PermissionError):
        return CommandNotExecutable(f"{name}: may not be run", hint="check that it is a program and that you may execute it")
    return WorldError(
        f"{name}: did not start: {getattr(error, 'strerror', None) or type(error).__name__}", hint="check the command by hand"
    )
