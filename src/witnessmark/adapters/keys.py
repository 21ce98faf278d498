"""The keys of keyed hashes: a small file beside the store that only its owner can read, never exported.

The newest key hashes; the older ones stay, so that what they hashed can still be joined until somebody forgets them.
Hashes under different keys never compare (verdicts.md section 1): after a rotation a join over both is unknown.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from witnessmark.errors import InputError, StoreError, StoreReadOnly, UsageError

FORMAT: Final = "keys/1"
SECRET_BYTES: Final = 32
"""256 bits: the block that HMAC-SHA-256 makes full use of (RFC 2104 section 3)."""
_ID_BYTES: Final = 4
"""Ids only tell the keys of one file apart; eight hex digits stay readable in a hash."""
_MAX_FILE_BYTES: Final = 1024 * 1024
"""Ten thousand rotations; a longer file is not ours."""


class HashKey(msgspec.Struct, frozen=True):
    """A key of keyed hashes: its id (which every hash names), when it was made, and the secret."""

    id: str
    created_us: int
    secret: bytes

    def __repr__(self) -> str:
        """The key without its secret: a repr ends up in messages and logs."""
        return f"HashKey(id={self.id!r}, created_us={self.created_us})"


class _File(msgspec.Struct):
    witnessmark: str
    keys: list[HashKey]


def keys_path(store_path: str | os.PathLike[str]) -> Path:
    """Where the keys of a store lie: beside it."""
    return Path(f"{os.fspath(store_path)}.keys.json")


class KeyFile:
    """The keys of one store. Raises InputError for a damaged file, StoreReadOnly where permissions are in the way.

    Every change is a whole new file put in the place of the old one; two processes that change it at once take turns.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def active(self, now_us: int) -> HashKey:
        """The key to hash with; the first use makes it."""
        keys = self.keys()
        if not keys:
            with self._changing():
                # Another process may have been first.
                keys = self.keys() or self._write([_new_key(now_us, set())])
        return keys[-1]

    def keys(self) -> list[HashKey]:
        """All keys, oldest first; empty where there is no file yet."""
        name = str(self.path)
        try:
            with self.path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                data = file.read(_MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreReadOnly(
                f"the key file cannot be read ({error.strerror})", where=name, hint="check owner and permissions"
            ) from error
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InputError(
                "other users of this host may read the hash keys, and so guess what was hashed",
                where=name,
                hint=f"chmod 600 '{name}', then `witnessmark doctor` tells whether to rotate the key",
            )
        return _decoded(data, name)

    def rotate(self, now_us: int) -> HashKey:
        """A new key, active from now on; the older ones stay for joining."""
        with self._changing():
            keys = self.keys()
            return self._write([*keys, _new_key(now_us, {key.id for key in keys})])[-1]

    def forget(self, key_id: str) -> None:
        """Remove an old key: what it hashed can never be joined again. UsageError for the active key, or an unknown one."""
        with self._changing():
            keys = self.keys()
            if key_id not in {key.id for key in keys}:
                raise UsageError(f"no key {key_id!r}", where=str(self.path), hint="known keys: " + ", ".join(key.id for key in keys))
            if keys[-1].id == key_id:
                raise UsageError(f"key {key_id!r} is the active one", where=str(self.path), hint="rotate first, then forget it")
            self._write([key for key in keys if key.id != key_id])

    def _write(self, keys: list[HashKey]) -> list[HashKey]:
        name = str(self.path)
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        data = msgspec.json.format(msgspec.json.encode(_File(FORMAT, keys)), indent=2) + b"\n"
        try:
            temporary.unlink(missing_ok=True)
            descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise StoreError(
                f"the key file cannot be written ({error.strerror})", where=name, hint="check the directory's permissions and room"
            ) from error
        return keys

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the directory's lock: of two processes that make the first key, one must use the other's."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path.parent, os.O_RDONLY)
        except OSError as error:
            hint = "check the directory's permissions"
            raise StoreReadOnly(f"the key file cannot be made ({error.strerror})", where=str(self.path), hint=hint) from error
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    try:
        import fcntl  # noqa: PLC0415 - not on every platform
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def _new_key(now_us: int, taken: set[str]) -> HashKey:
    while (key_id := "k" + os.urandom(_ID_BYTES).hex()) in taken:
        pass
    return HashKey(key_id, now_us, os.urandom(SECRET_BYTES))


def _decoded(data: bytes, name: str) -> list[HashKey]:
    hint = "restore it from a backup; a new file makes a new key, and older hashes can then never be joined"
    if len(data) > _MAX_FILE_BYTES:
        raise InputError(f"a key file of more than {_MAX_FILE_BYTES} bytes", where=name, hint=hint)
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the key file is damaged: {error}", where=name, hint=hint) from error
    if file.witnessmark != FORMAT:
        raise InputError(f"a key file of the format {file.witnessmark!r}", where=name, hint=f"this version reads {FORMAT}")
    ids = {key.id for key in file.keys}
    if not file.keys or len(ids) != len(file.keys) or any(len(key.secret) != SECRET_BYTES or not key.id for key in file.keys):
        raise InputError("the key file is damaged: no keys, two of one id, or a secret of another length", where=name, hint=hint)
    return file.keys
