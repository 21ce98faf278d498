"""Write `docs/rules/KIND.md`, a page for each rule, and take away those of kinds that are no more: `python -m ... docs/rules`."""

from __future__ import annotations

import sys
from pathlib import Path

from witnessmark.render.rules_page import pages


def write(folder: Path) -> None:
    """Write every page into the folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pages()
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
