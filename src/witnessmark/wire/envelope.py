"""What is kept of a frame that is too big to decode: the members of its envelope, none of its content.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from witnessmark.wire.jsonrpc import Message, parse
from witnessmark.wire.revisions import META_PROGRESS_TOKEN, META_PROTOCOL_VERSION
from witnessmark.wire.strictjson import Finding

FOLLOWED: Final = frozenset({(), ("params",), ("result",), ("error",), ("params", "_meta")})
"""Objects whose members are read."""

WANTED: Final = frozenset(
    {
        ("jsonrpc",),
        ("id",),
        ("method",),
        ("params",),
        ("result",),
        ("error",),
        ("result", "isError"),
        ("result", "resultType"),
        ("error", "code"),
        ("error", "message"),
        ("params", "name"),
        ("params", "_meta"),
        ("params", "_meta", META_PROGRESS_TOKEN),
        ("params", "_meta", META_PROTOCOL_VERSION),
    }
)
"""Members that stand in the skeleton."""

PRESENCE_ONLY: Final = frozenset({("error", "message")})
"""Wanted strings whose text is a peer's words: only that they are there is kept."""


class Envelope(msgspec.Struct, frozen=True):
    """What a frame says of itself, without its content.

    `skeleton` is the frame's value with all but the wanted members left out (a wanted member that is no scalar is an
    empty object or array); `size` is in bytes, `closed` is True once the root value is complete and nothing but
    whitespace followed; `batch` says that the root is an array, whose members are not read.
    """

    skeleton: dict[str, Any]
    size: int
    closed: bool
    batch: bool
    findings: tuple[Finding, ...]

    @property
    def ambiguous(self) -> bool:
        """True if a member of the envelope stood twice."""
        return any(finding.at_envelope for finding in self.findings)

    @property
    def has_result(self) -> bool:
        """True if a `result` member was seen."""
        return "result" in self.skeleton

    @property
    def has_error(self) -> bool:
        """True if an `error` member was seen."""
        return "error" in self.skeleton

    def message(self) -> Message:
        """The message by its skeleton: wanted members are real, all else is missing.

        Of a batch it is Invalid (EmptyBatch): its members were not read.
        """
        return parse([] if self.batch else self.skeleton)
