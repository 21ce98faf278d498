"""`witnessmark approve`: what changed since the lock, shown, asked about, and written down with who, when, why and until when."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from witnessmark.cli.contract_options import CommandAfterDashes, after_dashes, asker, option, say_failures, show_differences
from witnessmark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.contract.lockfile import Approval, Lock, LockedServer
    from witnessmark.model.capture import Capture, Profile
    from witnessmark.model.change import Difference

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


@click.command(cls=CommandAfterDashes)
@click.argument("tools", nargs=-1, metavar="[TOOL]... [-- COMMAND ARG...|-- URL]")
@option("server")
@click.option("--profile", type=click.Choice(["bare", "full"]), help="The client profile (default: the locked one).")
@click.option("--why", metavar="TEXT", default="", help="Why it is approved: kept in the lockfile.")
@click.option("--until", metavar="TIME", help='The approval ends then: an RFC 3339 time, a day, or a span as "30d".')
@option("lockfile")
@option("config")
@option("yes")
def approve(
    *, tools: tuple[str, ...], server: str, profile: Profile | None, why: str, until: str | None, lockfile: str,
    configuration: str | None, yes: bool,
) -> int:  # fmt: skip
    """Review what changed since the lock, and approve it.

    Shows the difference, asks, and writes the new contracts into the lockfile with who approved them (git's user, else $USER),
    when, why and until when. With TOOL only those tools: a tool that is gone leaves the lock. Without a terminal to ask on it
    refuses, unless --yes is given. Exit code: 0 approved or nothing to approve, 1 not approved, 2 it could not be started or
    read, 3 its catalog was not seen whole or there is no lock.
    """
    from witnessmark.adapters.checking import Target, against_lock, capture_all
    from witnessmark.adapters.clock import now_us
    from witnessmark.adapters.lock_file import read_lock
    from witnessmark.adapters.lock_sources import Wish, redaction_rules
    from witnessmark.contract.approving import redacted
    from witnessmark.contract.redaction import Redaction
    from witnessmark.render.difference import EXITS

    ask = asker()
    if ask is None and not yes:
        raise UsageError("nobody can be asked: there is no terminal", hint="review with `witnessmark check`, then say --yes")
    now = now_us()
    approval = _approval(why, until, now)
    read = read_lock(lockfile)
    if read.lock is None:
        raise UsageError("there is no lockfile", where=lockfile, hint="`witnessmark lock NAME` pins a server first")
    name, profile = _meant(read.lock, server, profile, lockfile)
    command = after_dashes()
    names = () if command is not None else (name,)
    wish = Wish(names, command, name=name if command is not None else "", configuration=configuration, yes=yes, lockfile=lockfile)
    entries = wish.chosen(read.lock, all_locked=False)
    wish.confirm(entries, ask, named=bool(server) or command is not None)
    locked = read.lock.servers[name][profile]
    captured = capture_all([Target(entries[0]._replace(name=name), profile, locked.protocol_version)])
    failed = say_failures(captured)
    found = captured[0].capture
    if failed or found is None:
        return failed
    redaction = Redaction(redaction_rules(configuration), read.lock.salt)
    whole = against_lock(found, locked, redaction, "strict", now)
    if not found.complete or locked.redaction != redaction.rules.digest:
        show_differences([whole], "text", several=False)
        return EXITS[whole.verdict]
    _known(tools, whole, locked, found)
    difference = _only(whole, tools)
    if not difference.changes and not difference.expired and not _renews(approval, tools):
        click.echo("nothing to approve: the contract is what was approved")
        return 0
    show_differences([difference], "text", several=False)
    if not yes and (ask is None or not ask(f"Approve this for {name}?")):
        click.echo(f"not approved; {lockfile} is as it was", err=True)
        return 1
    fresh = _approved(locked, redacted(found, redaction).capture, difference, tools, approval)
    return _written(read, name, profile, fresh, approval)


def _written(read: object, name: str, profile: Profile, fresh: LockedServer, approval: Approval) -> int:
    from witnessmark.adapters.lock_file import ReadLock, write_lock
    from witnessmark.contract.approving import with_server
    from witnessmark.render.escape import line

    assert isinstance(read, ReadLock)
    assert read.lock is not None
    written = write_lock(read, with_server(read.lock, name, profile, fresh))
    who = f" by {line(approval.by)}" if approval.by else ""
    until = f" until {approval.until}" if approval.until else ""
    click.echo(f"approved{who}{until}; {read.where} {'written: commit it' if written else 'is unchanged'}")
    return 0


def _approval(why: str, until: str | None, now: int) -> Approval:
    from witnessmark.adapters.lock_file import git_user
    from witnessmark.contract.lockfile import Approval
    from witnessmark.render.times import rfc3339

    ends = _instant(until, now) if until is not None else None
    return Approval(when=rfc3339(now)[:19] + "Z", by=git_user(), why=why, until=rfc3339(ends)[:19] + "Z" if ends is not None else "")


def _instant(until: str, now: int) -> int:
    """The instant that `--until` means. UsageError for anything else, and for what has passed."""
    from witnessmark.model.policy import duration_s
    from witnessmark.render.times import parse_rfc3339

    ends = parse_rfc3339(f"{until}T00:00:00Z" if _DAY.fullmatch(until) else until)
    if ends is None:
        ends = now + round(duration_s(until, "--until") * 1_000_000)
    if ends <= now:
        raise UsageError("has passed already", where="--until", hint="name a time to come")
    return ends


def _meant(lock: Lock, server: str, profile: Profile | None, where: str) -> tuple[str, Profile]:
    """The locked server and profile that are meant. UsageError where that is not one."""
    from witnessmark.contract.lockfile import known_profile

    names = sorted(lock.servers)
    if not server and len(names) != 1:
        raise UsageError(f"{len(names)} servers are locked", where=where, hint=f"say which with --server: {', '.join(names) or 'none'}")
    name = server or names[0]
    profiles = sorted(lock.servers.get(name, {}))
    if not profiles or (profile is not None and profile not in profiles):
        what = f"server {name!a} is not locked{f' as {profile}' if profiles else ''}"
        raise UsageError(what, where=where, hint=f"`witnessmark lock {name}` pins it first")
    if profile is None and len(profiles) != 1:
        raise UsageError(f"server {name!a} is locked as {' and '.join(profiles)}", where=where, hint="say which with --profile")
    return name, profile or known_profile(profiles[0])


def _only(difference: Difference, tools: Sequence[str]) -> Difference:
    """The difference of the named tools alone, where some are named."""
    import msgspec

    if not tools:
        return difference
    changes = tuple(change for change in difference.changes if change.tool in tools)
    return msgspec.structs.replace(difference, changes=changes, expired=tuple(name for name in difference.expired if name in tools))


def _known(tools: Sequence[str], difference: Difference, locked: LockedServer, found: Capture) -> None:
    names = {*locked.tools, *(str(tool.get("name")) for tool in found.tools)}
    unknown = [tool for tool in tools if tool not in names]
    if unknown:
        changed = sorted({change.tool for change in difference.changes if change.tool})
        hint = f"changed: {', '.join(changed[:8])}" if changed else "`witnessmark check` says which changed"
        raise UsageError(f"neither the lock nor the server has a tool {unknown[0]!a}", hint=hint)


def _renews(approval: Approval, tools: Sequence[str]) -> bool:
    """Whether the user has something to write down although nothing changed: an end or a reason for tools that are named."""
    return bool(tools and (approval.until or approval.why))


def _approved(locked: LockedServer, current: Capture, difference: Difference, tools: Sequence[str], approval: Approval) -> LockedServer:
    import msgspec

    from witnessmark.contract.approving import approve_tools, locked_server

    if tools:
        return approve_tools(locked, current, tools, approval)
    digest_only = bool(locked.tools) and all(tool.contract is None for tool in locked.tools.values())
    fresh = locked_server(current, locked.redaction, approval, locked, digest_only=digest_only)
    renewed = {name: msgspec.structs.replace(fresh.tools[name], approval=approval) for name in difference.expired if name in fresh.tools}
    instructions = approval if "" in difference.expired else fresh.instructions_approval
    return msgspec.structs.replace(fresh, tools={**fresh.tools, **renewed}, instructions_approval=instructions)
