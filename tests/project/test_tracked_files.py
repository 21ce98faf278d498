"""A clone works anywhere: nothing in it names a package registry, a path of the machine it was written on, or a file that is not there."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from project.repository import PACKAGE, ROOT, tracked_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Joined here, so that this file does not hold what it looks for.
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("golang", "org"), ("crates", "io"))
)
MACHINE = tuple(
    "/".join(parts) for parts in (("", "work", ""), ("", "opt", "wheels"), ("", "opt", "pypi"), ("", "root", "."), ("", "tmp", "vprobe"))
)

PROSE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/adr")
PATH_IN_PROSE = re.compile(r"`((?:[\w.-]+/)*[\w-]+(?:/|\.(?:py|md|toml|txt|sql)))`")


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    found = {}
    for path in tracked_files():
        data = path.read_bytes()
        if b"\0" not in data:
            found[path] = data.decode("utf-8", "replace")
    return found


def test_no_tracked_file_names_a_registry_or_a_path_of_a_machine(texts: dict[Path, str], not_run: Callable[[str], None]) -> None:
    if not texts:
        not_run("check of tracked files (not a git clone)")
    here = [str(ROOT)] if len(ROOT.parts) > 2 else []
    python = [sys.base_prefix] if len(sys.base_prefix.split("/")) > 4 else []
    forbidden = [*REGISTRIES, *MACHINE, *here, *python]
    found = [f"{path.relative_to(ROOT)}: {word}" for path, text in texts.items() for word in forbidden if word in text]
    assert not found


def test_no_tracked_file_is_a_store_a_key_or_an_environment() -> None:
    suffixes = {".sqlite", ".sqlite3", ".key", ".pyc", ".whl"}
    assert not [path.relative_to(ROOT) for path in tracked_files() if path.suffix in suffixes or path.name.startswith(".venv")]


def prose_files() -> list[Path]:
    """Return the documents whose paths must exist."""
    paths = [ROOT / name for name in PROSE]
    return [file for path in paths for file in (sorted(path.glob("*.md")) if path.is_dir() else [path]) if file.is_file()]


@pytest.mark.docs
@pytest.mark.parametrize("document", prose_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_path_that_a_document_names_exists(document: Path) -> None:
    made_by_make = {"dist/", "requirements/"}
    named = set(PATH_IN_PROSE.findall(document.read_text(encoding="utf-8"))) - made_by_make
    assert not [name for name in sorted(named) if not any((base / name).exists() for base in (ROOT, PACKAGE, document.parent))]
