"""Receipts and declarations that somebody brings to a stored run, live or not: validated, redacted, kept as evidence.

Each becomes a session of its own in the run, written and closed in one step, so that a reporter who dies leaves nothing half
said. Who says it decides what it counts (verdicts.md section 3): `independent` is for a reporter that the agent can neither
start nor write as; everything else is kept and shown as self-reported, and never alone makes a condition True.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from witnessmark.adapters.clock import now_us
from witnessmark.adapters.keys import KeyFile, keys_path
from witnessmark.adapters.store.protocol import EvidenceStore
from witnessmark.adapters.store.writer import SessionWriter
from witnessmark.contract.names import NameMap
from witnessmark.contract.shown import read_shown
from witnessmark.errors import InputError, UsageError
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import EffectAccepted, Fact, ListPage, RunClosed
from witnessmark.observe import receipts
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Purpose, Redactor

Kind = Literal["installed", "effect", "outcome", "declare", "expect", "accept", "close"]
SENDERS: Final[dict[Kind, str]] = {
    "installed": "host", "effect": "destination", "outcome": "verifier",
    "declare": "operator", "expect": "operator", "accept": "operator", "close": "operator",
}  # fmt: skip
"""Who brings what, as in a transcript."""
OPERATOR_ONLY: Final = frozenset(kind for kind, sender in SENDERS.items() if sender == "operator")
"""What loosens a judgement or ends a run: refused where the agent may be the one who asks, since these facts have no
`self_reported`."""

RUN_VARIABLE: Final = "WITNESSMARK_RUN"
"""Set for everything that is started inside a run, the agent included."""
CANDIDATES: Final = 5

_PATH: Final = re.compile(r"`\$([^`]*)`")
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[([^\]]*)\]")


class _Accept(msgspec.Struct):
    who: str
    call: int | str | None = None
    channel: str | None = None
    operation_key: Any = None


class Target(NamedTuple):
    """Where a receipt goes: the run, and the server that it speaks of ("" where it speaks of none)."""

    run: str
    server: str


class Recorded(NamedTuple):
    """What was kept: the run, the id of the event, its kind, and whether it counts as self-reported."""

    run: str
    event: str
    kind: str
    self_reported: bool


def report_installed(store: EvidenceStore, run: str, server: str, report: Mapping[str, Any]) -> Recorded:
    """Keep what the client shows the model now: `{"source", "tools", "names", "mapping"}` or `{"source", "digest"}`.

    Raises InputError for a report that is none, StoreError where it cannot be kept.
    """
    return bring(store, Target(run, server), "installed", msgspec.json.encode(report))


def report_effect(store: EvidenceStore, run: str, server: str, report: Mapping[str, Any], *, independent: bool) -> Recorded:
    """Keep a destination's answer about an effect: `{"call" or "operation_key", "status", "method", "count"}`.

    `independent`: the reporter is none that the agent can start or write as. Raises InputError, StoreError.
    """
    return bring(store, Target(run, server), "effect", msgspec.json.encode(report), independent=independent)


def report_outcome(store: EvidenceStore, run: str, report: Mapping[str, Any], *, independent: bool, server: str = "") -> Recorded:
    """Keep a verifier's answer about an outcome: `{"outcome", "status", "strength"}`; `independent` as for an effect."""
    return bring(store, Target(run, server), "outcome", msgspec.json.encode(report), independent=independent)


def bring(store: EvidenceStore, target: Target, kind: Kind, data: bytes, *, independent: bool = False) -> Recorded:
    """Keep one receipt or declaration, given as the JSON text of its member in a transcript.

    Raises InputError with the pointer of what does not fit, UsageError for a declaration from inside the run, StoreError
    where it cannot be kept.
    """
    if kind in OPERATOR_ONLY and not independent:
        raise UsageError(
            f"`{kind}` is the operator's to say, and this process may be the agent's",
            where=RUN_VARIABLE,
            hint=f"say it from a shell that was not started inside the run (where {RUN_VARIABLE} is not set), with --run",
        )
    key = KeyFile(keys_path(store.name)).active(now_us())
    redact = Redactor(key.id, key.secret)
    fact = _fact(store, target, kind, data, redact, independent=independent)
    time_us = now_us()
    session = f"receipt-{os.urandom(8).hex()}"
    writer = SessionWriter(store, Recorder(f"receipt:{SENDERS[kind]}", session, target.run), server=target.server, opened_us=time_us)
    writer.close(time_us, [fact])
    return Recorded(target.run, f"{session}/0", fact.KIND, bool(getattr(fact, "self_reported", False)))


def _fact(store: EvidenceStore, target: Target, kind: Kind, data: bytes, redact: Redactor, *, independent: bool) -> Fact:
    observer = Observer(target.server, redact)
    try:
        match kind:
            case "installed":
                fact = receipts.installed(_with_names(store, target, data), observer, redact, "0")
                # Whoever brings it, it is a report: what the model tap saw comes from the tap.
                return msgspec.structs.replace(fact, observed=False)
            case "effect":
                return receipts.effect(data, observer, redact, None, independent=independent)
            case "outcome":
                return receipts.outcome(data, observer, redact, "0", independent=independent)
            case "declare":
                return receipts.declared(data, observer, redact, "0", for_others=True)
            case "expect":
                return receipts.expected(data, observer, redact, "0")
            case "accept":
                return _accepted(data, target.server, redact)
            case "close":
                return RunClosed()
    except receipts.ReceiptError as error:
        raise InputError(f"{_pointed(error.message)}", where="standard input", hint=error.hint) from None


def _accepted(data: bytes, server: str, redact: Redactor) -> EffectAccepted:
    """A person's word that an effect stays unknown; the person is kept as a keyed hash, which can be asked and not read."""
    try:
        word = msgspec.json.decode(data, type=_Accept)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        hint = '{"who": NAME, "call": ID} or {"who": NAME, "operation_key": VALUE}'
        raise receipts.ReceiptError(f"not an acceptance: {error}", hint=hint) from None
    if (word.call is None) == (word.operation_key is None):
        raise receipts.ReceiptError("names neither or both of call and operation_key", hint="give one of the two")
    return EffectAccepted(
        server=server,
        call=None if word.call is None else redact.id_token(word.call),
        call_channel=word.channel,
        key=None if word.operation_key is None else redact.hashed(Purpose.OPERATION_KEY, word.operation_key),
        who=redact.hashed(Purpose.NAME, word.who),
    )


def _pointed(message: str) -> str:
    """The message with paths as JSON Pointers: `$.tools[2].name` is `/tools/2/name`."""
    return _PATH.sub(lambda found: "".join("/" + (name or index or "-") for name, index in _STEP.findall(found[1])) or "the whole", message)


def _with_names(store: EvidenceStore, target: Target, data: bytes) -> bytes:
    """The report with the wire name of each shown tool, as far as the run's evidence and known ways of renaming tell it.

    A report that maps its names itself, or that is none, is left as it is.
    """
    try:
        report = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return data
    if not isinstance(report, dict) or report.get("names") is not None or not isinstance(report.get("source"), str):
        return data
    listed = report.get("tools")
    if not isinstance(listed, list):
        return data
    shown = [definition.name for definition in read_shown(report["source"], listed).definitions]
    known = NameMap(_listed_names(store, target), target.server).wire_names(shown)
    return msgspec.json.encode({**report, "names": {name: wire for name, wire in known.items() if wire}})


def _listed_names(store: EvidenceStore, target: Target) -> list[str]:
    names: dict[str, None] = {}
    for event in store.events(target.run):
        if isinstance(event.fact, ListPage) and event.fact.server == target.server:
            names.update(dict.fromkeys(tool.name for tool in event.fact.tools))
    return list(names)


# --- whose receipt it is ----------------------------------------------------------------------------------------------


def find_target(store: EvidenceStore, run: str | None, server: str | None, *, needs_server: bool) -> Target:
    """The run and the server that a receipt speaks of.

    The run is `run`, else the one that an observer is at work in now (for `server`, if that is named). The server is
    `server`, else the run's only one. UsageError lists the candidates where there is none or more than one.
    """
    found = run if run is not None else _live_run(store, server)
    servers = sorted({session.server for session in store.sessions(found) if session.server})
    if server is not None:
        if servers and server not in servers:
            raise UsageError(f"run {found} has no server {server!r}", where=store.name, hint="its servers: " + ", ".join(servers))
        return Target(found, server)
    if len(servers) == 1:
        return Target(found, servers[0])
    if not needs_server:
        return Target(found, "")
    hint = "name one with --server: " + ", ".join(servers) if servers else "name it with --server"
    raise UsageError(f"run {found} has {len(servers)} servers", where=store.name, hint=hint)


def _live_run(store: EvidenceStore, server: str | None) -> str:
    live = [one for one in store.runs(now_us(), server=server) if one.live]
    if len(live) == 1:
        return live[0].run
    of = f" of server {server!r}" if server is not None else ""
    if not live:
        raise UsageError(f"no run{of} is live", where=store.name, hint="name a run with --run; `witnessmark runs` lists them")
    names = ", ".join(f"{one.run} ({', '.join(one.servers)})" for one in live[:CANDIDATES])
    raise UsageError(f"{len(live)} runs{of} are live", where=store.name, hint=f"name one with --run: {names}")


def is_independent(environment: Mapping[str, str] | None = None) -> bool:
    """Whether a process with this environment is taken for a reporter that the agent did not start: it was not started
    inside a run. Docs/commands.md, `receipt`, says what that does and does not keep out.
    """
    return not (os.environ if environment is None else environment).get(RUN_VARIABLE)
