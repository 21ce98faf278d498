"""What a proxy takes from the configuration: how its server is started, and what is declared of its tools.

A file that the user named (`--config`) must be right, and is the user's word. One that was only found starts nothing unless its
server is named, loosens nothing, and does not keep a server from starting where it is wrong: that is said, and it is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from witnessmark.adapters.configuration import CONFIGURATION_FILE, Configuration, read_configuration
from witnessmark.adapters.in_force import in_force, run_declaration
from witnessmark.adapters.server_entry import ServerEntry, startable
from witnessmark.errors import UsageError, WitnessmarkError
from witnessmark.model.declaration import RunDeclaration
from witnessmark.model.policy import Policy


class Start(NamedTuple):
    """How the server is started: its words, its environment (None: as ours), its folder (None: as ours)."""

    command: tuple[str, ...]
    environment: Mapping[str, str] | None = None
    directory: str | None = None


class Plan(NamedTuple):
    """What is declared for the session, None where nothing is, the policy, and what standard error should say."""

    declaration: RunDeclaration | None = None
    policy: Policy = Policy()
    remarks: tuple[str, ...] = ()


def configured(path: str | None, server: str | None) -> tuple[Configuration, Start]:
    """The configuration, and the start of the server of that name in it. UsageError, InputError where there is none."""
    where = path or CONFIGURATION_FILE
    if server is None:
        raise UsageError("neither a command nor a server was named", hint="give a command after --, or --server NAME of the configuration")
    if path is None and not os.path.exists(CONFIGURATION_FILE):
        raise UsageError(
            f"no command was given, and there is no {CONFIGURATION_FILE} here", hint="give a command after --, or --config FILE"
        )
    configuration = read_configuration(path)
    entry = next((one for one in configuration.servers if one.name == server), None)
    if entry is None:
        names = ", ".join(one.name for one in configuration.servers) or "none"
        raise UsageError(f"no server {server!a}", where=where, hint=f"its servers: {names}")
    return configuration, _start(entry)


def _start(entry: ServerEntry) -> Start:
    launch = startable(entry).launch
    if not launch.command:
        raise UsageError(
            f"server {entry.name!a} is reached by a URL", where=entry.origin.path, hint="this proxy starts a command; it speaks stdio only"
        )
    environment = {**os.environ, **entry.held.resolve(launch.environment, entry.name)} if launch.environment else None
    return Start(launch.command, environment, entry.directory)


def found() -> tuple[Configuration | None, str]:
    """The configuration of the working directory, None where there is none; and what is wrong with it, "" if nothing."""
    if not os.path.exists(CONFIGURATION_FILE):
        return None, ""
    try:
        return read_configuration(), ""
    except WitnessmarkError as error:
        return None, f"{CONFIGURATION_FILE} was found here and is not used: {error}"


def planned(configuration: Configuration | None, server: str, task: str | None) -> Plan:
    """What counts of the configuration for a session with that server.

    UsageError for a task that the configuration does not declare, or that the user gave no word for.
    """
    if task is not None and (configuration is None or not configuration.named):
        raise UsageError("a task is taken from a configuration that you name", where="--task", hint="name it: --config FILE")
    if configuration is None:
        return Plan()
    if task is not None and task not in configuration.declarations.tasks:
        known = ", ".join(configuration.declarations.tasks) or "none"
        raise UsageError(f"no task {task!a}", where=configuration.path, hint=f"its tasks: {known}")
    declaration = run_declaration(configuration, server, task)
    _, ignored = in_force(configuration)
    remarks = tuple(
        f"{configuration.path} was only found here and loosens nothing: left out of {tool}: {', '.join(members)} (name it with --config)"
        for tool, members in ignored.items()
        if tool.startswith(f"{server}/")
    )
    return Plan(declaration if declaration.tools or declaration.task is not None else None, declaration.policy, remarks)
