"""What the gate of one server needs, read before the server is started: its lock entries and the policy in force."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple, cast

import msgspec

from witnessmark.adapters.configuration import read_configuration
from witnessmark.adapters.gated_session import Locks, WatchedLock
from witnessmark.adapters.lock_file import LOCKFILE, read_lock
from witnessmark.adapters.lock_sources import redaction_rules
from witnessmark.contract.lockfile import LockedServer
from witnessmark.contract.redaction import Redaction
from witnessmark.errors import UsageError
from witnessmark.gate.session import GateSession
from witnessmark.model.capture import Profile
from witnessmark.model.gate import GatePolicy, read_gate_policy, read_verify
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Redactor


class GateSetup(NamedTuple):
    """The lock of one server as it is now, the file to be watched, and the policy."""

    server: str
    lockfile: str
    policy: GatePolicy
    lock: WatchedLock


def gate_setup(server: str, lockfile: str, configuration: str | None) -> GateSetup:
    """The gate's setup for a server. UsageError or InputError where there is no lock for it, or a file is not what it must be."""

    def read() -> Locks:
        return _locks(server, lockfile, configuration)

    return GateSetup(server, lockfile, gate_policy(server, configuration), WatchedLock(lockfile, read))


def gate_session(setup: GateSetup, observer: Observer, redactor: Redactor, *, enforce: bool) -> GateSession:
    """The gate of a session that begins now."""
    entries, redaction = setup.lock.current
    return GateSession(
        setup.server,
        setup.policy,
        entries,
        redaction,
        redactor,
        observer.served,
        # 64 bits of chance: no client chooses such an id.
        prefix=f"witnessmark-{os.urandom(8).hex()}-",
        lockfile="" if setup.lockfile == LOCKFILE else setup.lockfile,
        enforce=enforce,
        read_only=observer.declared_read_only,
    )


def _locks(server: str, lockfile: str, configuration: str | None) -> Locks:
    lock = read_lock(lockfile).lock
    hint = f"`witnessmark lock --server {server} -- COMMAND` pins it first"
    if lock is None:
        raise UsageError("there is no lockfile", where=lockfile, hint=hint)
    entries = lock.servers.get(server)
    if not entries:
        known = ", ".join(sorted(lock.servers)) or "none"
        raise UsageError(f"server {server!a} is not locked", where=lockfile, hint=f"{hint}; locked: {known}")
    return cast("Mapping[Profile, LockedServer]", entries), Redaction(redaction_rules(configuration), lock.salt)


def gate_policy(server: str, configuration: str | None) -> GatePolicy:
    """The policy in `[gate]` and `[servers.NAME.gate]` of a configuration that the user named; the strict defaults without one.

    A file that merely lies in the working directory loosens nothing: it may be somebody else's.
    """
    if configuration is None:
        return GatePolicy()
    found = read_configuration(configuration)  # it reads every [gate] for its mistakes too
    policy = read_gate_policy(found.tables.get("gate", {}), f"{found.path}: [gate]")
    own = found.tables.get("servers", {}).get(server, {})
    policy = read_gate_policy(own.get("gate", {}), f"{found.path}: [servers.{server}.gate]", policy)
    declared = {
        tool.tool: read_verify(tool.verify, f"{found.path}: [tools.{server}/{tool.tool}]")
        for tool in found.declarations.tools
        if tool.server == server and tool.verify
    }
    return msgspec.structs.replace(policy, tools={**policy.tools, **declared}) if declared else policy
