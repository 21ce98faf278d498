"""A file has one job, a bounded length and a name of the field."""

from __future__ import annotations

import ast
import re
from typing import Final

from project.repository import PACKAGE, source_files

MAX_SOURCE_LINES: Final = 350

# A table of data may be longer. Path below src/witnessmark -> (most source lines, why it is one table).
# Lower a number when its file shrinks.
LONG_TABLES: Final[dict[str, tuple[int, str]]] = {
    "model/evidence.py": (355, "the vocabulary of facts: one record per kind, no behaviour; readers and docs/evidence.md want it whole"),
}

# Names that say where code was put and not what it does.
EMPTY_NAMES: Final = frozenset({"base", "common", "core", "helper", "helpers", "manager", "misc", "shared", "types", "util", "utils"})


def source_lines(text: str) -> int:
    """Return how many lines hold code: blank lines, comment lines and docstrings explain and are free."""
    explained: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            explained.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum(1 for number, line in lines if number not in explained and line.strip() and not line.lstrip().startswith("#"))


def test_code_is_counted_and_explanation_is_not() -> None:
    text = '"""Two\nlines."""\n\n# why\nx = 1  # counted\ntext = """a\n\nb"""\n\n\ndef f() -> None:\n    """Says."""\n    return\n'
    assert source_lines(text) == 5


def test_no_source_file_is_longer_than_one_job_needs() -> None:
    too_long = {}
    for path in source_files():
        name = path.relative_to(PACKAGE).as_posix()
        limit = LONG_TABLES.get(name, (MAX_SOURCE_LINES, ""))[0]
        lines = source_lines(path.read_text(encoding="utf-8"))
        if lines > limit:
            too_long[name] = f"{lines} lines of source, at most {limit}: split it by job"
    assert not too_long


def test_an_exception_is_needed_and_says_why() -> None:
    lines = {name: source_lines((PACKAGE / name).read_text(encoding="utf-8")) for name in LONG_TABLES}
    assert not [name for name, (limit, why) in LONG_TABLES.items() if not why or not MAX_SOURCE_LINES < lines[name] <= limit]


def test_no_module_is_named_after_nothing() -> None:
    words = {path: set(re.split(r"[_.]", path.stem)) for path in source_files()}
    words |= {path.parent: set(path.parent.name.split("_")) for path in source_files()}
    assert not [path.relative_to(PACKAGE.parent).as_posix() for path, parts in words.items() if parts & EMPTY_NAMES]


def test_every_folder_of_the_package_is_a_package() -> None:
    folders = {path.parent for path in source_files()}
    assert not [folder.relative_to(PACKAGE.parent).as_posix() for folder in folders if not (folder / "__init__.py").is_file()]
