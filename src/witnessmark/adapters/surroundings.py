"""What this machine offers the program: versions, the store and its keys, peers, clients. Looks only; makes and changes nothing."""

from __future__ import annotations

import os
import platform
import sqlite3
import stat
import sys
from importlib import metadata
from pathlib import Path
from typing import Final, Literal, NamedTuple

from witnessmark import __version__
from witnessmark.adapters.client_files import ClientFile, client_files
from witnessmark.adapters.keys import KeyFile, keys_path
from witnessmark.adapters.store.location import default_path, open_store, store_path
from witnessmark.adapters.store.migrate import SCHEMA_VERSION
from witnessmark.errors import WitnessmarkError

Status = Literal["ok", "note", "bad"]

OLDEST_PYTHON: Final = (3, 11)
OLDEST_SQLITE: Final = (3, 37, 0)
"""STRICT tables came with SQLite 3.37 (2021-11-27)."""
BASE: Final = ("click", "msgspec", "rfc8785", "jsonschema-rs")
PEERS: Final = ("mcp", "mcp-server-git", "mcp-server-time")
SUPPORTED: Final = {"linux": "Linux", "darwin": "macOS"}


class Check(NamedTuple):
    """One line of the report: what was looked at, how it stands, what was found, what to do."""

    area: str
    subject: str
    status: Status
    found: str
    hint: str = ""


def checks(store: str | None) -> list[Check]:
    """Everything that is looked at, in the order in which a person reads it."""
    return [*_versions(), *_store(store), *_peers(), *_clients(client_files())]


def _as(worse: Status, *, unless: bool) -> Status:
    return "ok" if unless else worse


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _versions() -> list[Check]:
    python = platform.python_version()
    found = [
        Check("program", "witnessmark", "ok", __version__),
        Check("program", "python", _as("bad", unless=sys.version_info >= OLDEST_PYTHON), python, "needs 3.11 or newer"),
        Check(
            "program",
            "sqlite",
            "ok" if sqlite3.sqlite_version_info >= OLDEST_SQLITE else "bad",
            sqlite3.sqlite_version,
            "needs 3.37 or newer",
        ),
    ]
    supported = SUPPORTED.get(sys.platform)
    if supported:
        found.append(Check("program", "platform", "ok", f"{supported} {platform.machine()}"))
    else:
        found.append(
            Check("program", "platform", "note", platform.system(), "Linux and macOS are supported; elsewhere only what is tested works")
        )
    for distribution in BASE:
        version = _version(distribution)
        found.append(
            Check("program", distribution, _as("bad", unless=bool(version)), version or "not installed", "install witnessmark again")
        )
    return found


def _store(given: str | None) -> list[Check]:
    try:
        path = Path(store_path(given or default_path()))
    except WitnessmarkError as error:
        return [Check("store", "place", "bad", error.message, error.hint)]
    found = [Check("store", "place", "ok", str(path))]
    found += _existing(path) if path.exists() else [_makeable(path)]
    found.append(_keys(path))
    return found


def _makeable(path: Path) -> Check:
    folder = next((parent for parent in path.parents if parent.exists()), None)
    if folder is not None and folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return Check("store", "file", "note", "not there yet", "the first observation makes it")
    return Check(
        "store", "file", "bad", f"cannot be made: {folder} may not be written", "name another place with --store or WITNESSMARK_STORE"
    )


def _existing(path: Path) -> list[Check]:
    found = []
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        found.append(Check("store", "mode", "bad", f"{mode:04o}: other users may read or write it", f"chmod 600 '{path}'"))
    else:
        found.append(Check("store", "mode", "ok", f"{mode:04o}"))
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    found.append(
        Check(
            "store",
            "writable",
            "ok" if writable else "bad",
            "yes" if writable else "no",
            "check owner and mode of the file and its directory",
        )
    )
    try:
        opened = open_store(path, write=False)
    except WitnessmarkError as error:
        found.append(Check("store", "readable", "bad", error.message, error.hint))
        return found
    opened.close()
    found.append(Check("store", "schema", "ok", str(SCHEMA_VERSION)))
    found.append(Check("store", "durability", "ok", 'the proxy\'s choice: "process" unless --durability power'))
    return found


def _keys(store: Path) -> Check:
    path = keys_path(store)
    try:
        keys = KeyFile(path).keys()
    except WitnessmarkError as error:
        return Check("store", "hash key", "bad", error.message, error.hint)
    if not keys:
        return Check("store", "hash key", "note", "not there yet", "the first observation makes it")
    return Check("store", "hash key", "ok", f"{keys[-1].id}, {len(keys)} in all, readable by its owner only")


def _peers() -> list[Check]:
    found = []
    for distribution in PEERS:
        version = _version(distribution)
        found.append(
            Check(
                "demo",
                distribution,
                "ok" if version else "note",
                version or "not installed",
                'pip install "witnessmark[demo]" for `witnessmark demo`',
            )
        )
    return found


def _clients(files: list[ClientFile]) -> list[Check]:
    if not files:
        return [Check("clients", "configuration", "note", "no configuration file of a known client here", "")]
    found = []
    for file in files:
        if file.problem:
            found.append(Check("clients", file.client, "note", f"{file.path}: {file.problem}", "the client itself may say more"))
            continue
        found.append(_client(file))
    return found


def _client(file: ClientFile) -> Check:
    watched = [server.name for server in file.servers if server.watched]
    local = [server.name for server in file.servers if server.kind == "stdio" and not server.watched]
    remote = [server.name for server in file.servers if server.kind != "stdio"]
    labelled = (("watched", watched), ("stdio, not watched", local), ("not stdio", remote))
    parts = [f"{label}: {', '.join(names)}" for label, names in labelled if names]
    hint = "put `witnessmark proxy --server NAME --` in front of the command" if local else ""
    return Check("clients", file.client, "note" if local else "ok", f"{file.path}: {'; '.join(parts) or 'names no server'}", hint)
