"""Which MCP clients have a configuration file on this machine, and which servers those files name. Read only.

Where each client keeps its file: the client's own documentation, checked 2026-11 (docs/limits.md says which were run).
Values of environments, headers, arguments and addresses are never taken over: a server is its name, how it is reached, and
whether it is started through witnessmark.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

MAX_FILE_BYTES: Final = 16 << 20
"""A configuration larger than this is not read: Claude Code's own grows to a few MB with its history."""


class ServerEntry(NamedTuple):
    """A server that a configuration names: `kind` is stdio, http or unknown; `watched` if witnessmark stands before it."""

    name: str
    kind: str
    watched: bool


class ClientFile(NamedTuple):
    """A client's configuration file: its servers, or `problem` where it could not be read."""

    client: str
    path: Path
    servers: tuple[ServerEntry, ...]
    problem: str = ""


class _Place(NamedTuple):
    client: str
    path: Path
    key: str


def _application_data(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    """Where desktop programs keep their settings: per platform convention."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def places(home: Path, work: Path, environment: Mapping[str, str], platform: str) -> list[_Place]:
    """Every file that is looked at, of a user whose home is `home` and who works in `work`."""
    data = _application_data(home, environment, platform)
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    claude = Path(environment["CLAUDE_CONFIG_DIR"]) if environment.get("CLAUDE_CONFIG_DIR") else home
    found = [
        _Place("Claude Desktop", data / "Claude" / "claude_desktop_config.json", "mcpServers"),
        _Place("Claude Code", claude / ".claude.json", "mcpServers"),
        _Place("Claude Code (project)", work / ".mcp.json", "mcpServers"),
        _Place("Cursor", home / ".cursor" / "mcp.json", "mcpServers"),
        _Place("Cursor (project)", work / ".cursor" / "mcp.json", "mcpServers"),
        _Place("VS Code", data / "Code" / "User" / "mcp.json", "servers"),
        _Place("VS Code (project)", work / ".vscode" / "mcp.json", "servers"),
        _Place("Windsurf", home / ".codeium" / "windsurf" / "mcp_config.json", "mcpServers"),
        _Place("Codex", codex / "config.toml", "mcp_servers"),
        _Place("Codex (project)", work / ".codex" / "config.toml", "mcp_servers"),
        _Place("Gemini CLI", home / ".gemini" / "settings.json", "mcpServers"),
        _Place("Qwen Code", home / ".qwen" / "settings.json", "mcpServers"),
        _Place("Copilot CLI", Path(environment.get("COPILOT_HOME") or home / ".copilot") / "mcp-config.json", "mcpServers"),
    ]
    if platform == "win32" and environment.get("LOCALAPPDATA"):
        # Since February 2026 the desktop program is installed as a package, with its own copy of the roaming folder.
        packages = Path(environment["LOCALAPPDATA"]) / "Packages"
        found += [
            _Place("Claude Desktop", package / "LocalCache" / "Roaming" / "Claude" / "claude_desktop_config.json", "mcpServers")
            for package in sorted(packages.glob("Claude_*"))
        ]
    return found


def client_files(
    home: Path | None = None, work: Path | None = None, environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> list[ClientFile]:
    """The configuration files that exist, in the order of the table. A file that cannot be read is in the list, with why."""
    try:
        user = home or Path.home()
        here = work or Path.cwd()
    except (RuntimeError, OSError):  # no home, or the working directory is gone
        return []
    files = []
    for place in places(user, here, os.environ if environment is None else environment, platform):
        try:
            if not place.path.is_file():
                continue
            files.append(ClientFile(place.client, place.path, tuple(_servers(_read(place.path), place.key))))
        except (OSError, ValueError, RecursionError) as error:
            files.append(ClientFile(place.client, place.path, (), _problem(error)))
    return files


def _problem(error: BaseException) -> str:
    """What is wrong, without a character of the file: it may hold credentials."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, json.JSONDecodeError):
        return "is not JSON"
    if isinstance(error, tomllib.TOMLDecodeError):
        return "is not TOML"
    return "is not UTF-8" if isinstance(error, UnicodeDecodeError) else "cannot be read as a configuration"


def _read(path: Path) -> Any:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise OSError(0, f"is larger than {MAX_FILE_BYTES >> 20} MiB")
    text = path.read_bytes().decode("utf-8-sig")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(without_comments(text) or "{}")


def _servers(document: Any, key: str) -> list[ServerEntry]:
    tables = [document.get(key)] if isinstance(document, dict) else []
    projects = document.get("projects") if isinstance(document, dict) else None
    if isinstance(projects, dict):  # Claude Code keeps servers of one folder beside those of the user
        tables += [project.get(key) for project in projects.values() if isinstance(project, dict)]
    entries = [
        _entry(name, entry) for table in tables if isinstance(table, dict) for name, entry in table.items() if isinstance(entry, dict)
    ]
    return list(dict.fromkeys(entries))


def _entry(name: str, entry: dict[str, Any]) -> ServerEntry:
    command = entry.get("command")
    if isinstance(command, str):
        arguments = entry.get("args")
        words = [command, *(arguments if isinstance(arguments, list) else [])]
        return ServerEntry(name, "stdio", _is_watched(words))
    if any(isinstance(entry.get(member), str) for member in ("url", "httpUrl", "serverUrl")):
        return ServerEntry(name, "http", watched=False)
    return ServerEntry(name, "unknown", watched=False)


def _is_watched(words: list[Any]) -> bool:
    """Whether the command is ours: `witnessmark proxy ...`, or `python -m witnessmark proxy ...`."""
    texts = [word for word in words if isinstance(word, str)]
    if "proxy" not in texts:
        return False
    return any(Path(word).stem == "witnessmark" for word in texts[: texts.index("proxy")])


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
