"""Facts about bytes that are not what the protocol demands: a finding's name, a size, an offset, never the bytes.

`fatal` is said where a message may be lost in them. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final

from witnessmark.model.evidence import Side, WireMalformed
from witnessmark.observe.channel import Channel
from witnessmark.wire.jsonrpc import EnvelopeFinding
from witnessmark.wire.strictjson import Finding, JsonFinding

JUNK_LINE: Final = "JunkLine"
CONTENT_LENGTH_FRAMING: Final = "ContentLengthFraming"
CRLF_LINE_END: Final = "CrlfLineEnd"
BATCH_NOT_ALLOWED: Final = "BatchNotAllowed"
DUPLICATE_REQUEST_ID: Final = "DuplicateRequestId"
TRUNCATED_LINE: Final = "TruncatedLine"

MESSAGE_MARK: Final = b'"jsonrpc"'
"""What every message holds (JSON-RPC 2.0 section 4): an unreadable line with it may have been one, without it it is junk."""

_PRINTED_MARK: Final = b"'jsonrpc'"  # a message that was printed as a value of its language instead of as JSON

# A line of this kind is no junk even without the mark: it was cut off from being read by a limit of ours.
_ALWAYS_FATAL: Final = frozenset({JsonFinding.TOO_DEEP, JsonFinding.TOO_LARGE})

_ONCE: Final = frozenset({EnvelopeFinding.NO_JSONRPC_VERSION, EnvelopeFinding.WRONG_JSONRPC_VERSION})


def holds_mark(data: bytes) -> bool:
    """True if the text holds the mark of a message, in UTF-16 or UTF-32 too (every second byte of them is zero here)."""
    if MESSAGE_MARK in data:
        return True
    plain = data.replace(b"\0", b"") if b"\0" in data else data
    return MESSAGE_MARK in plain or _PRINTED_MARK in plain


def malformed(
    server: str, channel: Channel, side: Side, finding: str, *, fatal: bool, size: int = 0, offset: int | None = None
) -> WireMalformed:
    """The fact of one finding on one side of a channel."""
    return WireMalformed(
        server=server, channel=channel.name, peer=channel.peer, side=side, finding=finding, fatal=fatal, size_bytes=size, offset=offset
    )


def junk(server: str, channel: Channel, side: Side, size: int) -> list[WireMalformed]:
    """The fact about a line between messages; none where so many came that one fact stands for many."""
    stated = channel.count_junk(side, size)
    return [] if stated is None else [malformed(server, channel, side, JUNK_LINE, fatal=False, size=stated)]


def unreadable(server: str, channel: Channel, side: Side, data: bytes, findings: tuple[Finding, ...]) -> list[WireMalformed]:
    """The facts about a line without a value: junk where no message can have been in it, else a loss."""
    if not data.strip():
        return []  # blank lines between messages carry nothing and hide nothing
    worst = findings[-1] if findings else Finding(JsonFinding.NOT_JSON)
    if worst.kind not in _ALWAYS_FATAL and not holds_mark(data):
        return junk(server, channel, side, len(data))
    return [malformed(server, channel, side, worst.kind.value, fatal=True, size=len(data), offset=worst.offset)]


def doubtful(server: str, channel: Channel, side: Side, size: int, findings: tuple[Finding, ...]) -> list[WireMalformed]:
    """The facts about a text that was off and still has a value; only a member of the envelope that stands twice loses a message."""
    return [
        malformed(server, channel, side, finding.kind.value, fatal=finding.at_envelope, size=size, offset=finding.offset)
        for finding in findings
    ]


def advisories(server: str, channel: Channel, side: Side, found: tuple[EnvelopeFinding, ...]) -> list[WireMalformed]:
    """The facts about a usable message that is off, each kind once for a side of a channel; others are told by their message."""
    return [
        malformed(server, channel, side, finding.value, fatal=False)
        for finding in found
        if finding in _ONCE and channel.advise_once(side, finding)
    ]
