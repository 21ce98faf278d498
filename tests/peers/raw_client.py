"""A client without an SDK: a process, its pipes, and waits that end with a failure instead of a hang."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PATIENCE_S = 30.0
"""No test measures with it: whoever waits longer hangs."""


class RawClient:
    """Starts `command` as an MCP client would, and speaks bytes."""

    def __init__(
        self, command: Sequence[object], *, stderr: bool = True, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> None:
        environment = {**os.environ, **(env or {})}
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if stderr else subprocess.DEVNULL,
            bufsize=0,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in = self.process.stdin
        self._out = self.process.stdout
        self._err = self.process.stderr
        os.set_blocking(self._in.fileno(), False)
        self.out = bytearray()
        self.err = bytearray()
        self.out_ended = False
        self.err_ended = self._err is None
        self._taken = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for stream in (self._in, self._out, self._err):
            if stream is not None:
                stream.close()

    # --- bytes -------------------------------------------------------------------------------------------------------

    def pump(self, data: bytes = b"", *, until: Callable[[], bool], read_stderr: bool = True) -> None:
        """Write `data` and read what comes until `until()`; fails after PATIENCE_S without any progress."""
        left = memoryview(data)
        while left or not until():
            readers = [
                stream for stream, ended in ((self._out, self.out_ended), (self._err, self.err_ended)) if stream is not None and not ended
            ]
            if not read_stderr and self._err in readers:
                readers.remove(self._err)
            writers = [self._in] if left else []
            readable, writable, _ = select.select(readers, writers, [], PATIENCE_S)
            assert readable or writable, (
                f"nothing moves; {len(left)} bytes unwritten, {len(self.out)} read: {bytes(self.out[-200:])!r} {bytes(self.err[-500:])!r}"
            )
            if self._in in writable:
                try:
                    left = left[os.write(self._in.fileno(), left[:65536]) :]
                except BrokenPipeError:
                    left = memoryview(b"")
            for stream in readable:
                self._read(stream)

    def _read(self, stream: Any) -> None:
        piece = os.read(stream.fileno(), 65536)
        if stream is self._out:
            self.out += piece
            self.out_ended = not piece
        else:
            self.err += piece
            self.err_ended = not piece
        if self.out_ended and self.err_ended:
            return

    def send(self, data: bytes) -> None:
        self.pump(data, until=lambda: True)

    def close_stdin(self) -> None:
        self._in.close()

    def close_stdout(self) -> None:
        self._out.close()
        self.out_ended = True

    def read_out(self, size: int) -> bytes:
        """The first `size` bytes of standard output."""
        self.pump(until=lambda: len(self.out) >= size or self.out_ended)
        return bytes(self.out[:size])

    def wait_for(self, text: bytes, *, on: str = "out") -> None:
        """Return once `text` was seen on `out` or `err`."""
        stream = self.out if on == "out" else self.err
        self.pump(until=lambda: text in stream or (self.out_ended and self.err_ended))
        assert text in stream, f"ended without {text!r}: {bytes(self.out[-300:])!r} {bytes(self.err[-500:])!r}"

    def finish(self, *, close: bool = True) -> int:
        """Close standard input, read everything to its end, return the exit code (negative: by signal)."""
        if close and not self._in.closed:
            self.close_stdin()
        self.pump(until=lambda: self.out_ended and self.err_ended)
        return self.wait()

    def wait(self) -> int:
        return self.process.wait(PATIENCE_S)

    # --- messages ----------------------------------------------------------------------------------------------------

    def line(self) -> bytes:
        """The next line of standard output, with its end; empty at end of file."""
        self.pump(until=lambda: b"\n" in self.out[self._taken :] or self.out_ended)
        end = self.out.find(b"\n", self._taken)
        end = len(self.out) if end < 0 else end + 1
        taken = bytes(self.out[self._taken : end])
        self._taken = end
        return taken

    def tell(self, message: Any) -> None:
        self.send(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def hear(self) -> Any:
        """The next message; None at end of file."""
        line = self.line()
        return json.loads(line) if line else None

    def ask(self, message: Any) -> tuple[Any, list[Any]]:
        """The response to `message`, and what else came before it."""
        self.tell(message)
        others: list[Any] = []
        while (heard := self.hear()) is not None:
            if heard.get("id") == message["id"] and "method" not in heard:
                return heard, others
            others.append(heard)
        return None, others


def process_is_gone(pid: int, *, parent: int) -> bool:
    """True once the process has ended and `parent` has reaped it; fails to be true after PATIENCE_S.

    A zombie that `parent` left to init by dying is init's, and some inits take seconds: it counts as gone.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            state, ppid = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[:2]
        except ProcessLookupError:
            return True
        except FileNotFoundError:
            continue  # it ended in between, or there is no /proc here
        if state == "Z" and int(ppid) != parent:
            return True
        select.select([], [], [], 0.005)
    return False


def chunked(data: bytes, sizes: Iterable[int]) -> list[bytes]:
    """`data` cut into pieces of these sizes, the rest last."""
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    pieces.append(data[at:])
    return [piece for piece in pieces if piece]
