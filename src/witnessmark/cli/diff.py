"""`witnessmark diff`: two contracts beside each other, wherever they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import click

from witnessmark.cli.contract_options import LOCKFILE, asker, option, say_failures, show_differences
from witnessmark.errors import UsageError

if TYPE_CHECKING:
    from witnessmark.contract.lockfile import Lock
    from witnessmark.model.capture import Capture, Profile
    from witnessmark.model.change import Difference, Preset


class Side(NamedTuple):
    """One operand: its captures, and the lock where it is a lockfile."""

    operand: str
    captures: tuple[Capture, ...]
    lock: Lock | None


@click.command()
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@click.option("--server", metavar="NAME", help="Only this server of a lockfile.")
@click.option("--profile", type=click.Choice(["bare", "full"]), help="Only this client profile; a live server is shown this one.")
@option("config")
@option("fail_on")
@option("yes")
@option("format")
def diff(
    *, old: str, new: str, server: str | None, profile: Profile | None, configuration: str | None, preset: Preset, yes: bool, form: str
) -> int:
    """Compare two contracts: what changes from A to B.

    A and B are each a lockfile, a catalog (a tools/list result, a whole JSON-RPC response, an object with `tools`, an array of
    tools), either of them in a git revision as REV:PATH, `-` for standard input, a server's name, or a URL. Exit code: 0 nothing
    that stops at the preset, 1 drift, 2 something could not be read or started, 3 a catalog is not whole.
    """
    from witnessmark.render.difference import exit_of

    sides: list[Side] = []
    for operand in (old, new):
        side = _side(operand, profile or "full", configuration, yes=yes)
        if side is None:
            return 2
        sides.append(_selected(side, server, profile))
    before, after = _redacted(sides, configuration)
    found = _differences(before, after, preset)
    show_differences(found, form, several=len(found) > 1, lockfile=new if os.path.exists(new) else LOCKFILE)
    return exit_of(found)


def _side(operand: str, profile: Profile, configuration: str | None, *, yes: bool) -> Side | None:
    """The operand read or captured; None where its server could not be started, after saying why."""
    from witnessmark.adapters.catalog_files import is_file_operand, read_catalogs

    if is_file_operand(operand):
        return Side(operand, *read_catalogs(operand, profile))
    from witnessmark.adapters.checking import Target, capture_all
    from witnessmark.adapters.lock_file import read_lock
    from witnessmark.adapters.lock_sources import Wish

    names, command = ([], (operand,)) if "://" in operand else ([operand], None)
    wish = Wish(names, command, name="", configuration=configuration, yes=yes, lockfile=LOCKFILE)
    entries = wish.chosen(read_lock(LOCKFILE).lock, all_locked=False)
    wish.confirm(entries, asker())
    captured = capture_all([Target(entry, profile) for entry in entries])
    if say_failures(captured):
        return None
    return Side(operand, tuple(one.capture for one in captured if one.capture is not None), None)


def _selected(side: Side, server: str | None, profile: Profile | None) -> Side:
    """A lockfile's captures that were asked for; of anything else the one it has."""
    if side.lock is None:
        return side
    kept = tuple(one for one in side.captures if server in (None, one.server) and profile in (None, one.profile))
    if not kept and (server is not None or profile is not None):
        names = ", ".join(sorted(side.lock.servers)) or "none"
        raise UsageError("holds no such server and profile", where=side.operand, hint=f"servers in it: {names}")
    return side._replace(captures=kept)


def _redacted(sides: list[Side], configuration: str | None) -> list[Side]:
    """Both sides under one salt: a lock's texts are redacted, and are compared with texts that are."""
    from witnessmark.adapters.lock_sources import fresh_lock, redaction_rules
    from witnessmark.contract.approving import redacted
    from witnessmark.contract.redaction import Redaction

    salt = next((side.lock.salt for side in sides if side.lock is not None), None) or fresh_lock().salt
    redaction = Redaction(redaction_rules(configuration), salt)
    return [
        side if side.lock is not None else side._replace(captures=tuple(redacted(one, redaction).capture for one in side.captures))
        for side in sides
    ]


def _differences(old: Side, new: Side, preset: Preset) -> list[Difference]:
    import msgspec

    from witnessmark.adapters.checking import between
    from witnessmark.model.capture import Capture

    if len(old.captures) == 1 and len(new.captures) == 1 and (old.lock is None or new.lock is None):
        before, after = old.captures[0], new.captures[0]
        named = before if new.lock is None and old.lock is not None else after
        # A file does not tell its profile: two single catalogs are compared as one profile.
        pairs = [(_as(before, named), _as(after, named))]
    elif old.lock is None or new.lock is None:
        several = old if len(old.captures) != 1 else new
        raise UsageError(f"holds {len(several.captures)} contracts", where=several.operand, hint="say which with --server and --profile")
    else:
        befores = {(one.server, one.profile): one for one in old.captures}
        afters = {(one.server, one.profile): one for one in new.captures}
        pairs = []
        for server, profile in sorted(befores.keys() | afters.keys()):
            nothing = Capture(server=server, profile=profile, complete=True)
            pairs.append((befores.get((server, profile), nothing), afters.get((server, profile), nothing)))
    found = [msgspec.structs.replace(between(before, after, preset), where=old.operand) for before, after in pairs]
    if not found:
        raise UsageError("neither lockfile holds a contract", where=old.operand, hint="lock a server first")
    return found


def _as(one: Capture, named: Capture) -> Capture:
    import msgspec

    return msgspec.structs.replace(one, server=named.server, profile=named.profile)
