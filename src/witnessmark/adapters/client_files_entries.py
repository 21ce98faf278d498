"""The servers that a client's document names, in one shape: how each is started or reached, whatever its client calls that.

A command that goes through `witnessmark proxy` is unwrapped: the entry is what stands behind it. Values of environments and
headers become references; the literal ones are held and never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from witnessmark.adapters.client_files_places import Place
from witnessmark.adapters.held_values import FROM_FILE, HeldValues
from witnessmark.adapters.server_entry import Kind, Origin, ServerEntry, file_origin
from witnessmark.model.capture import Launch

# What each client calls the same thing (docs/howto/servers.md).
COMMANDS: Final = ("command", "cmd")
_ENVIRONMENTS: Final = ("env", "environment", "envs")
URLS: Final = ("url", "httpUrl", "serverUrl", "uri")
_HEADERS: Final = ("headers", "http_headers")
_NO_SERVERS: Final = frozenset(("builtin", "platform", "frontend", "inline_python"))
"""Kinds of Goose's extensions that are part of it, and no server."""

_WHOLE_VARIABLE: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_FLAGS_OF_PROXY: Final = frozenset(("--redact", "-v", "--verbose"))
"""Options of `witnessmark proxy` that take no value: where `--` is missing, the command begins behind the options."""


class NamedEntry(NamedTuple):
    """An entry of a server in a document: the way to it, its name, itself, and the folder whose sessions have it ("" if all)."""

    pointer: tuple[str | int, ...]
    name: str
    raw: dict[str, Any]
    project: str = ""


def entries(document: Any, place: Place, work: Path) -> Iterator[ServerEntry]:
    """Every server that the document names, in its order; what is no entry of a server is left out."""
    origin = file_origin(place.client, place.path, place.trust)
    for found in named_entries(document, place):
        if found.project:
            yield _entry(found.name, found.raw, origin, Path(found.project))._replace(project=found.project)
        else:
            yield _entry(found.name, found.raw, origin, work)


def named_entries(document: Any, place: Place) -> Iterator[NamedEntry]:
    """The entries of servers as they stand in the document, in its order."""
    for found in _named(*_at(document, place.key)):
        if not (isinstance(found.raw.get("type"), str) and found.raw["type"] in _NO_SERVERS):
            yield found
    projects = document.get("projects") if isinstance(document, dict) and place.client == "Claude Code" else None
    if isinstance(projects, dict):  # Claude Code keeps servers of one folder beside those of the user
        for folder, project in projects.items():
            for found in _named(*_at(project, place.key)):
                yield found._replace(pointer=("projects", folder, *found.pointer), project=folder)


def _at(document: Any, key: str) -> tuple[Any, tuple[str, ...]]:
    way = tuple(key.split("."))
    for member in way:
        document = document.get(member) if isinstance(document, dict) else None
    # OpenCode 2 keeps its servers one level deeper than OpenCode 1.
    if key == "mcp" and isinstance(document, dict) and isinstance(document.get("servers"), dict) and "type" not in document["servers"]:
        return document["servers"], (*way, "servers")
    return document, way


def _named(table: Any, way: tuple[str, ...]) -> Iterator[NamedEntry]:
    """Name and entry: of a map, or of a list whose entries have their name in them (Continue)."""
    if isinstance(table, dict):
        yield from (NamedEntry((*way, name), name, raw) for name, raw in table.items() if isinstance(name, str) and isinstance(raw, dict))
    elif isinstance(table, list):
        for number, raw in enumerate(table):
            if isinstance(raw, dict) and isinstance(raw.get("name"), str):
                yield NamedEntry((*way, number), raw["name"], raw)


def _entry(name: str, raw: dict[str, Any], origin: Origin, work: Path) -> ServerEntry:
    nested = raw.get("command")
    if isinstance(nested, dict):  # Zed until 2025: command.path, command.args, command.env
        raw = {**raw, **nested, "command": nested.get("path")}
    words = _words(raw)
    behind, watched = behind_proxy(words)
    url = next((raw[member] for member in URLS if isinstance(raw.get(member), str)), "") if not words else ""
    if len(behind) == 1 and watched and _URL.match(behind[0]):
        url, behind = behind[0], ()
    environment, held = _values(_table(raw, _ENVIRONMENTS))
    headers, held_headers = _values(_headers(raw))
    environment += tuple((one, f"env:{one}") for one in _texts(raw.get("env_vars")) if one not in dict(environment))
    references = tuple(
        (header, f"env:{variable}") for header, variable in _table(raw, ("env_http_headers",)).items() if isinstance(variable, str)
    )
    bearer = raw.get("bearer_token_env_var")
    if isinstance(bearer, str):
        references += (("Authorization", f"Bearer env:{bearer}"),)
    launch = Launch(command=behind, url=url, environment=environment if behind else (), headers=(*headers, *references) if url else ())
    directory = raw.get("cwd")
    return ServerEntry(
        name,
        _kind(launch, watched=watched, words=words),
        watched,
        launch,
        HeldValues({**held, **held_headers}, str(work)),
        origin,
        directory if isinstance(directory, str) and directory else str(work),
        enabled=raw.get("disabled") is not True and raw.get("enabled") is not False,
        problem="" if behind or url else _problem(watched=watched),
    )


def _problem(*, watched: bool) -> str:
    return "names no command: the proxy takes it from witnessmark.toml" if watched else "has neither a command nor a URL that is known here"


def _kind(launch: Launch, *, watched: bool, words: tuple[str, ...]) -> Kind:
    if launch.url:
        return "http"
    return "stdio" if launch.command or (watched and words) else "unknown"


def _words(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The command as words: a text with `args` beside it, or a list of all (OpenCode)."""
    command = next((raw[member] for member in COMMANDS if isinstance(raw.get(member), str | list)), None)
    if isinstance(command, list):
        return _texts(command)
    return (command, *_texts(raw.get("args"))) if command else ()


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(one) for one in value if isinstance(one, str | int | float)) if isinstance(value, list) else ()


def _table(raw: Mapping[str, Any], members: tuple[str, ...]) -> dict[Any, Any]:
    for member in members:
        table = raw.get(member)
        if isinstance(table, dict):
            return table
    return {}


def _headers(raw: Mapping[str, Any]) -> dict[str, Any]:
    found = _table(raw, _HEADERS)
    options = raw.get("requestOptions")  # Continue
    return found if found or not isinstance(options, dict) else _table(options, _HEADERS)


def _values(table: Mapping[Any, Any]) -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    """References in the order of the file, and the literal values behind those that are no variable's."""
    references: list[tuple[str, str]] = []
    held: dict[str, str] = {}
    for name, value in table.items():
        if not isinstance(name, str) or not isinstance(value, str | int | float):
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        variable = _WHOLE_VARIABLE.fullmatch(text)
        if variable is not None and variable[1] not in {"workspaceFolder", "workspaceRoot", "userHome"}:
            references.append((name, f"env:{variable[1]}"))
        else:
            references.append((name, FROM_FILE + name))
            held[FROM_FILE + name] = text
    return tuple(references), held


def behind_proxy(words: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The command behind `witnessmark proxy ... --` (or `python -m witnessmark proxy ...`), and whether there was one."""
    watched = False
    while "proxy" in words and any(Path(word.replace("\\", "/")).stem == "witnessmark" for word in words[: words.index("proxy")]):
        watched = True
        words = _behind_options(words[words.index("proxy") + 1 :])
    return words, watched


def _behind_options(words: tuple[str, ...]) -> tuple[str, ...]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return words[at + 1 :]
        at += 1 if words[at] in _FLAGS_OF_PROXY or "=" in words[at] else 2
    return words[at:]
