"""Evidence as CloudEvents 1.0 in JSON format, one a line, and back (docs/store.md lists the members).

Attributes: CloudEvents 1.0.2 section 3, and its documented extensions `sequence` and `partitionkey`; `prevhash` and `hash`
are ours. The data that a line carries are put into canonical form as they came, not as this version understands them, so
that the chain holds over kinds and members that it does not know. Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import msgspec

from witnessmark.errors import InputError
from witnessmark.model.evidence import SPECVERSION, TYPE_PREFIX, Event, EvidenceGap
from witnessmark.render.times import rfc3339
from witnessmark.state.order import Logged, kind_and_data, logged_event, trusted

DATASCHEMA: Final = "urn:witnessmark:evidence:1"
CONTENT_TYPE: Final = "application/json"
TRUNCATED: Final = "truncated_line"
"""Reason of the gap that stands for a last line whose end is missing."""
MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""An event with the digests of 10,000 tools has some 2 MB; what is longer is another kind of file."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_US: Final = timedelta(microseconds=1)
# RFC 3339 section 5.6, with an offset; more than six digits of a second cannot be kept in microseconds.
_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6})0*)?(?:[Zz]|([+-])(\d\d):(\d\d))")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_DIGITS: Final = re.compile(r"0|[1-9]\d{0,18}")
_LEAP_SECOND: Final = 60
_MAX_SEQUENCE: Final = 2**63 - 1
_canonical = msgspec.json.Encoder(order="sorted").encode


class _Line(msgspec.Struct, omit_defaults=True):
    """The members in the order in which a person reads them: what, when, about what."""

    id: str
    source: str
    type: str
    time: str
    subject: str
    partitionkey: str
    sequence: str
    data: msgspec.Raw
    hash: str = ""
    prevhash: str = ""
    specversion: str = ""
    datacontenttype: str = ""
    dataschema: str = ""


_encode = msgspec.json.Encoder().encode


def event_line(event: Event) -> bytes:
    """The event as one line, its newline included; from a log, its data are written as the log holds them."""
    kind, data = kind_and_data(event)
    line = _Line(
        id=event.id,
        source=event.source,
        type=TYPE_PREFIX + kind,
        time=rfc3339(event.time_us),
        subject=event.run,
        partitionkey=event.session,
        sequence=str(event.sequence),
        data=msgspec.Raw(data),
        hash=event.hash.hex(),
        prevhash=event.prev.hex(),
        specversion=SPECVERSION,
        datacontenttype=CONTENT_TYPE,
        dataschema=DATASCHEMA,
    )
    return _encode(line) + b"\n"


def read_evidence_lines(lines: Iterable[bytes | str], name: str) -> Iterator[Event]:
    """The events of an evidence log for judging, in the order of its lines: what its hash does not cover is read as a gap.

    Raises InputError that names file and line for a line that is not such an event. A last line without its end is a gap.
    """
    return map(trusted, read_logged_lines(lines, name))


def read_logged_lines(lines: Iterable[bytes | str], name: str) -> Iterator[Logged]:
    """The events of an evidence log with their bytes, for checking and passing on; see `read_evidence_lines`."""
    last: Logged | None = None
    numbered = enumerate(lines, 1)
    for number, given in numbered:
        line = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given
        if not line.strip():
            continue
        place = f"{name}:{number}"
        if len(line) > MAX_LINE_BYTES:
            raise InputError(f"a line of {len(line)} bytes", where=place, hint=f"events have at most {MAX_LINE_BYTES} bytes")
        try:
            members = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if not line.endswith(b"\n") and next(numbered, None) is None:
                yield _truncated(last, name, number)
                return
            raise InputError(f"not JSON: {error}", where=place, hint="an evidence log holds one CloudEvents object a line") from error
        last = _event(members, place)
        yield last


def _truncated(last: Logged | None, name: str, number: int) -> Logged:
    """The gap for a cut last line, in a session of the reader's own: whose event it was cannot be known."""
    fact = EvidenceGap(reason=TRUNCATED, count=1, line=number)
    run, time_us = (last.run, last.time_us) if last is not None else ("", 0)
    kind, data = kind_and_data(Event("reader", "", 0, run, time_us, fact))
    return Logged("reader", f"reader/{name}", 0, run, time_us, fact, b"", b"", kind, data)


def _event(members: Any, place: str) -> Logged:
    if not isinstance(members, dict):
        raise InputError("not a CloudEvents object", where=place, hint="an evidence log holds one JSON object a line")
    if "witnessmark" in members and "specversion" not in members:
        raise InputError(
            "this is another of our formats, not an evidence log", where=place, hint="export a run, or judge the file as what it is"
        )
    version = _text(members, "specversion", place)
    if version != SPECVERSION:
        raise InputError(f"CloudEvents version {version!r}", where=place, hint=f"expected specversion {SPECVERSION!r}")
    schema = members.get("dataschema", DATASCHEMA)
    if schema != DATASCHEMA:
        raise InputError(f"data of the schema {schema!r}", where=place, hint=f"this version reads {DATASCHEMA}; a newer one may read that")
    kind = _text(members, "type", place)
    if not kind.startswith(TYPE_PREFIX):
        raise InputError(f"an event of the type {kind!r}", where=place, hint=f"types of an evidence log begin with {TYPE_PREFIX!r}")
    session, sequence = _text(members, "partitionkey", place), _sequence(members, place)
    if _text(members, "id", place) != f"{session}/{sequence}":
        raise InputError("id does not follow from partitionkey and sequence", where=place, hint=f"expected id {f'{session}/{sequence}'!r}")
    data = members.get("data")
    if not isinstance(data, dict):
        raise InputError("data is missing or no object", where=place, hint="the event may have been cut or rewritten: export it again")
    return logged_event(
        _text(members, "source", place),
        session,
        sequence,
        _text(members, "subject", place),
        _time_us(_text(members, "time", place), place),
        kind.removeprefix(TYPE_PREFIX),
        _canonical(data),
        _hash(members, "prevhash", place) if "prevhash" in members else b"",
        _hash(members, "hash", place),
    )


def _text(members: dict[str, Any], name: str, place: str) -> str:
    value = members.get(name)
    if not isinstance(value, str) or not value:
        found = "is missing" if name not in members else "is not a text with content"
        raise InputError(f"{name} {found}", where=place, hint="each line needs the members of a CloudEvents event (docs/store.md)")
    return value


def _sequence(members: dict[str, Any], place: str) -> int:
    """A text of digits, as the CloudEvents extension has it, or a number, as a careless re-writer leaves it."""
    value = members.get("sequence")
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_SEQUENCE:
        return value
    raise InputError("sequence is missing or does not count", where=place, hint='expected a text of digits, as "0"')


def _hash(members: dict[str, Any], name: str, place: str) -> bytes:
    value = members.get(name)
    if isinstance(value, str) and _HASH.fullmatch(value):
        return bytes.fromhex(value)
    raise InputError(f"{name} is missing or no SHA-256", where=place, hint="expected 64 hex digits in lower case")


def _time_us(text: str, place: str) -> int:
    match = _TIME.fullmatch(text)
    try:
        if match is None:
            raise ValueError(text)
        year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
        offset = timedelta()
        if match[8]:
            offset = timedelta(hours=int(match[9]), minutes=int(match[10])) * (1 if match[8] == "+" else -1)
        # A leap second (23:59:60) is the second after it, as in POSIX time.
        leap = timedelta(seconds=1 if second == _LEAP_SECOND else 0)
        moment = datetime(year, month, day, hour, minute, second - leap.seconds, int((match[7] or "").ljust(6, "0")), timezone(offset))
        return (moment + leap - _EPOCH) // _US
    except (ValueError, OverflowError) as error:
        raise InputError(f"time {text!r} is no instant", where=place, hint="expected RFC 3339, as 2026-12-01T09:30:00.000000Z") from error
