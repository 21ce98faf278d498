"""A server that some file names, where that is, and whether it may be started.

Files found in a repository are somebody else's wish (contracts.md): a command there is not run, and a URL there is not asked
(it could be sent a variable of this machine), until the user names the server or confirms it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from witnessmark.adapters.held_values import NO_VALUES, HeldValues
from witnessmark.errors import UsageError
from witnessmark.model.capture import Launch

Trust = Literal["user", "project"]
Kind = Literal["stdio", "http", "unknown"]


class Origin(NamedTuple):
    """Where a server was found: whose file, its path ("" for the command line), and who writes there: the user, or a project's authors."""

    client: str
    path: str
    trust: Trust


class ServerEntry(NamedTuple):
    """A server by its name: how it is reached, `watched` if witnessmark stands before it (then `launch` is what stands behind).

    `directory` is where its command runs; `project` the folder whose sessions have it, "" if all; `problem` says why it cannot
    be started from here, "" if it can.
    """

    name: str
    kind: Kind
    watched: bool
    launch: Launch = Launch()
    held: HeldValues = NO_VALUES
    origin: Origin = Origin("", "", "user")
    directory: str | None = None
    project: str = ""
    enabled: bool = True
    problem: str = ""

    @property
    def label(self) -> str:
        """The name that is unique beside equal names of other files: `CLIENT/NAME`."""
        return f"{slug(self.origin.client)}/{self.name}"

    @property
    def wish(self) -> str:
        """What would be run or asked, in words; no value of an environment or a header, and of a URL no query."""
        if self.launch.url:
            return f"ask {shown_url(self.launch.url)}"
        return f"run {' '.join(self.launch.command)}"


def slug(client: str) -> str:
    """A client's name as one word: `claude-code-project`."""
    return "-".join(client.lower().replace("(", " ").replace(")", " ").replace(".", " ").split())


def shown_url(url: str) -> str:
    """A URL without what may be secret in it: user, password, query, fragment."""
    scheme, mark, rest = url.partition("://")
    place = rest.partition("?")[0].partition("#")[0]
    host, slash, path = place.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else scheme.partition("?")[0]


def confirmed(entry: ServerEntry, *, named: bool, yes: bool = False, ask: Callable[[str], bool] | None = None) -> bool:
    """Whether the entry may be started: it was named on the command line, stands in a file of the user's own, or is confirmed now.

    `named`: given by name, or after `--`. `yes`: the user said `--yes`. `ask` shows a question and returns the answer; None
    where nobody can be asked, and then the answer is no.
    """
    if named or yes or entry.origin.trust == "user":
        return True
    return ask is not None and ask(f"{entry.origin.path} wants to {entry.wish} as server {entry.name!a}. Start it?")


def startable(entry: ServerEntry) -> ServerEntry:
    """The entry itself; UsageError where it cannot be started or reached, with what to do."""
    if entry.problem:
        raise UsageError(
            entry.problem, where=f"{entry.origin.path}: {entry.name}", hint="mend the entry, or write one into witnessmark.toml"
        )
    return entry


def same_server(one: ServerEntry, other: ServerEntry) -> bool:
    """Whether two entries of one name start or reach the same thing in the same way."""
    return one.launch == other.launch and one.directory == other.directory


def file_origin(client: str, path: Path, trust: Trust) -> Origin:
    """The origin of what a file says."""
    return Origin(client, str(path), trust)
