"""`witnessmark.toml`: the servers that a project names. Unknown members are errors, with the line where that can be told.

    [servers.files]
    command = ["python", "server.py"]          # or url = "https://host/mcp"
    env = { API_TOKEN = "env:API_TOKEN" }      # by reference only
    headers = { Authorization = "Bearer env:TOKEN" }

Values of environments and headers stand in variables, never in the file: it lies in a repository.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

from witnessmark.adapters.held_values import REFERENCE, holds_secret
from witnessmark.adapters.http_origin import origin_of
from witnessmark.adapters.input_files import read_small_file
from witnessmark.adapters.server_entry import ServerEntry, file_origin
from witnessmark.errors import InputError, UsageError
from witnessmark.model.capture import Launch

CONFIGURATION_FILE: Final = "witnessmark.toml"
"""Its name in the working directory, where no other file is named."""
CLIENT: Final = "witnessmark"
"""Whose file it is, where a client is named."""

TABLES: Final = frozenset(("servers", "tools", "tasks", "redact"))
"""Tables of the file; each is read by who needs it (formats.md). Here: servers."""
MEMBERS: Final = frozenset(("command", "url", "env", "headers"))
"""Members of one server."""

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110 section 5.6.2, token."""


class Configuration(NamedTuple):
    """What the file says: its servers in the order of the file, and every table as it stands, for the other readers."""

    path: str
    servers: tuple[ServerEntry, ...]
    tables: dict[str, Any]


class _Source(NamedTuple):
    """The file's name and text, to find the line of a member in."""

    path: str
    text: str

    def error(self, message: str, keys: tuple[str, ...], hint: str) -> InputError:
        """An error at the member that `keys` lead to: at its line, where one can be found."""
        line = _line_of(self.text, keys)
        where = f"{self.path}:{line}" if line else self.path
        return InputError(f"{'.'.join(keys)}: {message}" if keys else message, where=where, hint=hint)


def read_configuration(path: str | None = None) -> Configuration:
    """The configuration in `path`; without one that of the working directory, which may be missing and then names nothing.

    InputError (file, line, member, what to do) where it is not what it must be.
    """
    name = path or CONFIGURATION_FILE
    if path is None and not Path(name).exists():
        return Configuration(name, (), {})
    data = read_small_file(name, "a configuration: TOML with [servers.NAME]")
    try:
        text = data.decode("utf-8-sig")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", where=name, hint="write it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"is not TOML: {_place_of(error)}", where=name, hint="see docs/howto/servers.md for its shape") from error
    source = _Source(name, text)
    for table in document:
        if table not in TABLES:
            raise source.error("is no table of this file", (table,), f"known: {', '.join(sorted(TABLES))}")
    return Configuration(name, tuple(_servers(document.get("servers", {}), source)), document)


def _servers(table: Any, source: _Source) -> list[ServerEntry]:
    if not isinstance(table, dict):
        raise source.error("must be a table of servers", ("servers",), "write [servers.NAME]")
    return [_server(name, raw, source) for name, raw in table.items()]


def _server(name: str, raw: Any, source: _Source) -> ServerEntry:
    keys = ("servers", name)
    if not _NAME.fullmatch(name):
        raise source.error("is no name for a server", keys, "up to 64 letters, digits, dots, dashes and underscores")
    if not isinstance(raw, dict):
        raise source.error("must be a table", keys, f"write [servers.{name}]")
    for member in raw:
        if member not in MEMBERS:
            raise source.error("is no member of a server", (*keys, member), f"known: {', '.join(sorted(MEMBERS))}")
    if ("command" in raw) == ("url" in raw):
        raise source.error("must have either command or url", keys, 'command = ["program", "argument"] or url = "https://host/mcp"')
    folder = str(Path(source.path).absolute().parent)
    origin = file_origin(CLIENT, Path(source.path).absolute(), "project")
    launch = _command(raw, keys, source) if "command" in raw else _url(raw, keys, source)
    return ServerEntry(name, "stdio" if launch.command else "http", watched=False, launch=launch, origin=origin, directory=folder)


def _command(raw: dict[str, Any], keys: tuple[str, ...], source: _Source) -> Launch:
    command = raw["command"]
    if not isinstance(command, list) or not command or not all(isinstance(word, str) and word for word in command):
        raise source.error("must be a list of words", (*keys, "command"), 'no shell reads it: command = ["program", "argument"]')
    if "headers" in raw:
        raise source.error("belong to a url", (*keys, "headers"), "a command takes env")
    for word in command:
        _no_secret(word, (*keys, "command"), source)
    return Launch(command=tuple(command), environment=_references(raw, "env", keys, source))


def _url(raw: dict[str, Any], keys: tuple[str, ...], source: _Source) -> Launch:
    url = raw["url"]
    if not isinstance(url, str):
        raise source.error("must be a text", (*keys, "url"), 'url = "https://host/mcp"')
    try:
        origin_of(url)
    except UsageError as error:
        raise source.error(error.message, (*keys, "url"), error.hint) from error
    if "env" in raw:
        raise source.error("belongs to a command", (*keys, "env"), "a url takes headers")
    _no_secret(url, (*keys, "url"), source)
    return Launch(url=url, headers=_references(raw, "headers", keys, source))


def _references(raw: dict[str, Any], member: str, keys: tuple[str, ...], source: _Source) -> tuple[tuple[str, str], ...]:
    table = raw.get(member, {})
    if not isinstance(table, dict):
        raise source.error("must be a table", (*keys, member), f'{member} = {{ NAME = "env:VARIABLE" }}')
    shape = _VARIABLE if member == "env" else _HEADER
    for name, value in table.items():
        place = (*keys, member, name)
        if not shape.fullmatch(name):
            raise source.error("is no name that this can have", place, "letters, digits and underscores; in headers also dashes")
        # The value is not repeated: it may be the secret itself.
        if not isinstance(value, str) or not REFERENCE.fullmatch(value):
            raise source.error(
                "must be a reference: its value stands in no file", place, f'put it into a variable: {name} = "env:VARIABLE"'
            )
    return tuple(table.items())


def _no_secret(text: str, keys: tuple[str, ...], source: _Source) -> None:
    if holds_secret(text):
        raise source.error(
            "holds what looks like a secret", keys, "hand it over by env or headers as a reference, and replace it where it was issued"
        )


def _place_of(error: Exception) -> str:
    """`line 3, column 5` out of the decoder's message, without what it quotes of the file."""
    found = re.search(r"\(at ([^)]*)\)$", str(error))
    return found[1] if found is not None else "it is nested too deeply"


def _line_of(text: str, keys: tuple[str, ...]) -> int:
    """The number of the line on which the deepest of `keys` can be found, 0 where none can; keys may be quoted or dotted."""
    lines = text.splitlines()
    at, depth = 0, 0
    best = 0
    for number in range(len(keys), 0, -1):
        header = re.compile(r"\s*\[+\s*" + r"\s*\.\s*".join(_key(key) for key in keys[:number]) + r"\s*[\].]")
        at = next((index for index, line in enumerate(lines, start=1) if header.match(line)), 0)
        if at:
            depth, best = number, at
            break
    for key in keys[depth:]:
        member = re.compile(r"(?:^|[{,.\s])" + _key(key) + r"\s*[=.]")
        at = next((index for index, line in enumerate(lines[max(at - 1, 0) :], start=max(at, 1)) if member.search(line)), 0)
        if not at:
            break
        best = at
    return best


def _key(key: str) -> str:
    return rf"[\"']?{re.escape(key)}[\"']?"
