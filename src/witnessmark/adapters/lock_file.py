"""The lockfile on disk and in git: read strictly, written whole or not at all."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from witnessmark.adapters.input_files import unreadable
from witnessmark.contract.lockfile import Lock, dump, lines_of, lock_of
from witnessmark.errors import InputError, WorldError
from witnessmark.wire.strictjson import MAX_DEPTH, Decoded, JsonFinding, JsonLimits, decode

LOCKFILE: Final = "witnessmark.lock"
"""Its name in the working directory, where no other file is named."""
MAX_LOCK_BYTES: Final = 256 << 20
"""The largest catalog of the corpus is 226 KB; a fleet's lockfile of a thousand such servers still fits."""
GIT_S: Final = 30.0
"""One blob out of a local repository: what takes longer waits for a password or a network."""

_LIMITS: Final = JsonLimits(max_bytes=MAX_LOCK_BYTES, max_depth=MAX_DEPTH + 8)
# A contract stands seven levels deep in the file, and four deep in the answer whose levels were limited.
_CONFLICT: Final = re.compile(rb"^(?:<{7} |={7}\r?$|>{7} |\|{7} )", re.MULTILINE)
_HINT_RESTORE: Final = "restore the file from version control, or lock anew"


class ReadLock(NamedTuple):
    """A lock, where it was read, and the bytes that it was read from (None where there is no file)."""

    lock: Lock | None
    where: str
    data: bytes | None = None


def parse(data: bytes, where: str) -> Lock:
    """The lock in these bytes. InputError that says what is wrong, where (file and line), and what to do."""
    conflict = _CONFLICT.search(data)
    if conflict is not None:
        line = data.count(b"\n", 0, conflict.start()) + 1
        raise InputError(
            "holds conflict markers of a merge", where=f"{where}:{line}", hint="resolve the merge, then run `witnessmark check`"
        )
    if not data.strip():
        raise InputError("is empty", where=where, hint=_HINT_RESTORE)
    return lock_of(decoded_file(data, where, _HINT_RESTORE).value, where)


def decoded_file(data: bytes, where: str, hint: str) -> Decoded:
    """The JSON value of a file. InputError for a text without a value, or with more than one reading."""
    decoded = decode(data, _LIMITS)
    if not decoded.has_value:
        finding = decoded.findings[0]
        line = data.count(b"\n", 0, finding.offset) + 1 if finding.offset is not None else 1
        cut = finding.offset is not None and (finding.offset >= len(data.rstrip()) or finding.detail.startswith("Unterminated"))
        raise InputError("is cut short" if cut else f"cannot be read ({finding.kind})", where=f"{where}:{line}", hint=hint)
    # A lone surrogate is written as an escape and has one reading; everything else has two.
    doubtful = [finding.kind for finding in decoded.findings if finding.kind is not JsonFinding.LONE_SURROGATE]
    if doubtful:
        raise InputError(f"has no single meaning ({doubtful[0]})", where=where, hint=hint)
    return decoded


def read_lock(path: str) -> ReadLock:
    """The lock in a file; without one where there is no file. InputError where it is not what it must be."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_LOCK_BYTES + 1)
    except FileNotFoundError:
        return ReadLock(None, path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    return ReadLock(parse(data, path), path, data)


def lock_lines(path: str) -> dict[tuple[str, str, str], int]:
    """The line of each (server, profile, tool) in a lockfile, of each entry under the tool ""; empty where it cannot be read."""
    try:
        read = read_lock(path)
    except InputError:
        return {}
    return lines_of(read.data.decode("utf-8", "replace")) if read.data is not None else {}


def read_revision(path: str, revision: str) -> ReadLock:
    """The lock as it stands in a git revision, so that a change cannot approve itself; without one where it has no such file."""
    where = f"{revision}:{path}"
    data = git_file(path, revision)
    return ReadLock(None, where) if data is None else ReadLock(parse(data, where), where, data)


def git_file(path: str, revision: str) -> bytes | None:
    """The bytes of a file in a git revision; None where that revision lacks it. InputError where there is no such revision."""
    folder, name = os.path.split(os.path.abspath(path))
    if not revision or revision.startswith("-"):
        raise InputError("is no git revision", where=repr(revision), hint="name a commit, a tag or a branch")
    known = _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if known.returncode:
        raise InputError(
            "is no git revision here", where=revision, hint="fetch it first: a shallow clone lacks the base (git fetch origin BRANCH)"
        )
    # `cat-file` and not `show`: no text conversion of somebody's configuration is run.
    found = _git(folder, "cat-file", "blob", f"{known.stdout.decode().strip()}:./{name}")
    return None if found.returncode else found.stdout


def _git(folder: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", "-C", folder, *words],
            capture_output=True,
            check=False,
            timeout=GIT_S,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"},
        )
    except FileNotFoundError as error:
        raise WorldError("git is not installed", where="git", hint="install git, or leave out --lockfile-from") from error
    except subprocess.TimeoutExpired as error:
        raise WorldError(f"git did not answer within {GIT_S:g} s", where="git", hint="see what `git status` says") from error


def git_user(folder: str = ".") -> str:
    """The name that git has for its user, else $USER, else nothing."""
    with suppress(WorldError):
        found = _git(folder, "config", "user.name")
        if not found.returncode:
            return found.stdout.decode("utf-8", "replace").strip()
    return os.environ.get("USER", "")


def write_lock(read: ReadLock, lock: Lock) -> bool:
    """Write the lock where it was read; False, and nothing written, where its bytes are what they were.

    Written beside the file and renamed: whatever goes wrong, the old file stays. InputError where somebody else changed it
    meanwhile. A file keeps its mode, a symbolic link stays one.
    """
    data = dump(lock)
    if data == read.data:
        return False
    target = os.path.realpath(read.where)
    try:
        _unchanged(read, target)
        _replace(target, data)
    except OSError as error:
        raise WorldError(
            f"could not be written: {error.strerror or error}; it is as it was", where=read.where, hint="check its folder's room and mode"
        ) from error
    return True


def _unchanged(read: ReadLock, target: str) -> None:
    try:
        with Path(target).open("rb") as file:
            current = file.read(MAX_LOCK_BYTES + 1)
    except FileNotFoundError:
        current = None
    if current != read.data:
        raise InputError("was changed by somebody else meanwhile", where=read.where, hint="run the command again")


def _replace(target: str, data: bytes) -> None:
    folder = os.path.dirname(target)
    try:
        mode = os.stat(target).st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    descriptor, name = tempfile.mkstemp(prefix=f".{os.path.basename(target)}.", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    with suppress(OSError):  # some file systems cannot sync a folder; the rename is done
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
