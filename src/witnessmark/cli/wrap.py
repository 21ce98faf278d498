"""`witnessmark wrap` and `witnessmark unwrap`: the entries of clients run through the proxy, and as they were again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from witnessmark.cli.contract_options import asker
from witnessmark.errors import UsageError, WitnessmarkError

if TYPE_CHECKING:
    from witnessmark.adapters.wrap.files import Chosen, Planned
    from witnessmark.adapters.wrap.rewriting import Change


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    for add in (
        click.option("--yes", is_flag=True, help="Confirm what would be asked: for scripts."),
        click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing."),
        click.argument("clients", nargs=-1, metavar="[CLIENT]..."),
    ):
        command = add(command)
    return command


@click.command()
@_options
@click.option(
    "--store", metavar="STORE", help="Write this store into the entries (default: the proxy's own default, in your state directory)."
)
def wrap(*, clients: tuple[str, ...], dry_run: bool, yes: bool, store: str | None) -> int:
    """Put the servers of clients behind the proxy: rewrite their configuration entries, after showing how.

    CLIENT is a client's name as `witnessmark servers` shows it, or the path of its file; without any, all files of your own. A
    project's file is rewritten only when it is named. Of an entry only command and arguments change, and the old command stays
    readable behind `--`. Entries that are reached over HTTP, are switched off or already go through the proxy are left alone and
    named. The old bytes are kept in your state directory.
    """
    from witnessmark.adapters.wrap.edits import Ours
    from witnessmark.adapters.wrap.program import program_words
    from witnessmark.adapters.wrap.rewriting import Change

    if os.name != "posix":
        raise UsageError(
            "the stdio proxy needs POSIX pipes and signals", where="witnessmark wrap", hint="run it on Linux or macOS, or in WSL"
        )
    if store is None and os.environ.get("WITNESSMARK_STORE"):
        click.echo("WITNESSMARK_STORE is set here, and clients may not have it: give --store to write the store into the entries\n")
    return _rewrite(clients, Change(Ours(program_words(), _store_options(store))), dry_run=dry_run, yes=yes, word="wrap")


@click.command()
@_options
def unwrap(*, clients: tuple[str, ...], dry_run: bool, yes: bool) -> int:
    """Take the proxy out of the entries of clients again: what stands behind `--` becomes the command.

    CLIENT as for `witnessmark wrap`. A file that nobody else changed gets the bytes back that it had; in any other only the
    entries behind the proxy change.
    """
    from witnessmark.adapters.wrap.rewriting import Change

    return _rewrite(clients, Change(None), dry_run=dry_run, yes=yes, word="unwrap")


def _store_options(store: str | None) -> tuple[str, ...]:
    if store is None:
        return ()
    scheme, mark, rest = store.partition("://")
    if mark and ":" in rest.rpartition("@")[0]:
        raise UsageError(
            "a password in --store would be written into clients' files", where=f"{scheme}://", hint="name a store without one in its URL"
        )
    return "--store", store if mark else os.path.abspath(store)


def _rewrite(clients: tuple[str, ...], change: Change, *, dry_run: bool, yes: bool, word: str) -> int:
    """Show, ask, write; the exit code: 2 where a file that was meant could not be read or written."""
    from pathlib import Path

    from witnessmark.adapters.client_files_places import places
    from witnessmark.adapters.wrap.files import choose, plan

    chosen = choose(places(Path.home(), Path.cwd(), os.environ, sys.platform), clients)
    planned = [plan(place, change) for place in chosen.meant]
    code = 0
    for number, one in enumerate(planned):
        if number:
            click.echo()
        code = max(code, _file(one, dry_run=dry_run, yes=yes, word=word))
    _say_unnamed(chosen, word, some=bool(planned))
    return code


def _file(planned: Planned, *, dry_run: bool, yes: bool, word: str) -> int:
    from witnessmark.adapters.wrap.difference import difference
    from witnessmark.adapters.wrap.files import write
    from witnessmark.cli.main import report, say_error
    from witnessmark.render.escape import line, name

    place, after = planned.place, planned.after
    click.echo(f"{line(place.client)}: {line(str(place.path))}")
    if planned.problem:
        say_error(f"{place.path}: {planned.problem}; it is as it was", "mend it in its client, or leave it out by naming the others")
        return 2
    for row in difference(place, planned.before, after):
        click.echo(f"  {row}")
    for left in after.left:
        project = f" (for {line(left.project)})" if left.project else ""
        click.echo(f"  left alone: {name(left.name)}{project}: {left.reason}")
    if not after.changed:
        click.echo("  nothing to change")
        return 0
    if dry_run:
        click.echo("  not written: --dry-run")
        return 0
    if not yes and not _asked(f"Write {place.path}?"):
        click.echo("  not written")
        return 0
    try:
        backup = write(planned)
    except WitnessmarkError as error:
        return report(error)
    count = f"{len(after.changed)} server{'s' if len(after.changed) > 1 else ''}"
    click.echo(f"  written: {count} {'behind the proxy' if word == 'wrap' else 'as before'}; the old file: {line(str(backup))}")
    click.echo(f"  {_next_step(place.client)}")
    return 0


def _asked(question: str) -> bool:
    ask = asker()
    if ask is None:
        raise UsageError("nobody can be asked here", hint="look with --dry-run, then give --yes")
    return ask(question)


def _next_step(client: str) -> str:
    from witnessmark.render.escape import line

    if client == "Claude Desktop":
        return "restart Claude Desktop; if it was open, look at the file again: it may write its own copy back"
    return f"restart {line(client)}, so that it reads the file; it may ask again whether you trust the changed entries"


def _say_unnamed(chosen: Chosen, word: str, *, some: bool) -> None:
    from witnessmark.adapters.server_entry import slug
    from witnessmark.render.escape import line

    if not some and not chosen.unnamed:
        click.echo("no configuration file of a client was found; `witnessmark servers` looks in the same places")
    named: Sequence[tuple[Any, str]] = chosen.unnamed
    for place, why in named:
        click.echo(
            f"\n{line(place.client)}: {line(str(place.path))}\n  not looked at: it {why}; name it: witnessmark {word} {slug(place.client)}"
        )
