"""Client files on disk: which of them are meant, what would change in each, and writing that loses nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from witnessmark.adapters.client_files_places import Place
from witnessmark.adapters.client_files_text import MAX_FILE_BYTES, Unreadable
from witnessmark.adapters.places import state_directory
from witnessmark.adapters.server_entry import slug
from witnessmark.adapters.wrap.rewriting import Change, Rewriting, rewritten
from witnessmark.errors import InputError, UsageError, WorldError

BACKUPS: Final = "client-files"
"""Folder of the state directory that holds the old bytes of rewritten files: beside the file a client might read them as well."""
_DIGEST_DIGITS: Final = 12
_SYSTEM: Final = "(system)"
_AGAIN: Final = "run the command again"


class Chosen(NamedTuple):
    """The places that are meant, and those that exist and are only looked at when they are named, with why."""

    meant: tuple[Place, ...]
    unnamed: tuple[tuple[Place, str], ...]


class Planned(NamedTuple):
    """A file, its bytes as they were read, and what the change makes of them; `problem` where it could not be read."""

    place: Place
    before: bytes
    after: Rewriting
    problem: str = ""


def choose(places: Iterable[Place], clients: Sequence[str]) -> Chosen:
    """The existing files that the words mean: names of clients as `servers` shows them or as one word, or paths of their files.

    Without words those of the user. UsageError for a word that means no client that is known, or one without a file here.
    """
    known = _once(places)
    there = [place for place in known if place.path.is_file()]
    if not clients:
        meant = [place for place in there if not _why_named(place)]
        return Chosen(tuple(meant), tuple((place, _why_named(place)) for place in there if _why_named(place)))
    found: dict[Path, Place] = {}
    for word in clients:
        fits = [place for place in known if slug(word) == slug(place.client) or os.path.abspath(word) == os.path.abspath(place.path)]
        if not fits:
            names = ", ".join(dict.fromkeys(slug(place.client) for place in (there or known)))
            raise UsageError(f"no client {word!a}", hint=f"one of: {names}; or the path of a file that `witnessmark servers` lists")
        here = [place for place in fits if place in there]
        if not here:
            raise UsageError(f"{fits[0].client} has no configuration file here", where=str(fits[0].path), hint="name another client")
        found.update((place.path, place) for place in here)
    return Chosen(tuple(found.values()), ())


def _once(places: Iterable[Place]) -> list[Place]:
    """Each file once, as the first place that means it: in the home directory a project's file is the user's own."""
    found: dict[str, Place] = {}
    for place in places:
        found.setdefault(os.path.realpath(place.path), place)
    return list(found.values())


def _why_named(place: Place) -> str:
    if place.trust == "project":
        return "is a project's file, which others may share"
    return "is for all users of this machine" if place.client.endswith(_SYSTEM) else ""


def plan(place: Place, change: Change) -> Planned:
    """What the change would make of the file; nothing is written."""
    before = b""
    try:
        before = _read(place.path)
        return Planned(place, before, rewritten(before, place, change))
    except (OSError, Unreadable) as error:
        problem = (error.strerror or type(error).__name__) if isinstance(error, OSError) else str(error)
        return Planned(place, before, Rewriting(before, (), ()), problem)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


def write(planned: Planned, environment: Mapping[str, str] | None = None) -> Path:
    """Write the file as planned; the path of the backup of its old bytes.

    Written beside it and renamed, so that whatever goes wrong the old file stays; owner and mode are kept, and of a symbolic
    link the target is written. InputError where somebody changed the file since it was read; WorldError where it cannot be done.
    """
    shown = str(planned.place.path)
    target = Path(os.path.realpath(planned.place.path))
    try:
        _may_be_written(target, shown)
        _unchanged(planned, target)
        backup = _backed_up(planned, state_directory(environment) / BACKUPS)
        _replace(planned, target)
    except OSError as error:
        raise WorldError(
            f"could not be written: {error.strerror or error}; it is as it was", where=shown, hint="check its folder's room, owner and mode"
        ) from error
    return backup


def _may_be_written(target: Path, shown: str) -> None:
    # Renaming would replace a file that its owner made read-only: whoever did that meant it.
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK):
        raise WorldError("is read-only; it is as it was", where=shown, hint="make it writable first, if you mean it")


def _unchanged(planned: Planned, target: Path) -> None:
    try:
        current = _read(target)
    except FileNotFoundError:
        current = None
    if current != planned.before:
        raise InputError("was changed by another program meanwhile; nothing was written", where=str(planned.place.path), hint=_AGAIN)


def _backed_up(planned: Planned, folder: Path) -> Path:
    try:
        return _backup(planned, folder)
    except OSError as error:
        raise WorldError(
            f"the old file could not be kept: {error.strerror or error}; nothing was written",
            where=str(folder),
            hint="check the room and mode of the state directory",
        ) from error


def _backup(planned: Planned, folder: Path) -> Path:
    """The old bytes in a file of their own, readable by the user alone: they hold what the client's file holds."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest = sha256(planned.before).hexdigest()[:_DIGEST_DIGITS]
    path = folder / f"{slug(planned.place.client)}-{digest}-{planned.place.path.name.lstrip('.')}"
    if path.is_file() and path.read_bytes() == planned.before:
        return path
    descriptor, name = tempfile.mkstemp(prefix=".backup-", dir=folder)  # mode 0600
    _filled(descriptor, name, planned.before)
    os.replace(name, path)
    return path


def _filled(descriptor: int, name: str, data: bytes) -> None:
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _replace(planned: Planned, target: Path) -> None:
    was = target.stat()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    _filled(descriptor, name, planned.after.data)
    try:
        made = os.stat(name)
        if (made.st_uid, made.st_gid) != (was.st_uid, was.st_gid):
            os.chown(name, was.st_uid, was.st_gid)
        os.chmod(name, was.st_mode & 0o7777)
        _unchanged(planned, target)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    with suppress(OSError):  # some file systems cannot sync a folder; the rename is done
        opened = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
