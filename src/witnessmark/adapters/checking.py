"""Live servers against the lock: captured beside each other, redacted, compared, and told as one Difference each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from witnessmark.adapters.prober import ProbeLimits, capture
from witnessmark.adapters.server_entry import ServerEntry, startable
from witnessmark.contract.approving import extended_of, fingerprint, redacted, verdict_of
from witnessmark.contract.digest import contract_digest
from witnessmark.contract.lockfile import Approval, LockedServer, LockedTool, approved_capture
from witnessmark.contract.projection import project
from witnessmark.contract.redaction import Redaction
from witnessmark.contract.schema_view import same
from witnessmark.errors import PeerError, WitnessmarkError
from witnessmark.model.capture import Capture, Launch, Profile
from witnessmark.model.change import ABSENT, Change, Difference, Preset
from witnessmark.render.times import parse_rfc3339

if TYPE_CHECKING:
    from witnessmark.rules._rule import Rule

AT_ONCE: Final = 4
"""Servers that are captured beside each other: they mostly wait for their own start; more would wait for the processor."""


class Target(NamedTuple):
    """What is to be captured: a server as one profile sees it, the protocol version that it spoke last time, and its known tools."""

    entry: ServerEntry
    profile: Profile
    last_version: str = ""
    known: Mapping[str, dict[str, Any]] = {}


class Captured(NamedTuple):
    """A capture, or the error that kept it from beginning."""

    target: Target
    capture: Capture | None
    error: WitnessmarkError | None = None


def capture_all(targets: Sequence[Target], limits: ProbeLimits | None = None) -> list[Captured]:
    """Every target, in the order given, up to four at a time. Errors of one do not keep the others from being captured."""
    if len(targets) == 1:
        return [_captured(targets[0], limits)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda target: _captured(target, limits), targets))


def _captured(target: Target, limits: ProbeLimits | None) -> Captured:
    entry = target.entry
    try:
        found = capture(
            startable(entry).launch,
            entry.name,
            target.profile,
            limits or ProbeLimits(),
            held=entry.held,
            directory=entry.directory,
            last_version=target.last_version,
            known=target.known,
        )
    except WitnessmarkError as error:
        return Captured(target, None, error)
    return Captured(target, found)


def against_lock(found: Capture, locked: LockedServer | None, redaction: Redaction, preset: Preset, now_us: int) -> Difference:
    """What became of the approved contract. `found` is as captured: it is redacted here, under the lock's salt."""
    if not found.complete:
        return _without_changes(found, preset, "incomplete", found.reason)
    if locked is None:
        return _without_changes(found, preset, "unpinned", "it is not in the lockfile")
    if locked.redaction != redaction.rules.digest:
        return _without_changes(found, preset, "unpinned", "it was locked under other redaction rules: lock it anew with --replace")
    settled = frozenset(str(tool.get("name")) for tool in found.tools if _as_locked(locked.tools.get(str(tool.get("name"))), tool))
    # What equals a redacted text is what redacting would make of it.
    rest = redacted(msgspec.structs.replace(found, tools=tuple(tool for tool in found.tools if tool["name"] not in settled)), redaction)
    kept = tuple(tool for tool in found.tools if tool["name"] in settled)
    current = msgspec.structs.replace(rest.capture, tools=(*kept, *rest.capture.tools))
    changes = tuple(_changes(locked, current, settled))
    verdict = verdict_of(changes, preset, complete=True)
    expired = tuple(_expired(locked, now_us))
    reason = ""
    if expired and verdict != "drift":
        verdict, reason = "unpinned", f"{len(expired)} approval{'s have' if len(expired) > 1 else ' has'} ended: approve again"
    return Difference(
        server=found.server, profile=found.profile, complete=True, preset=preset, verdict=verdict, changes=changes,
        reason=reason, tools=len(found.tools), expired=expired,
    )  # fmt: skip


def unpinned(server: str, profile: Profile, preset: Preset, reason: str) -> Difference:
    """A server without a lock entry: nothing is started to say so."""
    return _without_changes(Capture(server=server, profile=profile, complete=True), preset, "unpinned", reason)


def between(old: Capture, new: Capture, preset: Preset) -> Difference:
    """What changed from one capture to the other; how their servers are started is nobody's question here."""
    for side in (old, new):
        if not side.complete:
            return msgspec.structs.replace(_without_changes(side, preset, "incomplete", side.reason), approved=False)
    from witnessmark.rules.comparing import compare  # noqa: PLC0415 - the rules take 0.2 s to load

    changes = compare(msgspec.structs.replace(old, launch=Launch()), msgspec.structs.replace(new, launch=Launch()))
    verdict = verdict_of(changes, preset, complete=True)
    return Difference(
        server=new.server,
        profile=new.profile,
        complete=True,
        preset=preset,
        verdict=verdict,
        changes=changes,
        tools=len(new.tools),
        approved=False,
    )


def _without_changes(found: Capture, preset: Preset, verdict: Any, reason: str) -> Difference:
    return Difference(
        server=found.server, profile=found.profile, complete=found.complete, preset=preset, verdict=verdict, reason=reason,
        tools=len(found.tools),
    )  # fmt: skip


def _expired(locked: LockedServer, now_us: int) -> Iterator[str]:
    """The tools whose approval has ended, "" for the instructions. A time that cannot be read has ended."""
    if locked.instructions_approval is not None and _ended(locked.instructions_approval, now_us):
        yield ""
    for name, tool in sorted(locked.tools.items()):
        if _ended(tool.approval, now_us):
            yield name


def _ended(approval: Approval, now_us: int) -> bool:
    if not approval.until:
        return False
    until = parse_rfc3339(approval.until)
    return until is None or until <= now_us


def contracts(locked: LockedServer) -> dict[str, dict[str, Any]]:
    """The locked texts by tool, for a capture that holds an unchanged tool once; without those that have more than their text."""
    return {name: tool.contract for name, tool in locked.tools.items() if tool.contract is not None and not tool.extended}


def _as_locked(known: LockedTool | None, tool: dict[str, Any]) -> bool:
    """Whether the capture took the locked text for the tool, so that nothing is left to compare; False decides nothing."""
    return known is not None and tool is known.contract


def _changes(locked: LockedServer, current: Capture, settled: frozenset[str]) -> Iterator[Change]:
    if locked.launch != current.launch:
        yield from _lock_change("launch-changed", current, "", "/launch", locked.launch, current.launch)
    # The lock holds no order of tools and of members: none is compared.
    tools = {str(tool.get("name")): tool for tool in current.tools}
    differing, extended = _differing(locked, tools, settled)
    described = (locked.instructions, locked.protocol_version, locked.server_name, locked.server_version)
    if differing or current.ambiguous or locked.capabilities != current.capabilities or (
        described != (current.instructions, current.protocol_version, current.server_name, current.server_version)
    ):  # fmt: skip
        from witnessmark.rules.comparing import compare  # noqa: PLC0415 - the rules take 0.2 s to load; an unchanged server needs none

        yield from compare(*_sides(locked, current, tools, differing))
    for name in sorted(differing & tools.keys()):
        known = locked.tools.get(name)
        if known is not None and known.contract is None:
            yield from _lock_change("digest-changed", current, name, "", known.digest, _digest(tools[name]))
    for name in extended:
        yield from _lock_change("extended-digest-changed", current, name, "", ABSENT, extended_of(tools[name]))


def _differing(locked: LockedServer, tools: dict[str, dict[str, Any]], settled: frozenset[str]) -> tuple[set[str], list[str]]:
    """Names whose contract differs, or that only one side has; and names of which only what is outside the contract differs."""
    differing = set(tools.keys() ^ locked.tools.keys())
    extended = []
    for name in sorted((tools.keys() & locked.tools.keys()) - settled):
        known, tool = locked.tools[name], tools[name]
        equal = same(known.contract, project(tool)) if known.contract is not None else known.digest == _digest(tool)
        if not equal:
            differing.add(name)
        elif extended_of(tool) != known.extended:
            extended.append(name)
    return differing, extended


def _digest(tool: dict[str, Any]) -> str:
    try:
        return contract_digest(tool)
    except PeerError:  # the ambiguous contract is a change of its own
        return ""


def _sides(locked: LockedServer, current: Capture, tools: dict[str, dict[str, Any]], differing: set[str]) -> tuple[Capture, Capture]:
    """Both contracts as captures. A tool kept as digest alone stands on both sides as it is now: its digest is compared apart."""
    held = approved_capture(locked, current.server, current.profile)
    old = {str(tool["name"]): tool for tool in held.tools}
    for name, known in locked.tools.items():
        if known.contract is None:
            old[name] = _sorted(project(tools[name])) if name in tools else {"name": name, "inputSchema": {}}
            differing = differing - {name}
    new = {name: _sorted(project(tool)) if name in differing or name not in old else old[name] for name, tool in tools.items()}
    return (
        msgspec.structs.replace(held, tools=tuple(old[name] for name in sorted(old)), launch=Launch()),
        msgspec.structs.replace(current, tools=tuple(new[name] for name in sorted(new)), launch=Launch()),
    )


def _sorted(value: Any) -> Any:
    """The value with members in the order of the lockfile, so that no place in an order is compared with another kind of order."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(member) for member in value] if isinstance(value, list) else value


def _lock_change(kind: str, current: Capture, tool: str, pointer: str, before: Any, after: Any) -> Iterator[Change]:
    from witnessmark.rules._lock_kinds import LOCK_KINDS  # noqa: PLC0415 - only where something changed

    rule: Rule = LOCK_KINDS[kind]
    plain_before, plain_after = (msgspec.to_builtins(side) if isinstance(side, Launch) else side for side in (before, after))
    yield Change(
        tool=tool, kind=kind, pointer=pointer, old_caller=rule.old_caller, model_told=rule.model_told, confidence=rule.confidence,
        why=_why(kind, before, after), action=rule.action, before=plain_before, after=plain_after,
        fingerprint=fingerprint(current.server, current.profile, tool, kind, pointer, plain_after),
    )  # fmt: skip


def _why(kind: str, before: Any, after: Any) -> str:
    if kind == "digest-changed":
        return "the contract's digest is another, and its text was not kept"
    if kind == "extended-digest-changed":
        return "icons, _meta or other members are not what they were"
    if isinstance(before, Launch) and isinstance(after, Launch):
        if before.command != after.command:
            return f"the command was `{' '.join(before.command) or '-'}` and is `{' '.join(after.command) or '-'}`"
        if before.url != after.url:
            return f"the URL was {before.url or '-'} and is {after.url or '-'}"
    return "the names of its variables or headers are others"
