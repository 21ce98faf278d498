"""Names for what begins: a session, a run, the host that observes, a server that was given no name."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import PurePath
from typing import Final

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS: Final = 80
_ID_CHARS: Final = 26
_HOST_DIGITS: Final = 12
"""48 bits: enough to tell the hosts of one organisation apart, and no name to read."""

_LAUNCHERS: Final = frozenset(
    {"python", "python3", "node", "npx", "uvx", "uv", "env", "sh", "bash", "bunx", "deno", "docker", "pipx", "run"}
)
_SUFFIXES: Final = frozenset({".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".exe"})


def new_id(now_us: int) -> str:
    """An id that sorts by time and repeats nowhere: 48 bits of milliseconds, 80 random bits, in 26 letters (as a ULID)."""
    number = ((now_us // 1000) << _RANDOM_BITS) | int.from_bytes(os.urandom(_RANDOM_BITS // 8))
    return "".join(_CROCKFORD[(number >> shift) & 31] for shift in range(5 * (_ID_CHARS - 1), -1, -5))


def observer_source() -> str:
    """The source of a proxy's evidence: equal for all proxies of this host, and telling nothing else about it."""
    return "proxy:" + sha256(os.uname().nodename.encode()).hexdigest()[:_HOST_DIGITS]


def server_name(command: tuple[str, ...]) -> str:
    """A name for the server that `command` starts: its first word that is neither a launcher nor an option, without path."""
    for word in command:
        path = PurePath(word)
        if word.startswith("-") or path.name.rstrip("0123456789.") in _LAUNCHERS or not path.name:
            continue
        return path.stem if path.suffix in _SUFFIXES else path.name
    return PurePath(command[0]).name
