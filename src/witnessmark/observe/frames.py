"""The lines of a transcript (docs of the format: formats.md, "Transcript"): header, frame, time.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, Literal

import msgspec

from witnessmark.errors import InputError
from witnessmark.model.evidence import Side
from witnessmark.wire.strictjson import decode

FORMAT: Final = "transcript/1"
_FAMILY: Final = "transcript/"
_BOM: Final = b"\xef\xbb\xbf"
_HINT: Final = f'the first line must be {{"witnessmark": "{FORMAT}", "transport": "stdio", "server": NAME, "client": NAME}}'

MAX_SECONDS: Final = 10**11
"""Seconds of a relative time: three thousand years; what is larger is no time of a transcript."""

SENDERS: Final = ("client", "server", "tap", "host", "operator", "destination", "verifier")
Sender = Literal["client", "server", "tap", "host", "operator", "destination", "verifier"]

_WIRE: Final = frozenset({"client", "server"})
ALLOWED: Final[dict[str, frozenset[str]]] = {
    "message": _WIRE,
    "raw": _WIRE,
    "http": _WIRE,
    "closed": frozenset({"tap", "client", "server"}),
    "installed": frozenset({"host", "tap"}),
    "declare": frozenset({"operator"}),
    "expect": frozenset({"operator"}),
    "close": frozenset({"operator"}),
    "approved": frozenset({"operator"}),
    "effect": frozenset(SENDERS),
    "outcome": frozenset(SENDERS),
}
"""Who may bring which member; receipts may come from anybody, and count as `self_reported` from all but two."""

_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?([Zz]|[+-]\d\d:\d\d)")
_DAYS_OF_MONTH: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class BrokenLine(Exception):
    """A line that is no frame; `reason` is the gap's, `server` the server that it would have spoken of if that was readable."""

    def __init__(self, reason: str, server: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.server = server


class Header(msgspec.Struct, frozen=True):
    """What the first line says of all others."""

    transport: str = "stdio"
    server: str = "server"
    client: str = ""


_ABSENT: Final = msgspec.Raw(b"")
_NULL: Final = b"null"


class Frame(msgspec.Struct, rename={"sender": "from"}, gc=False):
    """One line: its members as text, so that a message keeps the bytes it was written with; an absent member is empty."""

    sender: Sender
    at: float | str
    channel: str | None = None
    server: str | None = None
    self_reported: bool = False
    message: msgspec.Raw = _ABSENT
    raw: str | None = None
    http: dict[str, Any] | None = None
    closed: msgspec.Raw = _ABSENT
    installed: msgspec.Raw = _ABSENT
    declare: msgspec.Raw = _ABSENT
    expect: msgspec.Raw = _ABSENT
    effect: msgspec.Raw = _ABSENT
    outcome: msgspec.Raw = _ABSENT
    close: bool | None = None
    approved: msgspec.Raw = _ABSENT


class PlainFrame(msgspec.Struct, rename={"sender": "from"}, forbid_unknown_fields=True, gc=False):
    """The frame that nearly every line is: a message and nothing else. Whatever does not fit is read as a `Frame`."""

    sender: Side
    at: float | str
    message: msgspec.Raw
    channel: str = "0"
    server: str | None = None


MEMBERS: Final = tuple(ALLOWED)
_decode_plain = msgspec.json.Decoder(PlainFrame).decode
_decode_frame = msgspec.json.Decoder(Frame).decode
_RAW_MEMBERS: Final = ("message", "closed", "installed", "declare", "expect", "effect", "outcome", "approved")


def read_header(line: bytes, where: str) -> Header:
    """The header in a transcript's first line. Raises InputError that says what stands there and what should."""
    decoded = decode(line.removeprefix(_BOM).strip())
    if not decoded.has_value or type(decoded.value) is not dict:
        raise InputError("not a transcript: its first line is no JSON object", where=where, hint=_HINT)
    members = decoded.value
    form = members.get("witnessmark")
    if form != FORMAT:
        if type(form) is str and form.startswith(_FAMILY):
            raise InputError(
                f"unknown transcript version {form[:40]!r}", where=where, hint=f"this program reads {FORMAT}; a newer one may read more"
            )
        raise InputError("not a transcript header", where=where, hint=_HINT)
    transport = members.get("transport", "stdio")
    if transport not in ("stdio", "http"):
        raise InputError("unknown transport in the header", where=where, hint='expected "stdio" or "http"')
    server, client = members.get("server", "server"), members.get("client", "")
    if type(server) is not str or not server or type(client) is not str:
        raise InputError("server and client in the header must be names", where=where, hint=_HINT)
    return Header(transport, server, client)


def read_frame(line: bytes) -> Frame | PlainFrame:
    """The frame in one line, with at least one member that is known.

    Raises BrokenLine with the reason: not_json | not_an_object | unknown_from | wrong_type | bad_time | no_known_member |
    wrong_sender.
    """
    try:
        plain = _decode_plain(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read_any(line)
    if bytes(plain.message) == _NULL:
        raise BrokenLine("wrong_type", plain.server or "")
    return plain


def _read_any(line: bytes) -> Frame:
    try:
        frame = _decode_frame(line)
    except msgspec.ValidationError:
        raise _why_broken(line) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        frame = _read_slowly(line)
    given = [name for name in MEMBERS if _is_given(getattr(frame, name))]
    if not given:
        raise BrokenLine("no_known_member", frame.server or "")
    for name in given:
        if frame.sender not in ALLOWED[name]:
            raise BrokenLine("wrong_sender", frame.server or "")
        member = getattr(frame, name)
        if type(member) is msgspec.Raw and bytes(member) == _NULL:
            raise BrokenLine("wrong_type", frame.server or "")
    return frame


def _is_given(member: Any) -> bool:
    return len(member) > 0 if type(member) is msgspec.Raw else member is not None


def _why_broken(line: bytes) -> BrokenLine:
    """The reason why a line of JSON is no frame."""
    value = decode(line).value
    if type(value) is not dict:
        return BrokenLine("not_an_object")
    server = value["server"] if type(value.get("server")) is str else ""
    if value.get("from") not in SENDERS:
        return BrokenLine("unknown_from", server)
    if type(value.get("at")) not in (int, float, str):
        return BrokenLine("bad_time", server)
    return BrokenLine("wrong_type", server)


def _read_slowly(line: bytes) -> Frame:
    """The frame in a line that is JSON for a lenient reader only: a message that holds NaN, say."""
    decoded = decode(line)
    if not decoded.has_value:
        raise BrokenLine("not_json")
    if type(decoded.value) is not dict:
        raise BrokenLine("not_an_object")
    members = dict(decoded.value)
    texts = {name: members.pop(name) for name in _RAW_MEMBERS if members.get(name) is not None}
    try:
        frame = msgspec.convert(members, Frame)
    except (msgspec.ValidationError, UnicodeEncodeError):
        raise _why_broken(line) from None
    for name, value in texts.items():
        setattr(frame, name, msgspec.Raw(json.dumps(value).encode("ascii")))
    return frame


def time_of(at: float | str) -> tuple[int, bool]:
    """The time of a frame in microseconds, and whether it is absolute (RFC 3339, since the Unix epoch).

    Raises BrokenLine for what is neither a number of seconds from 0 nor a time with a zone.
    """
    if type(at) is not str:
        seconds: float = at  # type: ignore[assignment]  # `type()` does not narrow
        if not math.isfinite(seconds) or not 0 <= seconds <= MAX_SECONDS:
            raise BrokenLine("bad_time")
        return round(seconds * 1_000_000), False
    found = _TIME.fullmatch(at)
    if found is None:
        raise BrokenLine("bad_time")
    year, month, day, hour, minute, second = (int(found[index]) for index in range(1, 7))
    if not (1 <= month <= 12 and 1 <= day <= _DAYS_OF_MONTH[month - 1] and hour <= 23 and minute <= 59 and second <= 60):  # noqa: PLR2004
        raise BrokenLine("bad_time")
    micros = int((found[7] or "0")[:6].ljust(6, "0"))
    zone = found[8]
    offset_minutes = 0
    if zone not in ("Z", "z"):
        offset_minutes = (int(zone[1:3]) * 60 + int(zone[4:6])) * (-1 if zone[0] == "-" else 1)
    seconds_total = _days_since_epoch(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset_minutes * 60
    return seconds_total * 1_000_000 + micros, True


def _days_since_epoch(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the Gregorian calendar, counted in years that begin in March, so that leap days come last."""
    year -= month <= 2  # noqa: PLR2004 - January and February belong to the year before
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1  # noqa: PLR2004
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468
