"""The lockfile: approved contracts as text that is made for review (contracts.md, "Lockfile").

JSON, members sorted, one scalar a line, a newline at the end: locking again without change gives the same bytes. Characters
that no reader sees are written as escapes. What cannot be read is an error that says why, never an empty lock: a newer
format, another projection, a contract whose text does not have the digest that stands beside it; what is wrong with the bytes
themselves is told by adapters/lock_file.py. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Final

import msgspec

from witnessmark.contract.digest import contract_digest
from witnessmark.contract.projection import PROJECTION_VERSION
from witnessmark.errors import InputError, PeerError
from witnessmark.model.capture import Capture, Launch, Profile

FORMAT: Final = "lock/1"
_FORMAT_SHOWN: Final = 40
"""Characters of an unknown format's name that an error repeats."""
PROFILES: Final[tuple[Profile, ...]] = ("bare", "full")
_HINT_RESTORE: Final = "restore the file from version control, or lock anew"
# How far `dump` indents: servers, a server, a profile, tools, a tool.
_PROFILE_DEPTH: Final = 3
_TOOL_DEPTH: Final = 5
_UNSEEN: Final = frozenset(("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"))
_BMP_LAST: Final = 0xFFFF


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
    """The approved contract of one (server, profile). `redaction` is the digest of the rule set under which its texts were kept:
    contracts of two rule sets are never compared.
    """

    launch: Launch
    redaction: str
    tools: dict[str, LockedTool]
    pages: int = 1
    protocol_version: str = ""
    server_name: str = ""
    server_version: str = ""
    capabilities: tuple[str, ...] = ()
    instructions: str | None = None
    instructions_approval: Approval | None = None


class Lock(msgspec.Struct, frozen=True, kw_only=True):
    """A whole lockfile: servers by name, each by profile. `salt` (32 hex) keys the hashes in placeholders."""

    witnessmark: str
    projection: int
    salt: str
    servers: dict[str, dict[str, LockedServer]] = {}


def new_lock(salt: str) -> Lock:
    """A lock without servers, under a fresh salt (32 hex)."""
    return Lock(witnessmark=FORMAT, projection=PROJECTION_VERSION, salt=salt, servers={})


def dump(lock: Lock) -> bytes:
    """The lock as the bytes of its file."""
    text = json.dumps(msgspec.to_builtins(lock), indent=1, sort_keys=True, ensure_ascii=False)
    if not text.isascii():
        text = "".join(map(_seen, text))
    return (text + "\n").encode()


def _seen(char: str) -> str:
    """The character, or the escape that JSON has for it where a reader of the file would not see it."""
    if char.isascii() or unicodedata.category(char) not in _UNSEEN:
        return char
    code = ord(char)
    if code <= _BMP_LAST:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def lines_of(text: str) -> dict[tuple[str, str, str], int]:
    """The line of each (server, profile, tool) in a lockfile's text as `dump` writes it; of each entry under the tool ""."""
    found: dict[tuple[str, str, str], int] = {}
    path = [""] * 6
    for number, line in enumerate(text.splitlines(), start=1):
        depth = len(line) - len(line.lstrip(" "))
        if not 0 < depth < len(path) or not line.endswith("{"):
            continue
        path[depth] = json.loads(line.strip().removesuffix("{").rstrip().removesuffix(":"))
        if path[1] == "servers" and depth == _PROFILE_DEPTH:
            found[path[2], path[3], ""] = number
        elif path[1] == "servers" and depth == _TOOL_DEPTH and path[4] == "tools":
            found[path[2], path[3], path[5]] = number
    return found


def lock_of(value: object, where: str) -> Lock:
    """The lock in a decoded file. Raises InputError that says what is wrong with it, where, and what to do."""
    if not isinstance(value, dict) or not isinstance(value.get("witnessmark"), str):
        raise InputError("is JSON, but no lockfile", where=where, hint='a lockfile has a member "witnessmark": "lock/1"')
    if value["witnessmark"] != FORMAT:
        raise InputError(
            f"is of format {value['witnessmark'][:_FORMAT_SHOWN]!a}", where=where, hint=f"this version reads {FORMAT}: install a newer one"
        )
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
            if profile not in PROFILES:
                raise InputError(f"{profile[:_FORMAT_SHOWN]!a} is no profile", where=f"{where}: /servers/{server}", hint=_HINT_RESTORE)
            for name, tool in locked.tools.items():
                _check_tool(name, tool, f"{where}: /servers/{server}/{profile}/tools/{name}")


def _check_tool(name: str, tool: LockedTool, place: str) -> None:
    """InputError unless the text has the digest beside it."""
    if tool.contract is None:
        return
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


def known_profile(name: str) -> Profile:
    """The profile of that name in a lockfile that was read."""
    return "full" if name == "full" else "bare"


def approved_capture(locked: LockedServer, server: str, profile: Profile) -> Capture:
    """The approved contract as a capture, to be compared with a current one; tools kept as digest alone are left out."""
    return Capture(
        server=server,
        profile=profile,
        complete=True,
        tools=tuple(tool.contract for _, tool in sorted(locked.tools.items()) if tool.contract is not None),
        instructions=locked.instructions,
        protocol_version=locked.protocol_version,
        server_name=locked.server_name,
        server_version=locked.server_version,
        capabilities=locked.capabilities,
        pages=locked.pages,
        launch=locked.launch,
    )
