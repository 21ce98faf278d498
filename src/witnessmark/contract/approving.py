"""From a capture to a lock entry, and which changes a preset stops. Pure: no I/O, no clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple

import msgspec

from witnessmark.contract.digest import contract_digest, extended_digest
from witnessmark.contract.lockfile import Approval, Lock, LockedServer, LockedTool
from witnessmark.contract.projection import project
from witnessmark.contract.redaction import Redaction
from witnessmark.errors import PeerError
from witnessmark.model.capture import Capture, Launch
from witnessmark.model.change import Change, DiffVerdict, Preset

PRESETS: Final[tuple[Preset, ...]] = ("strict", "balanced", "lenient")
_TEXT_KINDS: Final = ("description", "instructions", "title", "in-text")


class RedactedCapture(NamedTuple):
    """A capture whose texts are redacted, and the secrets that were found: (tool, detector, how often)."""

    capture: Capture
    secrets: tuple[tuple[str, str, int], ...]


def redacted(capture: Capture, redaction: Redaction) -> RedactedCapture:
    """The capture as it may be kept: tools, instructions, command and URL without secrets."""
    tools: list[dict[str, Any]] = []
    secrets: list[tuple[str, str, int]] = []
    for tool in capture.tools:
        clean = redaction.tool(tool)
        tools.append(clean.value)
        secrets += [(str(tool.get("name", "")), detector, count) for detector, count in clean.found.items()]
    found: dict[str, int] = {}
    instructions = redaction.text(capture.instructions, found) if capture.instructions is not None else None
    secrets += [("", detector, count) for detector, count in found.items()]
    launch = capture.launch
    clean_launch = Launch(
        command=tuple(redaction.text(word) for word in launch.command),
        url=redaction.text(launch.url),
        environment=launch.environment,
        headers=launch.headers,
    )
    kept = msgspec.structs.replace(capture, tools=tuple(tools), instructions=instructions, launch=clean_launch)
    return RedactedCapture(kept, tuple(secrets))


def locked_server(capture: Capture, approval: Approval, known: LockedServer | None, *, digest_only: bool = False) -> LockedServer:
    """The lock entry of a complete, redacted capture. Approvals of contracts that did not change are kept as they are.

    Raises PeerError for a contract that has no single meaning: it is never pinned.
    """
    tools: dict[str, LockedTool] = {}
    for tool in capture.tools:
        name = str(tool.get("name"))
        fresh = _locked(tool, approval, digest_only=digest_only)
        before = known.tools.get(name) if known is not None else None
        tools[name] = msgspec.structs.replace(fresh, approval=before.approval) if before is not None and _same(before, fresh) else fresh
    same_text = known is not None and known.instructions == capture.instructions
    return LockedServer(
        launch=capture.launch,
        tools=tools,
        pages=capture.pages,
        protocol_version=capture.protocol_version,
        server_name=capture.server_name,
        server_version=capture.server_version,
        capabilities=capture.capabilities,
        instructions=capture.instructions,
        instructions_approval=known.instructions_approval if known is not None and same_text else _for_text(capture, approval),
    )


def _for_text(capture: Capture, approval: Approval) -> Approval | None:
    return approval if capture.instructions is not None else None


def _locked(tool: dict[str, Any], approval: Approval, *, digest_only: bool) -> LockedTool:
    name = tool.get("name")
    if not isinstance(name, str):
        raise PeerError("a tool without a name", hint="it has no contract: nothing is locked")
    return LockedTool(
        digest=contract_digest(tool), extended=extended_digest(tool), contract=None if digest_only else project(tool), approval=approval
    )


def _same(before: LockedTool, fresh: LockedTool) -> bool:
    return before.digest == fresh.digest


def approve_tools(locked: LockedServer, capture: Capture, names: Collection[str], approval: Approval) -> LockedServer:
    """The entry with the current contracts of `names` approved; a name that the capture lacks is taken out of the lock."""
    current = {str(tool.get("name")): tool for tool in capture.tools}
    tools = dict(locked.tools)
    for name in names:
        if name in current:
            tools[name] = _locked(current[name], approval, digest_only=name in tools and tools[name].contract is None)
        else:
            tools.pop(name, None)
    return msgspec.structs.replace(locked, tools=tools)


def with_server(lock: Lock, server: str, profile: str, locked: LockedServer) -> Lock:
    """The lock with this entry in place."""
    servers = {name: dict(profiles) for name, profiles in lock.servers.items()}
    servers.setdefault(server, {})[profile] = locked
    return msgspec.structs.replace(lock, servers=servers)


def stops(change: Change, preset: Preset) -> bool:
    """Whether the change is at or above the preset.

    strict: anything that is not cosmetic. balanced: old caller loud or silent, or model told escalated, or a changed text of
    an existing tool or parameter. lenient: old caller loud or silent, or escalated (contracts.md, "Differences").
    """
    if change.cosmetic:
        return False
    grave = change.old_caller in ("loud", "silent") or change.model_told == "escalated"
    if preset == "strict" or grave:
        return True
    return preset == "balanced" and any(word in change.kind for word in _TEXT_KINDS) and not change.kind.endswith("-added")


def verdict_of(changes: Iterable[Change], preset: Preset, *, complete: bool) -> DiffVerdict:
    """`incomplete` where the current catalog was not seen whole; else drift, cosmetic or same by the preset."""
    if not complete:
        return "incomplete"
    listed = list(changes)
    if any(stops(change, preset) for change in listed):
        return "drift"
    return "cosmetic" if listed else "same"
