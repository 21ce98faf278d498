"""Catalogs out of files, whatever shape they have (formats.md, "Catalog (JSON), in"), and out of git revisions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, NamedTuple

from witnessmark.adapters.input_files import opened, unreadable
from witnessmark.adapters.lock_file import MAX_LOCK_BYTES, decoded_file, git_file, parse
from witnessmark.contract.lockfile import FORMAT, Lock, approved_capture, known_profile
from witnessmark.contract.wire_tool import read_tool
from witnessmark.errors import InputError, PeerError
from witnessmark.model.capture import Capture, Profile

_EXPECTED: Final = "expected a tools/list result, a whole JSON-RPC response, an object with `tools`, an array of tools, or a lockfile"
_NAME_SHOWN: Final = 128


class CatalogFile(NamedTuple):
    """What a file holds: the captures of a lockfile by server and profile, or one catalog; `lock` where it is a lockfile."""

    captures: tuple[Capture, ...]
    lock: Lock | None = None


def is_file_operand(operand: str) -> bool:
    """Whether the operand names a file here, standard input, or `REV:PATH`: no URL, and no name of a server."""
    return operand == "-" or os.path.exists(operand) or (":" in operand and "://" not in operand)


def read_catalogs(operand: str, profile: Profile = "full") -> CatalogFile:
    """The catalogs in a file, on standard input (`-`), or in `REV:PATH`. InputError where it is none, and why."""
    if operand != "-" and not os.path.exists(operand) and ":" in operand:
        revision, _, path = operand.partition(":")
        data = git_file(path, revision)
        if data is None:
            raise InputError("is not in that revision", where=operand, hint=f"see `git ls-tree {revision}`")
        return catalogs(data, operand, Path(path).stem, profile)
    with opened(operand) as (file, name):
        try:
            data = file.read(MAX_LOCK_BYTES + 1)
        except OSError as error:
            raise unreadable(operand, error) from error
    return catalogs(data, name, Path(operand).stem if operand != "-" else "standard input", profile)


def catalogs(data: bytes, where: str, name: str, profile: Profile) -> CatalogFile:
    """The catalogs in these bytes; `name` is the server's where the file does not tell."""
    if b'"witnessmark"' in data[:MAX_LOCK_BYTES] and FORMAT.encode() in data:
        lock = parse(data, where)
        found = [
            approved_capture(locked, server, known_profile(one))
            for server, profiles in sorted(lock.servers.items())
            for one, locked in sorted(profiles.items())
        ]
        return CatalogFile(tuple(found), lock)
    if not data.strip():
        raise InputError("is empty", where=where, hint=_EXPECTED)
    value = decoded_file(data, where, _EXPECTED).value
    return CatalogFile((_catalog(value, where, name, profile),))


def _catalog(value: Any, where: str, name: str, profile: Profile) -> Capture:
    if isinstance(value, dict) and "error" in value and "result" not in value:
        raise InputError("is the answer to a request that failed", where=where, hint=_EXPECTED)
    result = value["result"] if isinstance(value, dict) and isinstance(value.get("result"), dict) else value
    tools = result.get("tools") if isinstance(result, dict) else result
    if not isinstance(tools, list):
        raise InputError("holds no catalog", where=where, hint=_EXPECTED)
    members: dict[str, Any] = result if isinstance(result, dict) else {}
    kept, ambiguous = _tools(tools, where)
    cut = members.get("nextCursor") is not None
    instructions = members.get("instructions")
    info = members.get("serverInfo")
    return Capture(
        server=name,
        profile=profile,
        complete=not cut,
        reason="it is one page of several: `nextCursor` is set" if cut else "",
        tools=kept,
        ambiguous=ambiguous,
        instructions=instructions if isinstance(instructions, str) else None,
        protocol_version=_text(members, "protocolVersion"),
        server_name=_text(info, "name"),
        server_version=_text(info, "version"),
        pages=1,
    )


def _text(members: Any, name: str) -> str:
    value = members.get(name) if isinstance(members, dict) else None
    return value if isinstance(value, str) else ""


def _tools(tools: list[Any], where: str) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    """The tools that have a contract, and the names of those that have none. Two contracts under one name are an error."""
    from witnessmark.contract.digest import contract_digest  # noqa: PLC0415 - the canonical form is loaded where something is read

    found: dict[str, dict[str, Any]] = {}
    ambiguous: dict[str, None] = {}
    for index, value in enumerate(tools):
        tool = read_tool(value)
        if not tool.has_contract:
            ambiguous[tool.name or f"#{index}"] = None
            continue
        known = found.setdefault(tool.name, tool.members)
        if known is tool.members:
            continue
        try:
            equal = contract_digest(known) == contract_digest(tool.members)
        except PeerError:
            ambiguous[tool.name] = None
            continue
        if not equal:
            raise InputError(
                f"two tools are named {tool.name[:_NAME_SHOWN]!a} and have different definitions",
                where=where,
                hint="a server must give each tool one name",
            )
    return tuple(tool for name, tool in found.items() if name not in ambiguous), tuple(ambiguous)
