"""Opening the files that a command names, and telling by the first line what they are.

What cannot be read is an InputError that names file and line, says what was expected and what to do.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal

import msgspec

from witnessmark.errors import InputError

STANDARD_INPUT: Final = "-"
SMALL_FILE_BYTES: Final = 1 << 20
"""A policy or a receipt has some hundred bytes; one of more than a MiB is another file by mistake."""
HEADER_BYTES: Final = 64 << 10
"""What is looked at of a first line that should be a transcript's header; real ones have below 1 KiB."""

LINE_BYTES: Final = 512 << 20
"""A frame of 64 MiB whose every character is escaped takes 384 MiB as JSON text; a longer line is cut, and so is broken."""
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
SQLITE_MAGIC: Final = b"SQLite format 3\x00"

Kind = Literal["transcript", "evidence log"]
_EXPECTED: Final = (
    'line 1 must be a transcript\'s header, {"witnessmark": "transcript/1", ...}, or an event of an evidence log (CloudEvents, one a line)'
)


@contextmanager
def opened(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """The file and the name that messages give it; `-` is standard input, which is left open. InputError if it cannot be opened."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("is closed", where="standard input", hint="name a file, or give this command something to read")
        yield sys.stdin.buffer, "standard input"
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below; the block may not turn errors of its body into ours
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    with file:
        yield file, path


def unreadable(path: str, error: Exception) -> InputError:
    """The error to raise for a file that could not be opened or read, with what to do by its cause."""
    number = getattr(error, "errno", None)
    if number == errno.ENOENT:
        return InputError("there is no such file", where=path, hint="check the name and its folder; a stored run is named with --run RUN")
    if number == errno.EISDIR:
        return InputError("is a directory", where=path, hint="name the files in it")
    if number in {errno.EACCES, errno.EPERM}:
        return InputError("may not be read", where=path, hint="check owner and mode of the file and of its directory")
    return InputError(
        f"cannot be read: {getattr(error, 'strerror', None) or error}", where=path, hint="name a readable file, or - for standard input"
    )


def read_small_file(path: str, what: str) -> bytes:
    """The bytes of a small file. InputError if it cannot be read, or has more than a MiB."""
    with opened(path) as (file, name):
        try:
            data = file.read(SMALL_FILE_BYTES + 1)
        except OSError as error:
            raise unreadable(path, error) from error
    if len(data) > SMALL_FILE_BYTES:
        raise InputError(f"has more than {SMALL_FILE_BYTES >> 20} MiB", where=name, hint=f"expected {what}")
    return data


def rewinds(file: BinaryIO) -> bool:
    """Whether the file can be read again from its start."""
    try:
        return file.seekable()
    except (OSError, ValueError):
        return False


def kind_of(first: bytes, name: str) -> Kind:
    """What the file is by its first line. InputError, naming what was expected, for anything else."""
    place = f"{name}:1"
    if not first.strip():
        raise InputError("is empty" if not first else "begins with an empty line", where=place if first else name, hint=_EXPECTED)
    if first.startswith(SQLITE_MAGIC):
        raise InputError("is an evidence store, not a file of evidence", where=name, hint=f"judge a run of it: --store {name} --run RUN")
    if b"\x00" in first[:HEADER_BYTES]:
        raise InputError("is no text: it holds NUL bytes", where=place, hint=_EXPECTED)
    try:
        members = msgspec.json.decode(first.removeprefix(BYTE_ORDER_MARK))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("is not JSON", where=place, hint=_EXPECTED) from error
    if isinstance(members, dict):
        if "specversion" in members:
            return "evidence log"
        if "witnessmark" in members:
            return "transcript"
    raise InputError("is JSON, but no header of a transcript and no event of an evidence log", where=place, hint=_EXPECTED)


def lines_of(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The lines of an opened file, cut at 512 MiB; an InputError where the world ends them early."""
    try:
        # Not `yield from file`: closing the generator would close the file, which belongs to the caller.
        while line := file.readline(LINE_BYTES):
            if len(line) == LINE_BYTES and not line.endswith(b"\n"):
                _skip_line(file)
                line += b"\n"
            yield line
    except OSError as error:
        raise unreadable(name, error) from error


def _skip_line(file: BinaryIO) -> None:
    """Read the rest of a line and forget it."""
    while rest := file.readline(1 << 20):
        if rest.endswith(b"\n"):
            return
