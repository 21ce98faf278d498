"""The policy of the gate before each call: every limit with its default, its unit in its name and the reason beside it.

Read from TOML by `read_gate_policy` with members named as here (durations as `hold = "20s"`, or `hold_s = 20`). Normative:
verdicts.md sections 2 and 4. Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

import msgspec

from witnessmark.errors import UsageError
from witnessmark.model.change import Preset
from witnessmark.model.policy import duration_s

VerifyMode = Literal["always", "max_age", "ttl", "signal"]
Refusal = Literal["error", "is_error"]
Undeclared = Literal["strict", "balanced", "off"]
Withheld = Literal["last_approved", "nothing"]

MODES: Final[tuple[VerifyMode, ...]] = ("always", "max_age", "ttl", "signal")


class Verify(NamedTuple):
    """How old the evidence of a contract may be when a call is let through.

    `always`: from a list that began after the call arrived. `max_age`: no older than `max_age_s`. `ttl`: inside the server's
    positive ttlMs, else as max_age. `signal`: for as long as a delivery channel is open and said nothing, else as max_age.
    In every mode a signal, a reconnect or a lost channel ends it.
    """

    mode: VerifyMode = "max_age"
    max_age_s: float = 300.0


ALWAYS: Final = Verify("always")


class GatePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate asks for before it lets a call through."""

    verify: Verify | None = None
    """None: `always` for every tool that is not declared read-only, `max_age` (verdicts.md section 2: 300 s) for those that are."""
    tools: dict[str, Verify] = {}
    """Tools (by name) with a verify of their own."""
    fail_on: Preset = "strict"
    """Which changes against the lock stop a call (contracts.md, "Differences")."""
    refusal: Refusal = "error"
    """How a refusal is answered: a JSON-RPC error, or a result with `isError` for hosts that hide errors from the model."""
    undeclared: Undeclared = "balanced"
    """Argument names that the current schema does not declare: `strict` refuses each, `balanced` those that an approved or an
    earlier served contract declared, `off` none."""
    undeclared_exempt: tuple[str, ...] = ()
    """Tools whose undeclared names are let through."""
    withhold: Withheld = "last_approved"
    """What the client is listed in place of an unapproved or drifted definition: the approved one, or nothing."""
    join_pages: bool = False
    """Serve the whole catalog as one page, for clients that read page one only."""
    nudge: bool = False
    """Tell a client that was proved stale by one `list_changed` of ours."""
    hold_s: float = 20.0
    """How long a call waits for the list: a third of the 60 s after which the common SDKs give a call up."""
    settle_s: float = 0.25
    """How long after a signal its list waits, so that a burst of signals costs one list."""
    second_look_s: float = 1.0
    """A list after a signal that shows no change is looked at once more after this time: servers signal before they change."""
    interval_s: float = 0.0
    """How often the catalog is listed without any reason; 0: never."""
    jitter: float = 0.1
    """Share of the interval by which it varies, so that a fleet does not list at once."""
    lists_per_minute: int = 30
    """Lists of ours after signals and at intervals; a server that answers a list with a signal was seen to be asked 1,740
    times in 164 s. Lists that a held call needs are bounded by the calls and not counted."""
    max_pages: int = 1_000
    """Pages of one list of ours; the largest real catalog has 20."""

    def verify_of(self, tool: str, *, read_only: bool) -> Verify:
        """How old the evidence of this tool's contract may be."""
        found = self.tools.get(tool) or self.verify
        if found is not None:
            return found
        return Verify() if read_only else ALWAYS


DURATIONS: Final = ("hold", "settle", "second_look", "interval")
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "fail_on": ("strict", "balanced", "lenient"),
    "refusal": ("error", "is_error"),
    "undeclared": ("strict", "balanced", "off"),
    "withhold": ("last_approved", "nothing"),
}
_MAX_AGE: Final = re.compile(r"max_age=(.+)")


def read_verify(value: object, where: str) -> Verify:
    """`"always"`, `"ttl"`, `"signal"`, `"max_age"` or `"max_age=30s"`. UsageError that says what was expected."""
    if isinstance(value, str):
        if value in MODES:
            return Verify(value)
        found = _MAX_AGE.fullmatch(value)
        if found is not None:
            return Verify("max_age", duration_s(found[1], where))
    raise UsageError(f"{value!r} is no verify policy", where=where, hint='write "always", "max_age=30s", "ttl" or "signal"')


def read_gate_policy(members: dict[str, Any], where: str, base: GatePolicy | None = None) -> GatePolicy:
    """The policy that a decoded TOML table describes, over `base`; what is absent keeps its value there.

    Raises UsageError for an unknown member, a wrong type or unit, naming the member.
    """
    values: dict[str, Any] = {}
    known = {name.removesuffix("_s") if name.removesuffix("_s") in DURATIONS else name for name in GatePolicy.__struct_fields__}
    for name, value in members.items():
        place = f"{where}: {name}"
        plain = name.removesuffix("_s") if name.removesuffix("_s") in DURATIONS else name
        if plain not in known:
            raise UsageError("unknown member of a gate", where=place, hint="known members: " + ", ".join(sorted(known)))
        if plain in DURATIONS:
            values[f"{plain}_s"] = duration_s(value, place)
        elif plain == "verify":
            values[plain] = read_verify(value, place)
        elif plain == "tools":
            if not isinstance(value, dict):
                raise UsageError("must be a table", where=place, hint='tools = { search = "max_age=30s" }')
            values[plain] = {tool: read_verify(one, f"{place}.{tool}") for tool, one in value.items()}
        elif plain in WORDS and value not in WORDS[plain]:
            raise UsageError(f"{value!r} is not known", where=place, hint="one of: " + ", ".join(WORDS[plain]))
        else:
            values[plain] = value
    start = {name: getattr(base, name) for name in GatePolicy.__struct_fields__} if base is not None else {}
    try:
        policy = msgspec.convert({**start, **values}, GatePolicy, strict=True)
    except msgspec.ValidationError as error:
        raise UsageError(str(error), where=where, hint="compare with docs/policy.md") from error
    for name, least in (("jitter", 0.0), ("lists_per_minute", 1), ("max_pages", 1)):
        if getattr(policy, name) < least or (name == "jitter" and policy.jitter > 1):
            raise UsageError("is out of its range", where=f"{where}: {name}", hint="jitter is 0 to 1, the others at least 1")
    return policy
