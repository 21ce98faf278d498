"""`witnessmark lock`: the first pin of a server's contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from witnessmark.cli.contract_options import CommandAfterDashes, after_dashes, asker, option, say_failures, show_differences
from witnessmark.cli.options import format_option

if TYPE_CHECKING:
    from witnessmark.adapters.checking import Captured
    from witnessmark.contract.lockfile import Approval, Lock, LockedServer
    from witnessmark.contract.redaction import Redaction
    from witnessmark.model.change import Difference

FIRST_USE = "trust on first use: what it says now is taken as it is; nobody has compared it with anything yet"


@click.command(cls=CommandAfterDashes)
@click.argument("servers", nargs=-1, metavar="[SERVER]... [-- COMMAND ARG...|-- URL]")
@option("server")
@click.option(
    "--profile",
    type=click.Choice(["bare", "full", "both"]),
    default="full",
    show_default=True,
    help="The client that the server is shown: one without capabilities, one with all, or each of both.",
)
@click.option("--digest-only", is_flag=True, help="Keep digests without texts: a change can then be seen and not be shown.")
@click.option("--replace", is_flag=True, help="Pin anew what was pinned already, without review.")
@option("lockfile")
@option("config")
@option("yes")
@format_option
def lock(
    *, servers: tuple[str, ...], server: str, profile: str, digest_only: bool, replace: bool, lockfile: str, configuration: str | None,
    yes: bool, form: str,
) -> int:  # fmt: skip
    """Pin the contract of servers: trust on first use.

    Starts or reaches each server, reads its whole catalog, calls no tool, and writes what it says into the lockfile. A server
    that is locked already and changed is not overwritten: `witnessmark approve` reviews that. Nothing is written where nothing
    changed. Exit code: 0 locked, 1 it changed since it was locked, 2 it could not be started or read, 3 its catalog was not
    seen whole; the lockfile is then as it was.
    """
    from witnessmark.adapters.checking import Target, capture_all
    from witnessmark.adapters.lock_file import read_lock, write_lock
    from witnessmark.adapters.lock_sources import Wish, fresh_lock, redaction_rules
    from witnessmark.contract.lockfile import PROFILES
    from witnessmark.contract.redaction import Redaction
    from witnessmark.errors import UsageError
    from witnessmark.render.difference import exit_of

    read = read_lock(lockfile)
    wish = Wish(servers, after_dashes(), name=server, configuration=configuration, yes=yes, lockfile=lockfile)
    entries = wish.chosen(read.lock, all_locked=False)
    if not entries:
        raise UsageError(
            "no server is named", hint="`witnessmark lock NAME`, or its command after --; `witnessmark servers` lists what is found here"
        )
    redaction = Redaction(redaction_rules(configuration), (read.lock or (current := fresh_lock())).salt)
    current = read.lock or current
    wish.confirm(entries, asker())
    profiles = [one for one in PROFILES if profile in (one, "both")]
    captured = capture_all([Target(entry, one) for entry in entries for one in profiles])
    code = say_failures(captured)
    pinning = _Pinning(current, redaction, digest_only=digest_only, replace=replace)
    for one in captured:
        if one.capture is not None:
            pinning.take(one)
    refused = pinning.refused
    if refused and form == "text":
        show_differences(refused, "text", several=True)
    code = code or exit_of(refused)
    written = not code and write_lock(read, pinning.lock)
    _say(pinning, form, lockfile, written=written, code=code)
    return code


class _Pinning:
    """The lock as it grows, what was pinned, and what was refused."""

    def __init__(self, lock: Lock, redaction: Redaction, *, digest_only: bool, replace: bool) -> None:
        from witnessmark.adapters.clock import now_us
        from witnessmark.adapters.lock_file import git_user
        from witnessmark.contract.lockfile import Approval
        from witnessmark.render.times import rfc3339

        self.lock = lock
        self.redaction = redaction
        self.digest_only = digest_only
        self.replace = replace
        self.now_us = now_us()
        self.approval: Approval = Approval(when=rfc3339(self.now_us)[:19] + "Z", by=git_user(), why="first use")
        self.pinned: list[dict[str, Any]] = []
        self.refused: list[Difference] = []

    def take(self, one: Captured) -> None:
        """Pin it, or keep the difference that forbids it."""
        from witnessmark.adapters.checking import against_lock
        from witnessmark.contract.approving import locked_server, redacted, with_server

        found = one.capture
        assert found is not None
        known = self.lock.servers.get(found.server, {}).get(found.profile)
        compared = None if self.replace and found.complete else known
        if compared is not None or not found.complete:
            difference = against_lock(found, compared, self.redaction, "strict", self.now_us)
            if difference.verdict not in ("same", "cosmetic"):
                self.refused.append(difference)
                return
        clean = redacted(found, self.redaction)
        digest_only = self.digest_only or (known is not None and self._has_no_texts(known))
        kept = None if self.replace and known is not None and known.redaction != self.redaction.rules.digest else known
        locked = locked_server(clean.capture, self.redaction.rules.digest, self.approval, kept, digest_only=digest_only)
        self.lock = with_server(self.lock, found.server, found.profile, locked)
        self.pinned.append(
            {
                "server": found.server,
                "profile": found.profile,
                "tools": len(locked.tools),
                "pages": locked.pages,
                "state": "new" if known is None else "unchanged" if locked == known else "changed",
                "secrets": [{"tool": tool, "detector": detector, "count": count} for tool, detector, count in clean.secrets],
            }
        )

    @staticmethod
    def _has_no_texts(known: LockedServer) -> bool:
        return bool(known.tools) and all(tool.contract is None for tool in known.tools.values())


def _say(pinning: _Pinning, form: str, lockfile: str, *, written: bool, code: int) -> None:
    from witnessmark.render.difference import difference_document
    from witnessmark.render.jsonout import dumps

    if form == "json":
        document = {
            "witnessmark": "locked/1",
            "lockfile": lockfile,
            "written": written,
            "servers": pinning.pinned,
            "refused": [difference_document(one) for one in pinning.refused],
            "exit": code,
        }
        click.echo(dumps(document))
        return
    for one in pinning.pinned:
        _say_pinned(one, kept=not code)
    if code:
        click.echo(f"{lockfile} is as it was", err=True)
    else:
        click.echo(f"{lockfile} written: commit it" if written else f"{lockfile} is unchanged")


def _say_pinned(one: dict[str, Any], *, kept: bool) -> None:
    from witnessmark.render.escape import name

    server = f"{name(one['server'])} ({one['profile']})"
    counted = f"{one['tools']} tool{'' if one['tools'] == 1 else 's'} over {one['pages']} page{'' if one['pages'] == 1 else 's'}"
    state = {"new": "locked", "unchanged": "unchanged", "changed": "locked anew"}[one["state"]] if kept else "read"
    click.echo(f"{state}  {server}: {counted}")
    if kept and one["state"] != "unchanged":
        click.echo(f"  {FIRST_USE}")
    for secret in one["secrets"]:
        place = f"tool {name(secret['tool'])}" if secret["tool"] else "its instructions"
        click.echo(f"  {place}: {secret['count']} x {secret['detector']}, not written into the lockfile; tell the server's owner")
