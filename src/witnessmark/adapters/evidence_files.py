"""Files of evidence: a transcript or an evidence log, told apart by their first line and read as events, line by line.

Memory does not grow with the length of a file. What cannot be read at all is an InputError that names file and line, says
what was expected and what to do; a broken line inside a file is evidence of its own (a gap), never an error.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, Literal

import msgspec

from witnessmark.errors import InputError, OurError
from witnessmark.model.evidence import Event
from witnessmark.observe.transcript import read_transcript
from witnessmark.render.cloudevents import read_evidence_lines, read_logged_lines
from witnessmark.state.order import Logged

STANDARD_INPUT: Final = "-"
SMALL_FILE_BYTES: Final = 1 << 20
"""A policy or a receipt has some hundred bytes; one of more than a MiB is another file by mistake."""
HEADER_BYTES: Final = 64 << 10
"""What is looked at of a first line that should be a transcript's header; real ones have below 1 KiB."""

Kind = Literal["transcript", "evidence log"]
_EXPECTED: Final = (
    'line 1 must be a transcript\'s header, {"witnessmark": "transcript/1", ...}, or an event of an evidence log (CloudEvents, one a line)'
)


@contextmanager
def opened(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """The file and the name that messages give it; `-` is standard input, which is left open. InputError if it cannot be opened."""
    if path == STANDARD_INPUT:
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
        return InputError("there is no such file", where=path, hint="check the name; a stored run is judged with --run RUN")
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


class EvidenceFile:
    """The events of an opened file, in the order of its lines. It can be iterated again where the file can be rewound."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._line = 0
        self._begun: Iterator[Event] | None = None
        self.rewinds = _rewinds(file)
        self.kind: Kind | None = None

    def place(self) -> str:
        """`file:line` of the line that was read last: the line of the event that was given out last."""
        return f"{self._name}:{self._line}"

    def first(self) -> Event | None:
        """The first event, None in a file without events; iterating begins with it all the same."""
        events = iter(self)
        found = next(events, None)
        if not self.rewinds and found is not None:
            self._begun = chain((found,), events)
        return found

    def __iter__(self) -> Iterator[Event]:
        """Read from the start. InputError for what is neither a transcript nor an evidence log."""
        if self._begun is not None:
            events, self._begun = self._begun, None
            return events
        return self._read()

    def _read(self) -> Iterator[Event]:
        if self._line and not self.rewinds:
            raise OurError("a stream that cannot be rewound was to be read twice", where=self._name)
        if self.rewinds:
            self._file.seek(0)
        self._line = 0
        lines = self._numbered()
        first = next(lines, b"")
        self.kind = kind_of(first, self._name)
        together = chain((first,), lines)
        if self.kind == "transcript":
            yield from read_transcript(together, self._name)
        else:
            yield from read_evidence_lines(together, self._name)

    def _numbered(self) -> Iterator[bytes]:
        for line in lines_of(self._file, self._name):
            self._line += 1
            yield line


def _rewinds(file: BinaryIO) -> bool:
    try:
        return file.seekable()
    except (OSError, ValueError):
        return False


def kind_of(first: bytes, name: str) -> Kind:
    """What the file is by its first line. InputError, naming what was expected, for anything else."""
    place = f"{name}:1"
    if not first.strip():
        raise InputError("is empty" if not first else "begins with an empty line", where=place if first else name, hint=_EXPECTED)
    if b"\x00" in first[:HEADER_BYTES]:
        raise InputError("is no text: it holds NUL bytes", where=place, hint=_EXPECTED)
    try:
        members = msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("is not JSON", where=place, hint=_EXPECTED) from error
    if isinstance(members, dict):
        if "specversion" in members:
            return "evidence log"
        if "witnessmark" in members:
            return "transcript"
    raise InputError("is JSON, but no header of a transcript and no event of an evidence log", where=place, hint=_EXPECTED)


class LoggedFile:
    """The events of an evidence log with their bytes, in the order of its lines; can be iterated again where the file can."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name

    def __iter__(self) -> Iterator[Logged]:
        """Read from the start. InputError for a file that is no evidence log."""
        if _rewinds(self._file):
            self._file.seek(0)
        lines = lines_of(self._file, self._name)
        first = next(lines, b"")
        if kind_of(first, self._name) != "evidence log":
            raise InputError("is a transcript, which has no chain", where=f"{self._name}:1", hint="verify what `witnessmark export` wrote")
        return read_logged_lines(chain((first,), lines), self._name)


def lines_of(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The lines of an opened file; an InputError where the world ends them early."""
    try:
        yield from file
    except OSError as error:
        raise unreadable(name, error) from error
