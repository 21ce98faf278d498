"""The parameters that a destination query needs, encrypted while the effect is open (verdicts.md section 1, the one exception).

A file of its own beside the store, so that no export, no copy of the log and no journal of it can carry them. AES-256-GCM under
a key derived from the host's hash key; the run and the call are authenticated with them. Deleted when the effect is settled.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Final

import msgspec

from witnessmark.adapters.asking.question import Unanswered
from witnessmark.adapters.keys import HashKey, KeyFile
from witnessmark.errors import StoreError

MAX_BYTES: Final = 64 * 1024
"""Parameters of one call: names, keys and numbers; what is longer is a document, and no query needs it."""
_NONCE_BYTES: Final = 12
_WAIT_S: Final = 5.0
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS held (run TEXT, call TEXT, key TEXT NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (run, call)) WITHOUT ROWID"
)


class HeldParameters:
    """The held parameters of one store. Needs the extra `sign`; StoreError where they cannot be kept."""

    def __init__(self, store_path: str, keys: KeyFile) -> None:
        self.path = f"{store_path}.held.sqlite"
        self._keys = keys

    def hold(self, run: str, call: str, values: Mapping[str, Any], now_us: int) -> bool:
        """Keep them until the effect is settled; False where they are too many to keep."""
        plain = msgspec.json.encode(values)
        if len(plain) > MAX_BYTES:
            return False
        key, nonce = self._keys.active(now_us), os.urandom(_NONCE_BYTES)
        sealed = nonce + _cipher(key).encrypt(nonce, plain, _bound(run, call))
        with self._open() as database:
            database.execute("INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?)", (run, call, key.id, sealed))
        return True

    def values(self, run: str, call: str) -> dict[str, Any]:
        """What was held; Unanswered where nothing is, or where its key is forgotten or another's."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra

        with self._open() as database:
            row = database.execute("SELECT key, sealed FROM held WHERE run = ? AND call = ?", (run, call)).fetchone()
        if row is None:
            raise Unanswered("not_held")
        key = {one.id: one for one in self._keys.keys()}.get(row[0])  # noqa: SIM118 - no mapping
        if key is None:
            raise Unanswered("held_key_missing")
        try:
            plain = _cipher(key).decrypt(row[1][:_NONCE_BYTES], row[1][_NONCE_BYTES:], _bound(run, call))
        except InvalidTag:
            raise Unanswered("held_key_missing") from None
        return dict(msgspec.json.decode(plain))

    def settle(self, run: str, call: str) -> None:
        """Delete what was held for a call; nothing happens where nothing is."""
        with self._open() as database:
            database.execute("DELETE FROM held WHERE run = ? AND call = ?", (run, call))

    def forget_run(self, run: str) -> None:
        """Delete what was held for a whole run."""
        with self._open() as database:
            database.execute("DELETE FROM held WHERE run = ?", (run,))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            with closing(sqlite3.connect(self.path, timeout=_WAIT_S)) as database, database:
                # No journal that outlives the transaction, and what is deleted is overwritten.
                database.execute("PRAGMA secure_delete = ON")
                database.execute(_SCHEMA)
                yield database
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"held parameters cannot be kept ({type(error).__name__})", where=self.path, hint="check permissions and room"
            ) from error


def _bound(run: str, call: str) -> bytes:
    return msgspec.json.encode((run, call))


def _cipher(key: HashKey) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415
    except ImportError as error:
        raise StoreError("parameters cannot be encrypted here", hint="install witnessmark[sign]") from error
    return AESGCM(HKDF(SHA256(), 32, None, b"witnessmark held parameters 1").derive(key.secret))
