"""Instants as text. Evidence holds int microseconds since the Unix epoch, or since the first frame of a transcript whose
times are relative; everything below the year 2000 is taken as relative, because MCP is younger and no run lasts 30 years.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

RELATIVE_BELOW_US: Final = 946_684_800_000_000
"""2000-01-01T00:00:00Z: the border between relative and absolute times."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_US: Final = -62_135_596_800_000_000
_LAST_US: Final = 253_402_300_799_999_999


def is_relative(time_us: int) -> bool:
    """Whether `time_us` counts from a transcript's first frame instead of from the Unix epoch."""
    return time_us < RELATIVE_BELOW_US


def rfc3339(time_us: int) -> str:
    """`time_us` as RFC 3339 in UTC with six digits of a second. Years before 1 or after 9999 are shown as that year's border."""
    bounded = min(max(time_us, _FIRST_US), _LAST_US)
    moment = _EPOCH + timedelta(microseconds=bounded)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")


def seconds(time_us: int) -> float:
    """`time_us` in seconds."""
    return time_us / 1_000_000


def instant(time_us: int) -> str:
    """What a person reads for an instant: RFC 3339, or seconds since the first frame."""
    if is_relative(time_us):
        return f"{decimal(time_us)} s into the transcript"
    return rfc3339(time_us)


def decimal(time_us: int) -> str:
    """`time_us` in seconds as the shortest exact decimal number, at least one digit behind the point."""
    sign = "-" if time_us < 0 else ""
    whole, rest = divmod(abs(time_us), 1_000_000)
    fraction = f"{rest:06d}".rstrip("0") or "0"
    return f"{sign}{whole}.{fraction}"


_SPANS: Final = ((86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"), (1_000, "ms"))


def span(length_us: int) -> str:
    """A length of time in its largest fitting unit, with three significant digits: `1.5 s`, `12 ms`, `2.25 h`."""
    for unit_us, name in _SPANS:
        if abs(length_us) >= unit_us:
            return f"{length_us / unit_us:.3g} {name}"
    return f"{length_us} us"


_RFC3339: Final = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d{1,12}))?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_LEAP_SECOND: Final = 60


def parse_rfc3339(text: str) -> int | None:
    """Microseconds since the Unix epoch of an RFC 3339 time with zone (digits beyond microseconds cut); None for other text.

    Second 60, a leap second, is the first instant of the next minute: Unix time has no other place for it.
    """
    match = _RFC3339.fullmatch(text.strip())
    if match is None:
        return None
    day, minute, second, fraction, zone = match.groups()
    offset = "+00:00" if zone in "Zz" else zone
    try:
        moment = datetime.fromisoformat(f"{day}T{minute}:00{offset}")
    except ValueError:
        return None
    if int(second) > _LEAP_SECOND:
        return None
    whole = (moment - _EPOCH) // timedelta(microseconds=1)
    return whole + int(second) * 1_000_000 + int((fraction or "0").ljust(6, "0")[:6])


_SECONDS: Final = re.compile(r"[+-]?\d{1,12}(?:\.(\d{0,9}))?", re.ASCII)


def parse_seconds_us(text: str) -> int | None:
    """Microseconds in a decimal number of seconds, exact (digits beyond microseconds cut); None for other text."""
    match = _SECONDS.fullmatch(text.strip())
    if match is None:
        return None
    whole, _, fraction = text.strip().partition(".")
    amount = abs(int(whole)) * 1_000_000 + int(fraction.ljust(6, "0")[:6])
    return -amount if whole.startswith("-") else amount
