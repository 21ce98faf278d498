"""`witnessmark keys`: the keys of the keyed hashes, never their secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from witnessmark.cli.options import format_option, store_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.adapters.keys import HashKey, KeyFile


@click.group(invoke_without_command=True)
@store_option
@format_option
@click.pass_context
def keys(context: click.Context, *, store: str | None, form: str) -> None:
    """List the keys with which argument values, operation keys and session ids are hashed; secrets are never shown."""
    context.obj = store
    if context.invoked_subcommand is not None:
        return
    file = _file(store)
    _say(file, file.keys(), form)


@keys.command()
@store_option
@format_option
@click.pass_context
def rotate(context: click.Context, *, store: str | None, form: str) -> None:
    """Make a new key; hashes from now on are made with it.

    Older keys stay, so that what they hashed can be joined within itself. Hashes under two keys never compare: a receipt
    that was hashed before a rotation does not settle a call from after it.
    """
    from witnessmark.adapters.clock import now_us

    file = _file(store or context.obj)
    file.rotate(now_us())
    _say(file, file.keys(), form)


@keys.command()
@store_option
@format_option
@click.argument("key")
@click.pass_context
def forget(context: click.Context, *, store: str | None, form: str, key: str) -> None:
    """Remove an old key: what it hashed can never be joined again, by anybody."""
    file = _file(store or context.obj)
    file.forget(key)
    _say(file, file.keys(), form)


def _file(store: str | None) -> KeyFile:
    from witnessmark.adapters.keys import KeyFile, keys_path
    from witnessmark.adapters.store.location import default_path, store_path

    return KeyFile(keys_path(store_path(store or default_path())))


def _say(file: KeyFile, found: Sequence[HashKey], form: str) -> None:
    from witnessmark.render.jsonout import dumps
    from witnessmark.render.table import table
    from witnessmark.render.times import rfc3339

    if form == "json":
        members = [{"id": key.id, "created": rfc3339(key.created_us), "active": key is found[-1]} for key in found]
        click.echo(dumps({"file": str(file.path), "keys": members}))
        return
    rows = [(key.id, rfc3339(key.created_us), "active" if key is found[-1] else "old") for key in found]
    click.echo("\n".join([f"keys in {file.path}", *(table(("key", "made", ""), rows) or ["none yet: the first observation makes one"])]))
