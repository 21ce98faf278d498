"""Files of evidence, transcript or evidence log, read as events line by line.

Memory does not grow with the length of a file. What cannot be read at all is an InputError that names file and line; a broken
line of a transcript is evidence of its own (a gap), never an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from witnessmark.adapters.input_files import Kind, kind_of, lines_of, rewinds
from witnessmark.errors import OurError
from witnessmark.model.evidence import Event
from witnessmark.observe.transcript import read_transcript
from witnessmark.render.cloudevents import read_evidence_lines


class EvidenceFile:
    """The events of an opened file, in the order of its lines. It can be iterated again where the file can be rewound."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._line = 0
        self._begun: Iterator[Event] | None = None
        self.rewinds = rewinds(file)
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
