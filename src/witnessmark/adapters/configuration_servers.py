"""The servers of a configuration: `[servers.NAME]` with a command or a URL.

Values of environments and headers stand in variables, never in the file: it lies in a repository.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from witnessmark.adapters.held_values import REFERENCE, holds_secret
from witnessmark.adapters.http_origin import origin_of
from witnessmark.adapters.server_entry import ServerEntry, file_origin
from witnessmark.errors import UsageError
from witnessmark.model.capture import Launch
from witnessmark.model.declaring import NAME, NAME_HINT
from witnessmark.model.members import Problem

CLIENT: Final = "witnessmark"
"""Whose file it is, where a client is named."""
MEMBERS: Final = frozenset(("command", "url", "env", "headers", "gate"))
"""Members of one server."""

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110 section 5.6.2, token."""


class _Wrong(Exception):
    """A server is not what it must be."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def _wrong(message: str, keys: tuple[str, ...], hint: str) -> _Wrong:
    return _Wrong(Problem(keys, message, hint))


def read_servers(table: Any, path: str, problems: list[Problem]) -> list[ServerEntry]:
    """The servers of the file at `path`, in its order; of each one that is wrong the first problem."""
    if not isinstance(table, dict):
        problems.append(Problem(("servers",), "must be a table of servers", "write [servers.NAME]"))
        return []
    found: list[ServerEntry] = []
    for name, raw in table.items():
        unknown = [member for member in raw if member not in MEMBERS] if isinstance(raw, dict) else []
        hint = f"known: {', '.join(sorted(MEMBERS))}"
        problems += [Problem(("servers", name, member), "is no member of a server", hint) for member in unknown]
        try:
            found.append(_server(name, raw, path))
        except _Wrong as wrong:
            # One that has a misspelt member may lack the right one: the first says enough.
            if not unknown or wrong.problem.keys != ("servers", name):
                problems.append(wrong.problem)
    return found


def _server(name: str, raw: Any, file: str) -> ServerEntry:
    keys = ("servers", name)
    if not NAME.fullmatch(name):
        raise _wrong("is no name for a server", keys, NAME_HINT)
    if not isinstance(raw, dict):
        raise _wrong("must be a table", keys, f"write [servers.{name}]")
    if ("command" in raw) == ("url" in raw):
        raise _wrong("must have either command or url", keys, 'command = ["program", "argument"] or url = "https://host/mcp"')
    folder = str(Path(file).absolute().parent)
    origin = file_origin(CLIENT, Path(file).absolute(), "project")
    launch = _command(raw, keys) if "command" in raw else _url(raw, keys)
    return ServerEntry(name, "stdio" if launch.command else "http", watched=False, launch=launch, origin=origin, directory=folder)


def _command(raw: dict[str, Any], keys: tuple[str, ...]) -> Launch:
    command = raw["command"]
    if not isinstance(command, list) or not command or not all(isinstance(word, str) and word for word in command):
        raise _wrong("must be a list of words", (*keys, "command"), 'no shell reads it: command = ["program", "argument"]')
    if "headers" in raw:
        raise _wrong("belong to a url", (*keys, "headers"), "a command takes env")
    for word in command:
        _no_secret(word, (*keys, "command"))
    return Launch(command=tuple(command), environment=_references(raw, "env", keys))


def _url(raw: dict[str, Any], keys: tuple[str, ...]) -> Launch:
    url = raw["url"]
    if not isinstance(url, str):
        raise _wrong("must be a text", (*keys, "url"), 'url = "https://host/mcp"')
    try:
        origin_of(url)
    except UsageError as error:
        raise _wrong(error.message, (*keys, "url"), error.hint) from error
    if "env" in raw:
        raise _wrong("belongs to a command", (*keys, "env"), "a url takes headers")
    _no_secret(url, (*keys, "url"))
    return Launch(url=url, headers=_references(raw, "headers", keys))


def _references(raw: dict[str, Any], member: str, keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    table = raw.get(member, {})
    if not isinstance(table, dict):
        raise _wrong("must be a table", (*keys, member), f'{member} = {{ NAME = "env:VARIABLE" }}')
    shape = _VARIABLE if member == "env" else _HEADER
    for name, value in table.items():
        place = (*keys, member, name)
        if not shape.fullmatch(name):
            raise _wrong("is no name that this can have", place, "letters, digits and underscores; in headers also dashes")
        # The value is not repeated: it may be the secret itself.
        if not isinstance(value, str) or not REFERENCE.fullmatch(value):
            raise _wrong("must be a reference: its value stands in no file", place, f'put it into a variable: {name} = "env:VARIABLE"')
    return tuple(table.items())


def _no_secret(text: str, keys: tuple[str, ...]) -> None:
    if holds_secret(text):
        raise _wrong(
            "holds what looks like a secret", keys, "hand it over by env or headers as a reference, and replace it where it was issued"
        )
