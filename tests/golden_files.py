"""Comparing an output with a file that a person reviewed. `WITNESSMARK_UPDATE_GOLDEN=1` rewrites the files; git shows the difference."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "WITNESSMARK_UPDATE_GOLDEN"
UPDATE = bool(os.environ.get(VARIABLE))
"""Read when the module is imported: while tests run, none of our variables is set."""


def assert_golden(path: Path, text: str) -> None:
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{path.name} is missing: run the test once with {VARIABLE}=1 and review the file"
    assert text == path.read_text(encoding="utf-8"), f"differs from {path.name}; if it is meant, run with {VARIABLE}=1 and review"
