"""`witnessmark init`: which servers there are, the first lock, and what comes next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from witnessmark.cli.contract_options import asker, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.adapters.server_entry import ServerEntry

NEXT = """\
Next:
  git add {lockfile}                         review it, commit it
  witnessmark check --yes                    what changed since (exit 1 if anything did)
  witnessmark check --yes --lockfile-from origin/main --format github
                                             in CI, against the base revision (docs/howto/ci.md)
  witnessmark approve --server NAME          review a change, and approve it
  witnessmark wrap --dry-run                 put the servers of your clients behind the proxy (docs/howto/wrap.md)"""


@click.command()
@option("config")
@option("lockfile")
@click.option("--write-config", is_flag=True, help="Write the servers that were found into witnessmark.toml, if there is none.")
@option("yes")
def init(*, configuration: str | None, lockfile: str, write_config: bool, yes: bool) -> int:
    """Find the servers that are named here, pin them after asking, and say what comes next.

    Nothing is started before you confirm it, and no client's file is changed. Exit code: that of `witnessmark lock`; 0 where
    nothing was locked.
    """
    from witnessmark.adapters.configuration import CONFIGURATION_FILE
    from witnessmark.adapters.server_sources import read_sources
    from witnessmark.cli.servers import lock_state, text

    found = read_sources(configuration)
    click.echo(text(found, lock_state(lockfile)))
    usable = [entry for entry in found.servers if entry.enabled and not entry.problem]
    if not usable:
        click.echo("\nNothing to lock. Pin a server by its command: witnessmark lock --server NAME -- COMMAND ARG...")
        return 0
    if write_config:
        _write(usable, CONFIGURATION_FILE)
    names = _names(usable)
    ask = asker()
    question = f"Start each of these once and lock what it says now (trust on first use)? {', '.join(names)}"
    if not yes and (ask is None or not ask(question)):
        click.echo(f"\nNothing was started and nothing locked. Lock them: witnessmark lock {' '.join(names)}")
        return 0
    from witnessmark.cli.lock import lock

    code: int = click.get_current_context().invoke(
        lock, servers=tuple(names), server="", profile="full", digest_only=False, replace=False, lockfile=lockfile,
        configuration=configuration, yes=True, form="text",
    )  # fmt: skip
    if not code:
        click.echo(NEXT.format(lockfile=lockfile))
    return code


def _names(entries: Sequence[ServerEntry]) -> list[str]:
    """A name for each server: its own where that means one server, else with its client before it."""
    from witnessmark.adapters.server_sources import find_server
    from witnessmark.errors import UsageError

    names: dict[str, None] = {}
    for entry in entries:
        try:
            find_server(entries, entry.name)
            names[entry.name] = None
        except UsageError:
            names[entry.label] = None
    return list(names)


def _write(entries: Sequence[ServerEntry], path: str) -> None:
    """Write a configuration with these servers; values of variables become references. Nothing where there is a file."""
    from witnessmark.render.jsonout import dumps

    if os.path.lexists(path):
        click.echo(f"{path} is there already: it is as it was", err=True)
        return
    lines = []
    for name, entry in {entry.name: entry for entry in reversed(entries)}.items():
        launch = entry.launch
        lines.append(f"[servers.{dumps(name)}]")
        lines.append(f"url = {dumps(launch.url)}" if launch.url else f"command = [{', '.join(map(dumps, launch.command))}]")
        for member, pairs in (("env", launch.environment), ("headers", launch.headers)):
            if pairs:
                lines.append(f"{member} = {{ {', '.join(f'{dumps(key)} = {dumps(_reference(key, value))}' for key, value in pairs)} }}")
        lines.append("")
    with open(path, "x", encoding="utf-8") as file:
        file.write("\n".join(lines))
    click.echo(f"\n{path} written; where a client's file held a literal value it names a variable: set it before you start the server")


def _reference(name: str, value: str) -> str:
    """A reference that is one for everybody: what a client's file holds literally comes from a variable of that name."""
    if "env:" in value:
        return value
    return "env:" + "".join(char if char.isascii() and char.isalnum() else "_" for char in name).upper()
