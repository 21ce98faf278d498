"""The text of a configuration file as a value: JSON (with comments where its client allows them), TOML, YAML.

What goes wrong is said without a character of the file: it may hold credentials.
"""

from __future__ import annotations

import json
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from witnessmark.adapters.client_files_places import STRICT, Shape

MAX_FILE_BYTES: Final = 16 << 20
"""A configuration larger than this is not read: Claude Code's own grows to a few MB with its history."""
MAX_YAML_BYTES: Final = 1 << 20
"""YAML is read a hundred times slower than JSON; real files have some kB."""

NO_YAML: Final = 'is YAML, which needs the extra: pip install "witnessmark[yaml]"'


class Unreadable(ValueError):
    """The file is not what its client writes; the text says what it is not."""


def read_document(path: Path, shape: Shape) -> Any:
    """The value in the file; OSError where it cannot be read, Unreadable where it is something else."""
    limit = MAX_YAML_BYTES if shape == "YAML" else MAX_FILE_BYTES
    with path.open("rb") as file:
        return document_of(file.read(limit + 1), shape)


def document_of(data: bytes, shape: Shape) -> Any:
    """The value of a file's bytes; Unreadable where they are something else."""
    limit = MAX_YAML_BYTES if shape == "YAML" else MAX_FILE_BYTES
    if len(data) > limit:
        raise Unreadable(f"is larger than {limit >> 20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None
    try:
        if shape == "TOML":
            return tomllib.loads(text)
        return _yaml(text) if shape == "YAML" else _json(text, shape)
    except tomllib.TOMLDecodeError:
        raise Unreadable("is not TOML") from None
    except RecursionError:
        raise Unreadable("is nested too deeply") from None


def _json(text: str, shape: Shape) -> Any:
    if not text.strip():
        return {}
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    try:
        found = json.loads(without_comments(text) or "{}")
    except json.JSONDecodeError:
        raise Unreadable("is not JSON") from None
    if shape == STRICT:
        raise Unreadable("is not JSON: it has comments or trailing commas, which its client does not read")
    return found


def _yaml(text: str) -> Any:
    """YAML by PyYAML's safe loader: values only, no objects (docs/adr/0009-pyyaml.md)."""
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise Unreadable(NO_YAML) from None
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError):  # ValueError: a date that is none
        raise Unreadable("is not YAML") from None


def without_comments(text: str) -> str:
    """JSON with `//` and `/* */` comments and trailing commas taken out, as editors allow them in their settings."""
    out: list[str] = []
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char == '"':
            close = _string_end(text, at)
            out.append(text[at:close])
            at = close
        elif text.startswith("//", at):
            line_end = text.find("\n", at)
            at = end if line_end < 0 else line_end
        elif text.startswith("/*", at):
            close = text.find("*/", at + 2)
            at = end if close < 0 else close + 2
        elif char in "}]":
            while out and out[-1].isspace():
                out.pop()
            if out and out[-1] == ",":
                out.pop()
            out.append(char)
            at += 1
        else:
            out.append(char)
            at += 1
    return "".join(out).strip()


def _string_end(text: str, start: int) -> int:
    """The index behind the string that begins at `start`; the end of the text where it is never closed."""
    at = start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == '"':
            return at + 1
        else:
            at += 1
    return len(text)
