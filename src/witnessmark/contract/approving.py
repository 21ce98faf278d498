"""From a capture to a lock entry, and which changes a preset stops. Pure: no I/O, no clock."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple

import msgspec

from witnessmark.contract.digest import contract_digest, digest_of, extended_digest, short
from witnessmark.contract.lockfile import Approval, Lock, LockedServer, LockedTool
from witnessmark.contract.projection import project
from witnessmark.contract.redaction import Redaction
from witnessmark.errors import OurError, PeerError
from witnessmark.model.capture import Capture, Launch
from witnessmark.model.change import ABSENT, Change, DiffVerdict, Preset

PRESETS: Final[tuple[Preset, ...]] = ("strict", "balanced", "lenient")
_NAME_SHOWN: Final = 128
"""Characters of a tool's name that an error repeats: the longest that a model API takes."""
_NAMES_SHOWN: Final = 5
_HOME: Final = re.compile(r"<redacted:home-path:[0-9a-f]+>")
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
    kept = msgspec.structs.replace(
        capture, tools=tuple(tools), instructions=instructions, launch=redacted_launch(capture.launch, redaction)
    )
    return RedactedCapture(kept, tuple(secrets))


def redacted_launch(launch: Launch, redaction: Redaction) -> Launch:
    """The launch as it may be kept: no secret, and the names of variables and headers without where each user keeps the value.

    A home path carries no hash here: two users of one repository start the same server.
    """
    return Launch(
        command=tuple(_HOME.sub(r"<redacted:home-path>", redaction.text(word)) for word in launch.command),
        url=redaction.text(launch.url),
        environment=tuple((name, "") for name, _ in sorted(launch.environment)),
        headers=tuple((name, "") for name, _ in sorted(launch.headers)),
    )


def locked_server(
    capture: Capture, redaction: str, approval: Approval, known: LockedServer | None, *, digest_only: bool = False
) -> LockedServer:
    """The lock entry of a complete capture, redacted under the rule set whose digest is `redaction`.

    Approvals of contracts that did not change are kept as they are. Raises PeerError for a contract that has no single
    meaning: it is never pinned.
    """
    if not capture.complete:
        raise OurError("an incomplete capture was to be locked")
    if capture.ambiguous:
        names = ", ".join(ascii(name[:_NAME_SHOWN]) for name in capture.ambiguous[:_NAMES_SHOWN])
        raise PeerError(
            f"what it says of {names} has more than one reading",
            where=capture.server,
            hint="such a tool is never pinned: report it to the server's owner",
        )
    tools: dict[str, LockedTool] = {}
    for tool in capture.tools:
        name = str(tool.get("name"))
        fresh = _locked(tool, approval, digest_only=digest_only)
        before = known.tools.get(name) if known is not None else None
        tools[name] = msgspec.structs.replace(fresh, approval=before.approval) if before is not None and _same(before, fresh) else fresh
    same_text = known is not None and known.instructions == capture.instructions
    return LockedServer(
        launch=capture.launch,
        redaction=redaction,
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
        digest=contract_digest(tool), extended=extended_of(tool), contract=None if digest_only else project(tool), approval=approval
    )


def extended_of(tool: dict[str, Any]) -> str:
    """The extended digest; empty where the tool has nothing beyond its projection, so that it is the contract's own."""
    return "" if len(project(tool)) == len(tool) else extended_digest(tool)


def _same(before: LockedTool, fresh: LockedTool) -> bool:
    return before.digest == fresh.digest


def approve_tools(locked: LockedServer, capture: Capture, names: Collection[str], approval: Approval) -> LockedServer:
    """The entry with the current contracts of `names` approved; a name that the capture lacks is taken out of the lock.

    All else stays as it was: instructions, launch and what the server says of itself.
    """
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


def fingerprint(server: str, profile: str, tool: str, kind: str, pointer: str, after: object) -> str:
    """32 hex digits that hold for exactly this change (contracts.md, "Commands"); `after` UNSET where there is nothing now."""
    try:
        digest = "" if after is ABSENT else digest_of(after)
    except PeerError:
        digest = "no canonical form"
    return short(digest_of([server, profile, tool, kind, pointer, digest]))


def verdict_of(changes: Iterable[Change], preset: Preset, *, complete: bool) -> DiffVerdict:
    """`incomplete` where the current catalog was not seen whole; else drift, cosmetic or same by the preset.

    A change below the preset counts as cosmetic: it is shown and stops nothing.
    """
    if not complete:
        return "incomplete"
    listed = list(changes)
    if any(stops(change, preset) for change in listed):
        return "drift"
    return "cosmetic" if listed else "same"
