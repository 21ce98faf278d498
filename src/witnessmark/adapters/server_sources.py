"""Every server that can be named here: from `witnessmark.toml`, from the clients' files, or given after `--`. Starts nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from witnessmark.adapters.client_files import ClientFile, client_files
from witnessmark.adapters.configuration import read_configuration
from witnessmark.adapters.http_origin import origin_of
from witnessmark.adapters.server_entry import Origin, ServerEntry, same_server
from witnessmark.errors import UsageError
from witnessmark.model.capture import Launch

COMMAND_LINE: Final = Origin("command line", "", "user")
NAMED_IN_HINTS: Final = 8
"""Names that a hint lists."""
_URL: Final = re.compile(r"https?://", re.IGNORECASE)


class Sources(NamedTuple):
    """What was found: servers in the order of precedence, and files that could not be read, with why."""

    servers: tuple[ServerEntry, ...]
    unreadable: tuple[ClientFile, ...]


def read_sources(
    configuration: str | None = None, *, home: Path | None = None, work: Path | None = None, environment: Mapping[str, str] | None = None
) -> Sources:
    """Every server of every file: those of the configuration first, then those of the clients' files.

    `configuration` is a file that the user named; without it that of the working directory. InputError where it is wrong;
    a client's file that is wrong is that client's matter, and is only reported.
    """
    own = read_configuration(configuration).servers
    files = client_files(home, work, environment)
    here = (work or Path.cwd()).absolute()
    found = (entry for file in files for entry in file.servers if _applies(entry, here))
    return Sources((*own, *found), tuple(file for file in files if file.problem))


def from_command_line(words: Iterable[str], name: str = "") -> ServerEntry:
    """The server given after `--`: a command with its arguments, or one URL. UsageError for nothing at all."""
    command = tuple(words)
    if not command:
        raise UsageError("nothing stands after --", hint="give a command with its arguments, or a URL")
    if len(command) == 1 and _URL.match(command[0]):
        host = origin_of(command[0]).host
        return ServerEntry(name or host, "http", watched=False, launch=Launch(url=command[0]), origin=COMMAND_LINE)
    from witnessmark.adapters.identity import server_name  # noqa: PLC0415

    return ServerEntry(name or server_name(command), "stdio", watched=False, launch=Launch(command=command), origin=COMMAND_LINE)


def find_server(servers: Iterable[ServerEntry], name: str) -> ServerEntry:
    """The server of that name, or `CLIENT/NAME`. UsageError where there is none, or several that are not the same.

    The configuration's own goes before those of clients. Among clients equal names with equal launches are one server; else
    none is chosen, so that a file in a repository cannot take the place of the user's own server.
    """
    known = tuple(servers)
    found = [entry for entry in known if entry.label == name] or [entry for entry in known if entry.name == name]
    own = [entry for entry in found if entry.origin.client == "witnessmark"]
    if own:
        return own[0]
    if not found:
        names = ", ".join(dict.fromkeys(entry.name for entry in known[:NAMED_IN_HINTS])) or "none"
        raise UsageError(f"no server {name!a}", hint=f"known here: {names}; `witnessmark servers` lists all")
    if all(same_server(found[0], other) for other in found[1:]):
        return next((entry for entry in found if entry.origin.trust == "user"), found[0])
    labels = ", ".join(f"{entry.label} ({entry.origin.path})" for entry in found)
    raise UsageError(f"several servers are named {name!a} and are not the same", hint=f"say which: {labels}")


def _applies(entry: ServerEntry, here: Path) -> bool:
    """Whether sessions in `here` have the server: Claude Code keeps some for one folder and what is in it."""
    return not entry.project or Path(entry.project) == here or Path(entry.project) in here.parents
