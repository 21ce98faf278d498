"""What import contracts cannot see: a pure module that reaches for the world through a door inside a module it may import."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

import pytest

from project.repository import PACKAGE, pure_files, source_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CALLS: Final = frozenset({"breakpoint", "compile", "eval", "exec", "input", "open", "print", "__import__"})
ATTRIBUTES: Final = frozenset(
    {
        ("date", "today"),
        ("datetime", "now"),
        ("datetime", "today"),
        ("datetime", "utcnow"),
        ("importlib", "import_module"),
        ("sys", "argv"),
        ("sys", "exit"),
        ("sys", "stderr"),
        ("sys", "stdin"),
        ("sys", "stdout"),
    }
)
MODULES: Final = frozenset({"importlib.metadata", "importlib.resources", "urllib.request", "urllib.error", "urllib.robotparser"})

VALIDATOR_MAKERS: Final = ("is_valid", "validate", "evaluate", "iter_errors", "validator_for", "bundle", "dereference")


def importable(tree: ast.Module) -> ast.Module:
    """Return the module without its `if __name__ == "__main__"` block: that runs when a page is generated, never on import."""
    body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'")]
    return ast.Module(body=body, type_ignores=[])


def reaches(tree: ast.Module) -> Iterator[str]:
    """Yield each way in which a module reaches for the world, with its line."""
    for node in ast.walk(importable(tree)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield f"line {node.lineno}: {node.func.id}()"
        elif isinstance(node, ast.Attribute) and tuple(ast.unparse(node).split(".")[-2:]) in ATTRIBUTES:
            yield f"line {node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.Import):
            yield from (f"line {node.lineno}: import {name.name}" for name in node.names if name.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
            yield from (f"line {node.lineno}: import {name}" for name in sorted(names & MODULES))


@pytest.mark.parametrize(
    "code",
    [
        "text = open('x').read()",
        "print(1)",
        "from datetime import datetime\nnow = datetime.now()",
        "import datetime\nnow = datetime.datetime.now()",
        "import sys\nsys.stderr.write('x')",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import importlib.resources",
        "from importlib import resources",
    ],
)
def test_each_door_is_seen(code: str) -> None:
    assert list(reaches(ast.parse(code)))


def test_urls_may_be_taken_apart() -> None:
    assert not list(reaches(ast.parse("from urllib.parse import urlsplit\nfrom datetime import datetime\nd = datetime(2026, 1, 1)")))


def test_the_pure_core_reaches_for_nothing() -> None:
    files = pure_files()
    assert files
    found = {path.relative_to(PACKAGE).as_posix(): list(reaches(ast.parse(path.read_text(encoding="utf-8")))) for path in files}
    assert not {name: doors for name, doors in found.items() if doors}


def fetching_calls(tree: ast.AST) -> Iterator[str]:
    """Yield each call into jsonschema_rs that would follow a stranger's `$ref` to the network or the disk."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or any(ast.unparse(keyword) == "offline=True" for keyword in node.keywords):
            continue
        func = node.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "jsonschema_rs":
            made = func.attr in VALIDATOR_MAKERS or func.attr.endswith("Validator")
            if made:
                yield f"line {node.lineno}: jsonschema_rs.{func.attr} without offline=True"


def test_no_schema_of_a_stranger_is_followed() -> None:
    """docs/adr/0004: jsonschema-rs fetches http: and file: references unless it is told offline=True."""
    assert list(fetching_calls(ast.parse("jsonschema_rs.validator_for(schema)")))
    assert not list(fetching_calls(ast.parse("jsonschema_rs.validator_for(schema, offline=True)")))
    found = {
        path.relative_to(PACKAGE).as_posix(): list(fetching_calls(ast.parse(path.read_text(encoding="utf-8")))) for path in source_files()
    }
    assert not {name: calls for name, calls in found.items() if calls}


@pytest.mark.parametrize("scheme", ["http://127.0.0.1:9/x", "file://"])
def test_offline_refuses_what_would_be_followed(scheme: str, tmp_path: Path) -> None:
    """The trap itself: a schema file on this host is read through `$ref`, unless offline=True."""
    import jsonschema_rs

    stranger = tmp_path / "x.json"
    stranger.write_text('{"type": "integer"}', encoding="utf-8")
    schema = {"$ref": scheme + (str(stranger) if scheme == "file://" else "")}
    if scheme == "file://":
        assert jsonschema_rs.validator_for(schema).is_valid(1), "the trap is gone: docs/adr/0004 may say so"
    with pytest.raises(ValueError, match="retriev"):
        jsonschema_rs.validator_for(schema, offline=True)


def test_jsonschema_rs_is_called_by_its_own_name() -> None:
    """The check above looks for `jsonschema_rs.x(...)`: an alias or a name imported from it would pass unseen."""
    hidden = []
    for path in source_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            aliased = isinstance(node, ast.Import) and any(name.name == "jsonschema_rs" and name.asname for name in node.names)
            if aliased or (isinstance(node, ast.ImportFrom) and node.module == "jsonschema_rs"):
                hidden.append(path.relative_to(PACKAGE).as_posix())
    assert not hidden
