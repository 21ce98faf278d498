"""The policy of a judgement: every limit with its default, its unit in its name and the reason beside it.

Read from TOML by `read_policy` with members named as here; unknown members and wrong units are errors that say what was
expected. Durations in a file are "30s", "10m", "2h", "1d" or a number of seconds. Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from witnessmark.errors import UsageError


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What a judgement trusts and for how long. The policy in force is recorded with each verdict."""

    max_age_s: float = 300.0
    """How long a complete traversal speaks for a server that does not advertise listChanged (verdicts.md section 2)."""
    inactivity_s: float = 60.0
    """Inactivity window of a call without a declared one: the default request timeout of the TypeScript SDK."""
    absolute_s: float = 600.0
    """Absolute deadline of a call without a declared one; no SDK of the field has one, so ten minutes is ours."""
    discovery_s: float = 30.0
    """How long a traversal may be under way before `incomplete` is routed to its owner: a popular client gives up on
    initialize and tools/list together after 30 s."""
    negotiation_s: float = 30.0
    """How long a failed era probe may wait for the negotiation that follows it: SDK probes wait 10 s and fall back."""
    observer_silence_s: float = 0.0
    """How long after its last word an open log is taken to speak; 0: only up to its last event or checkpoint."""
    installed_witness: Literal["reported", "observed"] = "reported"
    """`observed` demands the model tap for installed catalogs; a host's own report is then not enough."""
    trusted_servers: tuple[str, ...] = ()
    """Servers whose `readOnlyHint` is believed; a hint loosens nothing otherwise."""
    read_only_tools: tuple[str, ...] = ()
    """Tools declared read-only, as `server/tool` or `tool`."""
    accept_judged: tuple[str, ...] = ()
    """Outcomes for which a model's judgement may yield healthy."""
    requires_versions: tuple[str, ...] = ()
    """Protocol versions that the run needs one of."""
    requires_capabilities: tuple[str, ...] = ()
    """Capabilities that the run needs, as `tools.listChanged`."""
    on_deadline: Literal["record", "cancel"] = "record"
    """What an observer at work does when a clock runs out: it records that, and with `cancel` cancels the request besides."""


MAX_DURATION_S: Final = 1e9
"""The longest duration that may be set, 31 years, as of a declared clock (observe/receipts.py): microseconds of it are exact."""
DURATIONS: Final = ("max_age", "inactivity", "absolute", "discovery", "negotiation", "observer_silence")
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")


def duration_s(value: object, where: str) -> float:
    """Seconds in a duration: a non-negative number of seconds, or text with a unit as "30s".

    Raises UsageError that names the place and the units.
    """
    if isinstance(value, bool):
        value = str(value)
    seconds = -1.0
    if isinstance(value, int | float):
        seconds = float(value) if 0 <= value <= MAX_DURATION_S else -1.0
    elif isinstance(value, str) and (match := _DURATION.fullmatch(value.strip())):
        seconds = float(match[1]) * _UNITS[match[2]]
    if 0 <= seconds <= MAX_DURATION_S:
        return seconds
    raise UsageError(
        f"{value!r} is no duration", where=where, hint='write at most 10^9 seconds, as a number or as text: "30s", "10m", "2h", "1d"'
    )


def read_policy(members: dict[str, object], where: str) -> Policy:
    """The policy that `members` (a decoded TOML table) describe; what is absent keeps its default.

    Durations are named without `_s` (`max_age = "5m"`) or with it (a number). Raises UsageError for an unknown member, a
    wrong type or a wrong unit, naming the member.
    """
    known = set(Policy.__struct_fields__)
    values: dict[str, object] = {}
    for name, value in members.items():
        place = f"{where}: {name}"
        target = f"{name}_s" if name in DURATIONS else name
        if target not in known:
            expected = sorted([*DURATIONS, *(field for field in known if field.removesuffix("_s") not in DURATIONS)])
            raise UsageError("unknown member of a policy", where=place, hint="known members: " + ", ".join(expected))
        if target in values:
            raise UsageError("given twice, with and without its unit", where=place, hint="keep one of the two")
        values[target] = duration_s(value, place) if target.removesuffix("_s") in DURATIONS else value
    try:
        return msgspec.convert(values, Policy, strict=True)
    except msgspec.ValidationError as error:
        raise UsageError(str(error), where=where, hint="compare with docs/policy.md") from error
