"""`witnessmark check`: live servers against the lockfile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from witnessmark.cli.contract_options import CommandAfterDashes, after_dashes, asker, option, say_failures, show_differences

if TYPE_CHECKING:
    from witnessmark.adapters.checking import Target
    from witnessmark.adapters.server_entry import ServerEntry
    from witnessmark.contract.lockfile import Lock
    from witnessmark.model.capture import Profile
    from witnessmark.model.change import Difference, Preset


@click.command(cls=CommandAfterDashes)
@click.argument("servers", nargs=-1, metavar="[SERVER]... [-- COMMAND ARG...|-- URL]")
@option("server")
@click.option("--profile", type=click.Choice(["bare", "full"]), help="Only this client profile (default: every locked one).")
@option("lockfile")
@click.option(
    "--lockfile-from", "revision", metavar="REV", help="Take the lockfile from this git revision, so that no change approves itself."
)
@option("config")
@option("fail_on")
@option("yes")
@option("format")
def check(
    *, servers: tuple[str, ...], server: str, profile: Profile | None, lockfile: str, revision: str | None, configuration: str | None,
    preset: Preset, yes: bool, form: str,
) -> int:  # fmt: skip
    """Compare live servers with the lockfile, and name what changed.

    Without names: every locked server, and every one that the project's files name. Exit code: 0 nothing changed that stops at
    the preset, 1 drift, 2 a server could not be started or a file not be read, 3 a catalog was not seen whole, or there is no
    lock for the server.
    """
    from witnessmark.adapters.checking import against_lock, capture_all
    from witnessmark.adapters.clock import now_us
    from witnessmark.adapters.lock_file import read_lock, read_revision
    from witnessmark.adapters.lock_sources import Wish, redaction_rules
    from witnessmark.contract.redaction import Redaction
    from witnessmark.errors import UsageError
    from witnessmark.render.difference import exit_of

    # Of what was read, the bytes are not kept: a lock of 2,000 tools has 4 MiB of them.
    lock, where = (read_revision(lockfile, revision) if revision is not None else read_lock(lockfile))[:2]
    wish = Wish(servers, after_dashes(), name=server, configuration=configuration, yes=yes, lockfile=lockfile)
    entries = wish.chosen(lock, all_locked=True)
    if not entries:
        raise UsageError(
            "no server is locked and none is named", where=where, hint="`witnessmark lock NAME`; `witnessmark servers` lists them"
        )
    targets, missing = _sorted_out(entries, lock, profile, preset)
    wish.confirm([target.entry for target in targets], asker())
    captured = capture_all(targets) if targets else []
    failed = say_failures(captured)
    found: list[Difference] = []
    if lock is not None:
        redaction = Redaction(redaction_rules(configuration), lock.salt)
        for one in captured:
            if one.capture is not None:
                known = lock.servers[one.target.entry.name].get(one.target.profile)
                found.append(against_lock(one.capture, known, redaction, preset, now_us()))
    found = [_placed(one, where) for one in (*found, *missing)]
    if found:
        show_differences(found, form, several=len(entries) > 1 or len(targets) > 1, lockfile=lockfile)
    return failed or exit_of(found)


def _sorted_out(
    entries: list[ServerEntry], lock: Lock | None, profile: Profile | None, preset: Preset
) -> tuple[list[Target], list[Difference]]:
    """What is to be captured, and what is not locked and so need not be started."""
    from witnessmark.adapters.checking import Target, contracts, unpinned
    from witnessmark.contract.lockfile import known_profile

    targets: list[Target] = []
    missing: list[Difference] = []
    for entry in entries:
        profiles = lock.servers.get(entry.name, {}) if lock is not None else {}
        wanted = [known_profile(name) for name in sorted(profiles) if profile in (None, name)]
        targets += [Target(entry, one, profiles[one].protocol_version, contracts(profiles[one])) for one in wanted]
        if not wanted:
            missing.append(unpinned(entry.name, profile or "full", preset, "there is no lock for this server and profile"))
    return targets, missing


def _placed(difference: Difference, where: str) -> Difference:
    import msgspec

    return msgspec.structs.replace(difference, where=where)
