"""`read(path)`: the events of a transcript or an evidence log, for use as a library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from witnessmark.adapters.evidence_files import EvidenceFile
from witnessmark.adapters.input_files import opened
from witnessmark.model.evidence import Event


class EvidenceAt:
    """The evidence in a file. It can be iterated again, and the file is open only while it is."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)

    def __iter__(self) -> Iterator[Event]:
        """The events one by one. InputError (file, line, what was expected) where the file is neither kind of evidence."""
        with opened(self.path) as (file, name):
            yield from EvidenceFile(file, name)


def read(path: str | Path) -> EvidenceAt:
    """The events of the file, one by one: a transcript or an evidence log, told apart by its first line.

    Raises InputError (file, line, what was expected) when it is iterated, for what is neither.
    """
    return EvidenceAt(path)
