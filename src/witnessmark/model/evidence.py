"""Evidence: what may be stored of an observation or a receipt, one frozen record per kind of fact.

The records are the privacy wall: they have members for ids, times, versions, counts, sizes, names, digests, codes and
keyed hashes, and none for argument values, results, texts, tokens, header values or cursors. Derived facts (a traversal is
complete, a digest matches) are never evidence; they are computed again from these whenever a verdict is asked for.

Vocabulary of the members that occur in many facts:
  server   configured name of the MCP server
  channel  one pipe, one HTTP exchange or one stream
  peer     what tells two sessions of one server apart: the channel for stdio, the hashed session id for legacy HTTP,
           empty for 2026-07-28, where no session exists (verdicts.md section 1: never keyed by connection there)
  id       JSON-RPC id token: `7` and `"7"` are different ids (wire.jsonrpc.id_token), long or odd strings are hashed
Hashes are keyed (`<key id>:<32 hex>`), digests are SHA-256 (`sha256:<64 hex>` or the short form, 32 hex).
Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

import msgspec

SPECVERSION: Final = "1.0"
TYPE_PREFIX: Final = "witnessmark."

Era = Literal["legacy", "modern"]
Side = Literal["client", "server"]
EffectClass = Literal["read", "write", "destructive"]


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was observed or reported, without its envelope. Unknown members are ignored on reading (formats.md)."""

    KIND: ClassVar[str] = ""

    server: str = ""
    channel: str = "0"
    peer: str = ""


# --- session ---------------------------------------------------------------------------------------------------------


class SessionOpened(Fact, frozen=True, kw_only=True):
    """A channel to a server was opened; `listening` says that it can carry unsolicited notifications."""

    KIND = "session.opened"
    transport: str = "stdio"
    client: str = ""
    listening: bool = False


class SessionOffered(Fact, frozen=True, kw_only=True):
    """The client proposed a protocol version: `initialize`, `server/discover`, or the `_meta` of a modern request."""

    KIND = "session.offered"
    transport: str = "stdio"
    id: str = ""
    method: str = ""
    version: str = ""
    era: Era = "legacy"
    client: str = ""
    client_version: str = ""
    capabilities: tuple[str, ...] = ()


class SessionNegotiated(Fact, frozen=True, kw_only=True):
    """The server accepted: by its `initialize` or `server/discover` result, or by answering a modern request.

    `list_changed` is None where the capability was never shown (a pinned modern client), which is not False.
    """

    KIND = "session.negotiated"
    transport: str = "stdio"
    id: str = ""
    method: str = ""
    version: str = ""
    era: Era = "legacy"
    list_changed: bool | None = None
    capabilities: tuple[str, ...] = ()
    supported: tuple[str, ...] = ()
    server_version: str = ""
    instructions: str = ""


class SessionConfirmed(Fact, frozen=True, kw_only=True):
    """The client sent `notifications/initialized`."""

    KIND = "session.confirmed"


class SessionRefused(Fact, frozen=True, kw_only=True):
    """A negotiation, or a request because of its version, header or missing capability, was refused.

    `reason`: version | header | capability | error | http | lost (a known session id is no longer known) | not_mcp.
    """

    KIND = "session.refused"
    id: str = ""
    method: str = ""
    reason: str = "error"
    code: int | None = None
    status: int | None = None
    supported: tuple[str, ...] = ()
    requested: str = ""


class SessionChallenged(Fact, frozen=True, kw_only=True):
    """An authorization challenge: scheme, error code and scope names, the resource's origin; never a token."""

    KIND = "session.challenged"
    id: str = ""
    method: str = ""
    tool: str = ""
    kind: str = "http"
    status: int | None = None
    scheme: str = ""
    error: str = ""
    scopes: tuple[str, ...] = ()
    resource: str = ""


class SessionClosed(Fact, frozen=True, kw_only=True):
    """The channel ended: by whom, and the server's exit code where one is known (negative: killed by that signal).

    Over stdio it is the session's end, over HTTP one exchange's or stream's.
    """

    KIND = "session.closed"
    transport: str = "stdio"
    by: str = "server"
    exit: int | None = None


# --- catalog ---------------------------------------------------------------------------------------------------------


class CatalogChanged(Fact, frozen=True, kw_only=True):
    """A change signal: `notifications/tools/list_changed`. `malformed`: announced, but its params are not an object."""

    KIND = "catalog.changed"
    subscription: str = ""
    malformed: bool = False


class ListStarted(Fact, frozen=True, kw_only=True):
    """A `tools/list` request left. `cursor` is a keyed hash, None where the request has none (absent or null).

    `origin` is `client`, or `witness` for a list of our own, which never stands for the client's traversal.
    """

    KIND = "catalog.list_started"
    id: str = ""
    cursor: str | None = None
    version: str = ""
    origin: str = "client"
    trigger: str = ""


class ToolRef(msgspec.Struct, frozen=True, array_like=True):
    """A tool of a page: name, contract digest (64 hex), short digests of what is shown and of its meaning (32 hex), and
    whether its annotations say `readOnlyHint: true` (a hint: it loosens nothing unless policy trusts the server).
    """

    name: str
    digest: str
    shown: str = ""
    meaning: str = ""
    read_only_hint: bool = False


class ListPage(Fact, frozen=True, kw_only=True):
    """A page of `tools/list`. `next` is a keyed hash, None where there is none (absent or null; "" is a cursor).

    `ambiguous` names the tools that have no contract (duplicate member names, no name, no canonical form).
    """

    KIND = "catalog.page"
    id: str = ""
    next: str | None = None
    next_null: bool = False
    tools: tuple[ToolRef, ...] = ()
    ambiguous: tuple[str, ...] = ()
    ttl_ms: int | None = None
    cache_scope: str = ""
    size_bytes: int = 0


class ListFailed(Fact, frozen=True, kw_only=True):
    """A `tools/list` request was answered by an error, by something unreadable, or not at all."""

    KIND = "catalog.list_failed"
    id: str = ""
    code: int | None = None
    reason: str = "error"


class SubscriptionAsked(Fact, frozen=True, kw_only=True):
    """`subscriptions/listen` was sent; `tools_list_changed` tells whether tool changes were asked for (2026-07-28)."""

    KIND = "catalog.subscription_asked"
    id: str = ""
    tools_list_changed: bool = False


class SubscriptionAcknowledged(Fact, frozen=True, kw_only=True):
    """The server acknowledged; `tools_list_changed` is the honoured part, not the wish."""

    KIND = "catalog.subscription_acknowledged"
    id: str = ""
    tools_list_changed: bool = False


class SubscriptionEnded(Fact, frozen=True, kw_only=True):
    """A subscription ended: `how` is result | cancelled | error | dropped."""

    KIND = "catalog.subscription_ended"
    id: str = ""
    how: str = "result"


class ShownTool(msgspec.Struct, frozen=True, array_like=True):
    """A tool as the client shows it: its shown name, the wire tool it maps to ("" if none), the short digest of what
    is shown, and the short `shown` digests of known wire contracts it agrees with at grade `core`.
    """

    shown: str
    wire: str
    digest: str
    agrees: tuple[str, ...] = ()
    deferred: bool = False


class CatalogInstalled(Fact, frozen=True, kw_only=True):
    """A host's report of what it shows the model at this instant (a receipt about the client's side)."""

    KIND = "catalog.installed"
    source: str = ""
    tools: tuple[ShownTool, ...] = ()
    digest: str = ""
    exact_names: bool = False
    continuous: bool = False
    partial: str = ""
    observed: bool = False


class ContractApproved(Fact, frozen=True, kw_only=True):
    """The approved contracts of a server (what a lockfile holds)."""

    KIND = "contract.approved"
    tools: tuple[ToolRef, ...] = ()


# --- calls -----------------------------------------------------------------------------------------------------------


class CallStarted(Fact, frozen=True, kw_only=True):
    """A `tools/call` request left. `echo` is the hash of the `requestState` that it returns (a further round).

    `undeclared` and `missing` count argument names against the contract that the client was last served;
    `fits_older` is true where they fit an earlier contract and not the current one. `unresolved`: an operation key is declared
    for the tool, and its pointer leads to nothing in these arguments (or they were too large to be read).
    """

    KIND = "call.started"
    id: str = ""
    tool: str = ""
    arguments: str = ""
    token: str | None = None
    key: str | None = None
    unresolved: bool = False
    echo: str = ""
    answers_input: bool = False
    version: str = ""
    task: bool = False
    size_bytes: int = 0
    undeclared: int = 0
    missing: int = 0
    fits_older: bool = False
    trace: str = ""


class CallProgress(Fact, frozen=True, kw_only=True):
    """A progress notification: hashed token and the number as sent (None where it is not a finite number)."""

    KIND = "call.progress"
    token: str = ""
    progress: float | None = None
    total: float | None = None


class CallCancelled(Fact, frozen=True, kw_only=True):
    """`notifications/cancelled` for a request id, by the side that sent it; `witness`: by us, as the policy asked."""

    KIND = "call.cancelled"
    id: str = ""
    by: str = "client"


class CallExpired(Fact, frozen=True, kw_only=True):
    """A clock of an open call ran out, measured by an observer at work on a clock that nobody sets; told once. `waiting`: a
    person was asked meanwhile. It cancels nothing by itself.
    """

    KIND = "call.expired"
    id: str = ""
    tool: str = ""
    clock: Literal["inactivity", "absolute"] = "absolute"
    limit_s: float = 0.0
    waiting: bool = False


class PersonAsked(Fact, frozen=True, kw_only=True):
    """The server asked the client for a person's input (`elicitation/create`, to 2025-11-25): the inactivity window of the
    calls that are open on this channel stands still.
    """

    KIND = "call.person_asked"
    id: str = ""


class PersonAnswered(Fact, frozen=True, kw_only=True):
    """The client answered an elicitation: the inactivity window starts anew."""

    KIND = "call.person_answered"
    id: str = ""


class CallArriving(Fact, frozen=True, kw_only=True):
    """A large answer began to arrive and is being forwarded; it is not an answer yet."""

    KIND = "call.arriving"
    side: str = "server"
    size_bytes: int = 0


class CallAnswered(Fact, frozen=True, kw_only=True):
    """The answer to a `tools/call`.

    `outcome`: result | tool_error (`isError: true`) | error (JSON-RPC error, or an HTTP refusal) | invalid (an envelope
    or result that its revision does not allow, named by `violation`) | input_required | task | lost (HTTP 5xx without a
    JSON-RPC body). With `result`, `violation` names why the declared output schema could not be checked, if it could not.
    """

    KIND = "call.answered"
    id: str = ""
    outcome: str = "result"
    code: int | None = None
    status: int | None = None
    violation: str = ""
    state: str = ""
    asks: tuple[str, ...] = ()
    task: str = ""
    task_status: str = ""
    size_bytes: int = 0
    probable: bool = False


class TaskReported(Fact, frozen=True, kw_only=True):
    """What a task's status is now, from `tasks/get`, `tasks/result`, `tasks/cancel` or a notification.

    `outcome` is set where the report carries the end: result | tool_error | error | invalid; `gone` where the handle is unknown.
    """

    KIND = "call.task"
    task: str = ""
    status: str = ""
    outcome: str = ""
    code: int | None = None
    gone: bool = False


class RequestAnswered(Fact, frozen=True, kw_only=True):
    """Another request (ping, prompts, resources, ...) was answered; counted. By the server, it proves acceptance; `client`
    marks the client's answer to a request of the server's (sampling, elicitation, roots, ping), which proves nothing.
    """

    KIND = "request.answered"
    method: str = ""
    code: int | None = None
    by: Side = "server"


class ResponseUnpaired(Fact, frozen=True, kw_only=True):
    """A response that no open request waits for.

    `reason`: nobody (an id never seen) | duplicate (an answered id, other content) | repeated (an answered id, equal
    content) | late (a cancelled id) | id_type (equal digits, other type, of an open id) | null_id.
    """

    KIND = "request.unpaired"
    id: str = ""
    reason: str = "nobody"
    side: str = "server"


class WireMalformed(Fact, frozen=True, kw_only=True):
    """Bytes that are not what the protocol demands; the finding's name, the size and the offset, never the bytes.

    `fatal` is true where a message may be lost in them; false for junk between messages and for advisories.
    """

    KIND = "wire.malformed"
    side: str = "server"
    finding: str = ""
    fatal: bool = False
    size_bytes: int = 0
    offset: int | None = None


# --- declarations and receipts ---------------------------------------------------------------------------------------


class EffectDeclared(Fact, frozen=True, kw_only=True):
    """What the operator says of a tool: its effect class, operation key and two clocks (seconds).

    `digest` covers the declaration as it was said, `destination` is the kind of its destination. `pointer` is where the key
    stands in the arguments (a JSON Pointer, the operator's own word), so that an observer at work can take it up; the key
    itself is only ever kept as a keyed hash.
    """

    KIND = "effect.declared"
    tool: str = ""
    effect: EffectClass = "write"
    has_key: bool = False
    pointer: str = ""
    key_lifetime_s: float | None = None
    inactivity_s: float | None = None
    absolute_s: float | None = None
    trusted_hints: bool = False
    destination: str = ""
    digest: str = ""


class EffectReported(Fact, frozen=True, kw_only=True):
    """A destination's answer about an effect: by call (id, and channel where ids repeat) or by operation key."""

    KIND = "effect.reported"
    call: str | None = None
    call_channel: str | None = None
    key: str | None = None
    status: Literal["applied", "absent", "unknown"] = "unknown"
    method: str = "receipt"
    count: int | None = None
    self_reported: bool = False
    destination: str = ""
    version: str = ""
    digest: str = ""
    reason: str = ""
    duration_ms: int | None = None


class EffectAccepted(Fact, frozen=True, kw_only=True):
    """A person accepted that an effect stays unknown: it ends the alarm and proves nothing."""

    KIND = "effect.accepted_unknown"
    call: str | None = None
    call_channel: str | None = None
    key: str | None = None
    who: str = ""


class OutcomeDeclared(Fact, frozen=True, kw_only=True):
    """A promised outcome and how it will be verified, declared by the operator."""

    KIND = "outcome.declared"
    outcome: str = ""
    verifier: str = ""
    digest: str = ""
    accept_judged: bool = False
    proves_effect: bool = False


class OutcomeReported(Fact, frozen=True, kw_only=True):
    """A verifier's answer. `error`: the verifier crashed, which is unknown, not failed."""

    KIND = "outcome.reported"
    outcome: str = ""
    status: Literal["passed", "failed", "error"] = "error"
    strength: Literal["deterministic", "judged"] = "deterministic"
    self_reported: bool = False
    expected: str = ""
    found: str = ""
    verifier: str = ""
    version: str = ""
    digest: str = ""
    reason: str = ""
    visibility: str = ""
    duration_ms: int | None = None


class RunOpened(Fact, frozen=True, kw_only=True):
    """A run began: what it needs of its sessions, and whose it is. `declaration` is the digest of all that was declared for it."""

    KIND = "run.opened"
    task: str = ""
    declaration: str = ""
    requires_versions: tuple[str, ...] = ()
    requires_capabilities: tuple[str, ...] = ()


class RunClosed(Fact, frozen=True, kw_only=True):
    """The run's runner closed it: it is judged as of this instant; what comes later belongs to later runs."""

    KIND = "run.closed"


# --- the gate --------------------------------------------------------------------------------------------------------


class GateDecided(Fact, frozen=True, kw_only=True):
    """What the gate did with a call: `allow`, `refuse` (we answered it and sent nothing on), or `drop` (the client gave it up
    while it was held; nothing was sent on). `held_ms` is how long it waited for the contract to be known.

    `reason` of a refusal: drifted | unpinned | approval_ended | ambiguous | unknown_tool | undeclared_argument |
    invalid_arguments | unchecked_arguments | cannot_list | budget | unreadable | not_initialized; of a drop: cancelled |
    ended. `stale_client`: the contract differs from the one that this client was last served. Digests are 64 hex, empty where
    there is none. `undeclared` counts argument names without a declaration; names are kept only of those that an approved or
    earlier served contract declared.
    """

    KIND = "gate.decided"
    id: str = ""
    tool: str = ""
    decision: str = "allow"
    reason: str = ""
    stale_client: bool = False
    current: str = ""
    approved: str = ""
    served: str = ""
    undeclared: int = 0
    swallowed: tuple[str, ...] = ()
    held_ms: int = 0


class GateListed(Fact, frozen=True, kw_only=True):
    """A list of our own ended: why it was asked (`call`, `signal`, `second_look`, `interval`, `join`), whether every page came,
    and if not why. `differs` names tools whose contract is not the one that this client was last served.
    """

    KIND = "gate.listed"
    trigger: str = ""
    complete: bool = False
    reason: str = ""
    pages: int = 0
    tools: int = 0
    digest: str = ""
    differs: tuple[str, ...] = ()


class GateChanged(Fact, frozen=True, kw_only=True):
    """The gate changed what the client was given: `withheld` definitions (of these, `replaced` by the approved ones), withheld
    `instructions`, pages `joined` into one, or a `nudge` of ours. Names are those of tools.
    """

    KIND = "gate.changed"
    what: str = ""
    tools: tuple[str, ...] = ()
    count: int = 0
    replaced: int = 0


# --- the log about itself --------------------------------------------------------------------------------------------


class EvidenceGap(Fact, frozen=True, kw_only=True):
    """The observer knows that it lost observations here: how many if known, and why."""

    KIND = "evidence.gap"
    reason: str = ""
    count: int | None = None
    line: int | None = None


class EvidenceCheckpoint(Fact, frozen=True, kw_only=True):
    """Somebody who holds the log attests a session's count and head hash at this instant (the session is in `of`)."""

    KIND = "evidence.checkpoint"
    of: str = ""
    count: int = 0
    head: str = ""


class ClockJumped(Fact, frozen=True, kw_only=True):
    """The observer's wall clock was set: by so many seconds against its monotonic one (negative: back)."""

    KIND = "evidence.clock_jumped"
    by_s: float = 0.0


class EvidenceBeat(Fact, frozen=True, kw_only=True):
    """The observer is alive and saw nothing new: the log speaks up to this instant."""

    KIND = "evidence.beat"


class EvidenceClosed(Fact, frozen=True, kw_only=True):
    """The observer's last word: how many events precede this one in its session, and their head hash."""

    KIND = "evidence.closed"
    count: int = 0
    head: str = ""


FACTS: Final[dict[str, type[Fact]]] = {
    fact.KIND: fact
    for fact in (
        SessionOpened, SessionOffered, SessionNegotiated, SessionConfirmed, SessionRefused, SessionChallenged, SessionClosed,
        CatalogChanged, ListStarted, ListPage, ListFailed, SubscriptionAsked, SubscriptionAcknowledged, SubscriptionEnded,
        CatalogInstalled, ContractApproved, CallStarted, CallProgress, CallCancelled, CallExpired, PersonAsked, PersonAnswered,
        CallArriving, CallAnswered, TaskReported, RequestAnswered, ResponseUnpaired, WireMalformed, EffectDeclared, EffectReported,
        EffectAccepted, OutcomeDeclared, OutcomeReported, RunOpened, RunClosed, GateDecided, GateListed, GateChanged, EvidenceGap,
        EvidenceCheckpoint, ClockJumped, EvidenceBeat, EvidenceClosed,
    )
}  # fmt: skip
"""Every kind of fact by its name; the CloudEvents `type` is `witnessmark.` + the name."""


class UnknownFact(Fact, frozen=True, kw_only=True):
    """A kind that this version does not know: kept in the order, able to prove nothing."""

    KIND = ""
    kind: str = ""


class Event(msgspec.Struct, frozen=True):
    """A fact in its envelope. `sequence` counts within (source, session) from 0 without holes; `prev` and `hash` are
    the chain (empty where the log was made in memory and never leaves it).
    """

    source: str
    session: str
    sequence: int
    run: str
    time_us: int
    fact: Fact
    prev: bytes = b""
    hash: bytes = b""

    @property
    def id(self) -> str:
        """The deterministic id: equal for every delivery of this event."""
        return f"{self.session}/{self.sequence}"


_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODERS: Final[dict[str, msgspec.json.Decoder[Fact]]] = {}


def encode_fact(fact: Fact) -> bytes:
    """The fact's `data` as canonical JSON bytes: sorted members, no white space, defaults left out."""
    return _ENCODER.encode(fact)


def decode_fact(kind: str, data: bytes) -> Fact:
    """The fact of `kind` in `data`; `UnknownFact` for a kind this version does not know.

    Raises msgspec.ValidationError or msgspec.DecodeError where the data do not fit the kind.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        known = FACTS.get(kind)
        if known is None:
            return UnknownFact(kind=kind)
        decoder = _DECODERS[kind] = msgspec.json.Decoder(known)
    return decoder.decode(data)
