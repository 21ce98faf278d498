"""`read(path)`: the events of a transcript or an evidence log, for use as a library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from witnessmark.adapters.evidence_files import EvidenceFile
from witnessmark.adapters.input_files import opened
from witnessmark.model.evidence import Event


def read(path: str | Path) -> Iterator[Event]:
    """The events of the file, one by one: a transcript or an evidence log, told apart by its first line.

    Raises InputError (file, line, what was expected) for what is neither.
    """
    with opened(str(path)) as (file, name):
        yield from EvidenceFile(file, name)
