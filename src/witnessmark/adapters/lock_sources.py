"""Which servers a contract command is about, and under which rules their texts are kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from witnessmark.adapters.configuration import CLIENT, CONFIGURATION_FILE, read_configuration
from witnessmark.adapters.server_entry import Origin, ServerEntry, confirmed
from witnessmark.adapters.server_sources import find_server, from_command_line, read_sources
from witnessmark.contract.lockfile import Lock, LockedServer, new_lock
from witnessmark.contract.redaction import RuleSet, rule_set
from witnessmark.errors import InputError, UsageError

SALT_BYTES: Final = 16
"""128 bits: no two lockfiles share a salt."""
_REDACTED: Final = "<redacted:"


class Wish:
    """What the user named: servers by name, or one after `--` with `name`; `yes` confirms what nobody can be asked about."""

    def __init__(
        self, names: Sequence[str], command: Sequence[str] | None, *, name: str, configuration: str | None, yes: bool, lockfile: str
    ) -> None:
        if command is not None and names:
            raise UsageError("name servers, or give a command after --, not both")
        if name and command is None and names:
            raise UsageError("--server names one server: leave the other names out")
        self.names = tuple(names) if command is not None or not name else (name,)
        self.command = command
        self.name = name
        self.configuration = configuration
        self.yes = yes
        self.lockfile = lockfile

    def chosen(self, lock: Lock | None, *, all_locked: bool) -> list[ServerEntry]:
        """The servers, in order: those named; else the configuration's (and, with `all_locked`, every locked one). Starts nothing."""
        if self.command is not None:
            return [from_command_line(self.command, self.name)]
        known = read_sources(self.configuration).servers
        locked = lock.servers if lock is not None else {}
        names = self.names
        if not names:
            own = [entry.name for entry in known if entry.origin.client == CLIENT]
            wished = own or [entry.name for entry in known if entry.origin.trust == "project"]
            names = tuple(dict.fromkeys((*locked, *wished) if all_locked else wished))
        return [self._entry(name, known, locked) for name in names]

    def _entry(self, name: str, known: Iterable[ServerEntry], locked: dict[str, dict[str, LockedServer]]) -> ServerEntry:
        """The server of that name as a file has it now, else as it was locked."""
        try:
            return find_server(known, name)._replace(name=name)
        except UsageError:
            if name not in locked or any(entry.name == name for entry in known):
                raise
            return locked_entry(name, next(iter(locked[name].values())), self.lockfile)

    def confirm(self, entries: Iterable[ServerEntry], ask: Callable[[str], bool] | None, *, named: bool | None = None) -> None:
        """UsageError unless every one of them may be started: it was named, is the user's own, or is confirmed now.

        `named`: whether the user named them, where that is not what `names` tells.
        """
        if named is None:
            named = bool(self.names) or self.command is not None
        for entry in entries:
            if not confirmed(entry, named=named, yes=self.yes, ask=ask):
                raise UsageError(
                    f"server {entry.name!a} is not started: {entry.origin.path} wants to {entry.wish}, and nobody confirmed it",
                    hint="name the server on the command line, or say --yes",
                )


def locked_entry(name: str, locked: LockedServer, lockfile: str) -> ServerEntry:
    """A server as its lock entry says; with a problem where the entry is not enough to start or reach it."""
    launch = locked.launch
    problem = ""
    if any(_REDACTED in text for text in (*launch.command, launch.url)):
        problem = "its command is in no configuration here, and the lockfile holds it redacted"
    elif launch.headers:
        problem = "it wants headers, and no configuration here says where their values are"
    # Variables of these names come from this process, as all others do.
    plain = type(launch)(command=launch.command, url=launch.url)
    origin = Origin("lockfile", lockfile, "project")
    return ServerEntry(name, "http" if launch.url else "stdio", watched=False, launch=plain, origin=origin, problem=problem)


def redaction_rules(configuration: str | None) -> RuleSet:
    """The built-in detectors and the configuration's own (`redact`, a list of patterns). InputError where it is not what it must be."""
    patterns: Any = read_configuration(configuration).tables.get("redact", [])
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) and pattern for pattern in patterns):
        where = configuration or CONFIGURATION_FILE
        raise InputError("redact: must be a list of regular expressions", where=where, hint='redact = ["acct-[0-9]+"]')
    return rule_set(patterns)


def fresh_lock() -> Lock:
    """A lock without servers, under a new salt."""
    return new_lock(os.urandom(SALT_BYTES).hex())
