"""Writes the raw transcript of one channel (formats.md, "Transcript"): for bug reports, and it holds what passed.

A line is written before its bytes are forwarded. A failure ends the transcript and nothing else: it is no evidence.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from typing import IO, Final

from witnessmark.errors import WorldError
from witnessmark.model.evidence import Side
from witnessmark.wire.strictjson import MAX_FRAME_BYTES, JsonFinding, decode

IN_MEMORY_BYTES: Final = 256 * 1024
"""A line longer than this waits for its end in an unnamed temporary file: frames of 64 MiB pass in bounded memory."""

_COPY_BYTES: Final = 64 * 1024
_MODE: Final = 0o600

Redact = Callable[[Side, bytes], bytes]
"""Line to line: what replaces the values of a frame."""


class TranscriptError(WorldError):
    """The transcript cannot be written."""


def open_transcript(path: str) -> int:
    """A descriptor to write a new transcript at `path`, readable by its owner only. Raises TranscriptError.

    A file that is there is replaced by a new one (two recorders never write into each other); a device or a pipe is written to.
    """
    try:
        try:
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)
        except FileNotFoundError:
            pass
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _MODE)
    except OSError as error:
        hint = "name a file in a directory where you may write"
        raise TranscriptError(f"the transcript cannot be made ({error.strerror})", where=path, hint=hint) from error


class TranscriptFile:
    """One transcript: `receive` both directions' bytes, `eof` of each, `closed` at the end.

    With `redact` the values are replaced line by line; a frame above `MAX_FRAME_BYTES` is then left out and said to be lost.
    Any method raises TranscriptError once; afterwards nothing more is written.
    """

    def __init__(self, fd: int, path: str, *, server: str, started_us: int, redact: Redact | None = None) -> None:
        self._fd: int | None = fd
        self._path = path
        self._redact = redact
        self._started_us = started_us
        self._lines: Final[dict[Side, _ArrivingLine]] = {"client": _ArrivingLine(), "server": _ArrivingLine()}
        header = {"witnessmark": "transcript/1", "transport": "stdio", "server": server, "client": ""}
        self._write(json.dumps(header).encode() + b"\n")

    def receive(self, side: Side, data: bytes, now_us: int) -> None:
        """Write the lines that `data` completes."""
        if self._fd is None:
            return
        *complete, rest = data.split(b"\n")
        line = self._lines[side]
        for part in complete:
            line.add(part)
            self._frame(side, line, now_us)
        line.add(rest)

    def eof(self, side: Side, now_us: int) -> None:
        """Write a last line without its end, if there is one."""
        if self._fd is not None and self._lines[side].size:
            self._frame(side, self._lines[side], now_us)

    def closed(self, by: str, code: int | None, now_us: int) -> None:
        """Write the end of the channel and let go of the file."""
        if self._fd is None:
            return
        end = json.dumps({"by": by, "exit": code})
        self._write(b'{"at":%s,"from":"tap","closed":%s}\n' % (self._at(now_us), end.encode()))
        fd, self._fd = self._fd, None
        os.close(fd)

    def _at(self, now_us: int) -> bytes:
        return b"%.6f" % (max(0, now_us - self._started_us) / 1_000_000)

    def _frame(self, side: Side, line: _ArrivingLine, now_us: int) -> None:
        start = b'{"at":%s,"from":"%s",' % (self._at(now_us), side.encode())
        if line.size > MAX_FRAME_BYTES and self._redact is not None:
            # The word is the mark by which a reader tells a lost message from junk (JSON-RPC 2.0 section 4).
            self._write(start + b'"raw":"\\"jsonrpc\\": a frame of %d bytes, too large to be redacted, was left out"}\n' % line.size)
        elif line.size > IN_MEMORY_BYTES and self._redact is None:
            self._big_frame(start, line)
        else:
            data = line.take()
            self._write(start + self._member(data if self._redact is None else self._redact(side, data)) + b"}\n")
        line.clear()

    @staticmethod
    def _member(data: bytes) -> bytes:
        decoded = decode(data)
        # A byte order mark can stand at the start of a text only, not inside the transcript's own line.
        if decoded.has_value and all(finding.kind is not JsonFinding.BOM_BEFORE for finding in decoded.findings):
            return b'"message":' + data.strip(b" \t\r")
        return b'"raw":' + json.dumps(data.decode("utf-8", "surrogateescape")).encode()

    def _big_frame(self, start: bytes, line: _ArrivingLine) -> None:
        """A frame that is too long to be decoded here: its text as it is, which is a broken line if it was no JSON."""
        self._write(start + b'"message":')
        for piece in line.pieces():
            self._write(piece)
        self._write(b"}\n")

    def _write(self, data: bytes) -> None:
        if self._fd is None:
            return
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            os.close(self._fd)
            self._fd = None
            raise TranscriptError(
                f"the transcript ends here, it cannot be written ({error.strerror})",
                where=self._path,
                hint="the session goes on without it",
            ) from error


class _ArrivingLine:
    """One line on its way, in memory up to a limit and in an unnamed file beyond it."""

    def __init__(self) -> None:
        self.size = 0
        self._parts = bytearray()
        self._file: IO[bytes] | None = None

    def add(self, part: bytes) -> None:
        self.size += len(part)
        if self._file is not None:
            self._file.write(part)
            return
        self._parts += part
        if len(self._parts) > IN_MEMORY_BYTES:
            self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - closed by clear()
            self._file.write(self._parts)
            self._parts.clear()

    def take(self) -> bytes:
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        if self._file is None:
            yield bytes(self._parts)
            return
        self._file.seek(0)
        while piece := self._file.read(_COPY_BYTES):
            yield piece

    def clear(self) -> None:
        self.size = 0
        self._parts.clear()
        if self._file is not None:
            self._file.close()
            self._file = None
