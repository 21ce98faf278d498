"""The lockfile: approved contracts as text that is made for review (contracts.md, "Lockfile").

JSON, members sorted, one scalar a line, a newline at the end: locking again without change gives the same bytes. What cannot
be read is an error that says why, never an empty lock: conflict markers, a truncated file, a newer format, another
projection, a contract whose text does not have the digest that stands beside it.
Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from witnessmark.contract.digest import contract_digest
from witnessmark.contract.projection import PROJECTION_VERSION
from witnessmark.contract.redaction import REDACTION_VERSION
from witnessmark.errors import InputError, PeerError
from witnessmark.model.capture import Capture, Launch
from witnessmark.wire.strictjson import JsonLimits, decode

FORMAT: Final = "lock/1"
MAX_LOCK_BYTES: Final = 256 << 20
"""The largest catalog of the corpus is 226 KB; a fleet's lockfile of a thousand such servers still fits."""
_CONFLICT: Final = re.compile(rb"^(?:<{7} |={7}$|>{7} |\|{7} )", re.MULTILINE)
_HINT_RESTORE: Final = "restore the file from version control, or lock anew"


class Approval(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a contract was approved (RFC 3339), by whom if known, why, and until when it holds."""

    when: str = ""
    by: str = ""
    why: str = ""
    until: str = ""


class LockedTool(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An approved tool: digest of its redacted projection, the extended digest (which never gates), and its text.

    `contract` is None where the user chose to keep the digest alone; a change can then be seen and not be shown.
    """

    digest: str
    approval: Approval
    extended: str = ""
    contract: dict[str, Any] | None = None


class LockedServer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The approved contract of one (server, profile)."""

    launch: Launch
    tools: dict[str, LockedTool]
    pages: int = 1
    protocol_version: str = ""
    server_name: str = ""
    server_version: str = ""
    capabilities: tuple[str, ...] = ()
    instructions: str | None = None
    instructions_approval: Approval | None = None


class Lock(msgspec.Struct, frozen=True, kw_only=True):
    """A whole lockfile: servers by name, each by profile."""

    witnessmark: str
    projection: int
    redaction: int
    redaction_rules: str
    salt: str
    servers: dict[str, dict[str, LockedServer]] = {}


def new_lock(salt: str, rules: str) -> Lock:
    """A lock without servers, under a fresh salt (32 hex) and a redaction rule set's digest."""
    return Lock(
        witnessmark=FORMAT, projection=PROJECTION_VERSION, redaction=REDACTION_VERSION, redaction_rules=rules, salt=salt, servers={}
    )


def dump(lock: Lock) -> bytes:
    """The lock as the bytes of its file."""
    text = json.dumps(msgspec.to_builtins(lock), indent=1, sort_keys=True, ensure_ascii=False)
    return (text + "\n").encode("utf-8", "surrogatepass")


def load(data: bytes, where: str) -> Lock:
    """The lock in the bytes of a file. Raises InputError that says what is wrong with it, where, and what to do."""
    conflict = _CONFLICT.search(data)
    if conflict is not None:
        line = data.count(b"\n", 0, conflict.start()) + 1
        raise InputError(
            "holds conflict markers of a merge", where=f"{where}:{line}", hint="resolve the merge, then run `witnessmark check`"
        )
    if not data.strip():
        raise InputError("is empty", where=where, hint=_HINT_RESTORE)
    decoded = decode(data, JsonLimits(max_bytes=MAX_LOCK_BYTES))
    if not decoded.has_value:
        finding = decoded.findings[0]
        line = data.count(b"\n", 0, finding.offset) + 1 if finding.offset is not None else 1
        what = "is cut short" if finding.offset is not None and finding.offset >= len(data.rstrip()) else f"cannot be read ({finding.kind})"
        raise InputError(what, where=f"{where}:{line}", hint=_HINT_RESTORE)
    if decoded.findings:
        raise InputError(f"has no single meaning ({decoded.findings[0].kind})", where=where, hint=_HINT_RESTORE)
    value = decoded.value
    if not isinstance(value, dict) or not isinstance(value.get("witnessmark"), str):
        raise InputError("is JSON, but no lockfile", where=where, hint='a lockfile has a member "witnessmark": "lock/1"')
    if value["witnessmark"] != FORMAT:
        raise InputError(f"is of format {value['witnessmark']!r}", where=where, hint=f"this version reads {FORMAT}: install a newer one")
    try:
        lock = msgspec.convert(value, Lock)
    except msgspec.ValidationError as error:
        raise InputError(str(error), where=where, hint=_HINT_RESTORE) from None
    _check(lock, where)
    return lock


def _check(lock: Lock, where: str) -> None:
    if lock.projection != PROJECTION_VERSION:
        raise InputError(
            f"was made under projection {lock.projection}",
            where=where,
            hint=f"projections never compare: lock anew under {PROJECTION_VERSION}",
        )
    for server, profiles in lock.servers.items():
        for profile, locked in profiles.items():
            for name, tool in locked.tools.items():
                place = f"{where}: /servers/{server}/{profile}/tools/{name}"
                if tool.contract is None:
                    continue
                try:
                    digest = contract_digest(tool.contract)
                except PeerError as error:
                    raise InputError(error.message, where=place, hint=_HINT_RESTORE) from None
                if digest != tool.digest or tool.contract.get("name") != name:
                    raise InputError(
                        "its text does not have the digest beside it: the file was edited by hand",
                        where=place,
                        hint="restore it from version control; a contract is approved with `witnessmark approve`",
                    )


def approved_capture(locked: LockedServer, server: str, profile: str) -> Capture:
    """The approved contract as a capture, to be compared with a current one; tools kept as digest alone are left out."""
    return Capture(
        server=server,
        profile="full" if profile == "full" else "bare",
        complete=True,
        tools=tuple(tool.contract for tool in locked.tools.values() if tool.contract is not None),
        instructions=locked.instructions,
        protocol_version=locked.protocol_version,
        server_name=locked.server_name,
        server_version=locked.server_version,
        capabilities=locked.capabilities,
        pages=locked.pages,
        launch=locked.launch,
    )
