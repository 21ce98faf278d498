"""`witnessmark servers`: which servers are named here, by whom, and whether they are locked. Starts and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from witnessmark.cli.contract_options import LOCKFILE
from witnessmark.cli.options import format_option

if TYPE_CHECKING:
    from witnessmark.adapters.server_entry import ServerEntry
    from witnessmark.adapters.server_sources import Sources

LockState = Callable[[str], str]
"""Whether the server of that name is locked: `locked: PROFILES`, `not locked`, or why that cannot be told."""

NOT_LOCKED: Final = "not locked"


@click.command()
@click.option("--config", "configuration", metavar="FILE", help="The configuration (default: witnessmark.toml here, if it is there).")
@format_option
def servers(*, configuration: str | None, form: str) -> None:
    """List the servers that witnessmark.toml and the configuration files of clients name.

    Nothing is started, asked or changed, and no value of an environment or a header is shown. A server of a project's file is
    somebody else's wish: it is started only when you name it or confirm it.
    """
    from witnessmark.adapters.server_sources import read_sources
    from witnessmark.render.jsonout import dumps

    found = read_sources(configuration)
    locked = lock_state()
    click.echo(dumps(document(found, locked)) if form == "json" else text(found, locked))


def lock_state(path: str = LOCKFILE) -> LockState:
    """What the lockfile says of a name; without a lockfile nothing is locked."""
    from witnessmark.adapters.lock_file import read_lock
    from witnessmark.errors import InputError

    try:
        lock = read_lock(path).lock
    except InputError:
        return lambda name: "lockfile cannot be read"
    if lock is None:
        return lambda name: NOT_LOCKED
    return lambda name: f"locked: {', '.join(sorted(lock.servers[name]))}" if name in lock.servers else NOT_LOCKED


def document(found: Sources, locked: LockState) -> dict[str, Any]:
    """The list as JSON, in the order of precedence."""
    return {
        "witnessmark": "servers/1",
        "servers": [_member(entry, locked) for entry in found.servers],
        "unreadable": [{"client": file.client, "path": str(file.path), "problem": file.problem} for file in found.unreadable],
    }


def _member(entry: ServerEntry, locked: LockState) -> dict[str, Any]:
    from witnessmark.adapters.server_entry import shown_url

    launch = entry.launch
    return {
        "name": entry.name,
        "label": entry.label,
        "client": entry.origin.client,
        "path": entry.origin.path,
        "trust": entry.origin.trust,
        "transport": entry.kind,
        "command": launch.command[0] if launch.command else None,
        "url": shown_url(launch.url) if launch.url else None,
        "environment": [name for name, _ in launch.environment],
        "headers": [name for name, _ in launch.headers],
        "watched": entry.watched,
        "enabled": entry.enabled,
        "problem": entry.problem or None,
        "lock": locked(entry.name),
    }


def text(found: Sources, locked: LockState) -> str:
    """The list for a person: one block for each file, one line for each server."""
    from witnessmark.render.escape import line

    lines: list[str] = []
    place = ""
    for entry in found.servers:
        here = f"{entry.origin.client}: {entry.origin.path}"
        if here != place:
            place = here
            note = " (a project's file: started only when named or confirmed)" if entry.origin.trust == "project" else ""
            lines += ["", line(here) + note] if lines else [line(here) + note]
        lines.append(f"  {_row(entry, locked)}")
    for file in found.unreadable:
        lines += ["", f"{line(file.client)}: {line(str(file.path))}", f"  not read: it {line(file.problem)}"]
    if not lines:
        return "no server is named here: write one into witnessmark.toml, or give its command after --"
    return "\n".join(lines).lstrip("\n")


def _row(entry: ServerEntry, locked: LockState) -> str:
    from witnessmark.render.escape import line, name

    remarks = [locked(entry.name)]
    if entry.watched:
        remarks.append("watched")
    if not entry.enabled:
        remarks.append("switched off there")
    if entry.problem:
        remarks.append(entry.problem)
    reached = "-" if entry.problem else _reached(entry)
    return f"{name(entry.name)}  {entry.kind}  {line(reached, 120)}  [{'; '.join(remarks)}]"


def _reached(entry: ServerEntry) -> str:
    """The program, or the URL without its query; arguments may hold what is secret."""
    from witnessmark.adapters.server_entry import shown_url

    if entry.launch.url:
        return shown_url(entry.launch.url)
    count = len(entry.launch.command) - 1
    more = f" and {count} argument{'s' if count > 1 else ''}" if count else ""
    return f"{entry.launch.command[0]}{more}"
