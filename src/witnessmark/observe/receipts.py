"""Facts that are not seen on a wire but brought: installed catalogs, declarations, effects, outcomes, approvals.

One function for each kind, from the JSON text of its member (formats.md, "Transcript") to a fact; used for transcripts and
for `witnessmark receipt` alike. What does not fit raises ReceiptError, which says what was expected.
Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from witnessmark.contract.digest import digest_of, short, shown_digest
from witnessmark.contract.match import Grade, match
from witnessmark.contract.names import NameMap
from witnessmark.contract.shown import ShownDefinition, read_shown
from witnessmark.errors import InputError, PeerError
from witnessmark.model.evidence import (
    CatalogInstalled,
    ContractApproved,
    EffectDeclared,
    EffectReported,
    OutcomeDeclared,
    OutcomeReported,
    ShownTool,
    ToolRef,
)
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Purpose, Redactor
from witnessmark.observe.served import ServedTools, tool_ref
from witnessmark.wire.strictjson import decode

MODEL_REQUEST_SOURCES: Final = frozenset({"anthropic-messages", "openai-chat", "openai-responses", "gemini"})
"""Sources whose tools stand in the shape of a model request: seen where the model is asked, not told by the host about itself."""

MAX_COMPARED_CONTRACTS: Final = 4
"""Contracts of one tool that a shown definition is compared with: the current one and three earlier ones."""

MAX_SOURCE_CHARS: Final = 64
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")

_ABSENT: Final = msgspec.Raw(b"")

Seconds = Annotated[float, Meta(gt=0, le=10**9)]
Name = Annotated[str, Meta(min_length=1, max_length=1_024)]


class ReceiptError(InputError):
    """A receipt or a declaration is not what its kind demands."""


class _Partial(msgspec.Struct):
    by: str = ""
    kind: str = ""


class _Installed(msgspec.Struct):
    source: Name
    tools: msgspec.Raw = _ABSENT
    names: dict[str, str] | None = None
    mapping: str = ""
    digest: str = ""
    continuous: bool = False
    partial: _Partial | None = None
    deferred: list[str] = []


class _Declare(msgspec.Struct):
    tool: Name
    effect: Literal["read", "write", "destructive"] = "write"
    operation_key: str | None = None
    inactivity: Seconds | None = None
    absolute: Seconds | None = None
    trusted_hints: bool = False


class _Verifier(msgspec.Struct):
    kind: Name


class _Expect(msgspec.Struct):
    outcome: Name
    verifier: _Verifier | None = None
    accept_judged: bool = False
    proves_effect: bool = False


class _Effect(msgspec.Struct):
    status: Literal["applied", "absent", "unknown"]
    call: int | str | None = None
    operation_key: msgspec.Raw = _ABSENT
    method: Literal["receipt", "query", "operation_key"] = "receipt"
    count: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    channel: str | None = None
    self_reported: bool = False


class _Outcome(msgspec.Struct):
    outcome: Name
    status: Literal["passed", "failed", "error"]
    strength: Literal["deterministic", "judged"] = "deterministic"
    self_reported: bool = False


class _Approved(msgspec.Struct):
    tools: list[Any]


T = TypeVar("T")


def _read(text: bytes, kind: type[T], what: str) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ReceiptError(f"not {what}: {error}", where=what, hint="compare with the table in docs/transcript.md") from None


def _value(text: bytes) -> Any:
    decoded = decode(text)
    if not decoded.has_value:
        raise ReceiptError("not readable as JSON", where="receipt", hint="write one JSON object")
    return decoded.value


def installed(text: bytes, observer: Observer, redact: Redactor, channel: str) -> CatalogInstalled:
    """The fact of an `installed` report: each shown tool with its wire name and the served contracts that it agrees with."""
    report = _read(text, _Installed, "an installed report")
    if not len(report.tools) and not _DIGEST.fullmatch(report.digest):
        raise ReceiptError("neither tools nor a digest", where="an installed report", hint='give "tools": [...] or "digest": "sha256:..."')
    tools: tuple[ShownTool, ...] = ()
    if len(report.tools):
        listed = _value(bytes(report.tools))
        if type(listed) is not list:
            raise ReceiptError("tools is no array", where="an installed report", hint='give "tools": [...]')
        tools = _shown_tools(report, listed, observer, redact)
    partial = ""
    if report.partial is not None:
        partial = f"{redact.name(report.partial.by, MAX_SOURCE_CHARS)}/{redact.name(report.partial.kind, MAX_SOURCE_CHARS)}"
    return CatalogInstalled(
        server=observer.server,
        channel=channel,
        source=redact.name(report.source, MAX_SOURCE_CHARS),
        tools=tools,
        digest=report.digest if not len(report.tools) else "",
        exact_names=report.mapping == "exact",
        continuous=report.continuous,
        partial=partial,
        observed=report.source in MODEL_REQUEST_SOURCES,
    )


def _shown_tools(report: _Installed, listed: list[Any], observer: Observer, redact: Redactor) -> tuple[ShownTool, ...]:
    definitions = list(read_shown(report.source, listed).definitions)
    loaded = {definition.name for definition in definitions}
    definitions += [ShownDefinition(name, deferred=True) for name in dict.fromkeys(report.deferred) if name not in loaded]
    deferred = frozenset(report.deferred)
    wires = _wire_names(report, [definition.name for definition in definitions], observer)
    shown: list[ShownTool] = []
    for definition in definitions:
        wire = wires.get(definition.name) or ""
        digest = ""
        agrees: tuple[str, ...] = ()
        if definition.name in loaded:
            digest, agrees = _compared(definition, wire, observer.served)
        shown.append(
            ShownTool(redact.name(definition.name), redact.name(wire), digest, agrees, definition.deferred or definition.name in deferred)
        )
    return tuple(shown)


def _wire_names(report: _Installed, shown: list[str], observer: Observer) -> dict[str, str | None]:
    """The wire name of each shown name: as the report maps them, else by the ways in which clients are known to change names."""
    if report.names is not None and (report.mapping == "exact" or all(name in report.names for name in shown)):
        return {name: report.names.get(name) for name in shown}
    known = NameMap(observer.served.names(), observer.configured_name).wire_names(shown)
    return known if report.names is None else {**known, **report.names}


def _compared(definition: ShownDefinition, wire: str, served: ServedTools) -> tuple[str, tuple[str, ...]]:
    """The short digest of what is shown, and those of the served contracts that it agrees with at grade `core` or better."""
    try:
        digest = short(shown_digest(definition.description, definition.input_schema))
    except PeerError:
        return "", ()
    agrees: list[str] = []
    for contract in served.contracts(wire)[:MAX_COMPARED_CONTRACTS]:
        label = contract.ref.shown
        if label in agrees:
            continue
        try:
            agreed = digest == label or match(definition, contract.tool).grade is not Grade.DIFFERENT
        except PeerError:
            agreed = False
        if agreed:
            agrees.append(label)
    return digest, tuple(agrees)


def declared(text: bytes, observer: Observer, redact: Redactor, channel: str, *, for_others: bool = False) -> EffectDeclared:
    """The fact of an operator's word about a tool; the observer learns where its operation key stands.

    The pointer itself is kept only `for_others`: an observer in another process that must take the key up.
    """
    declaration = _read(text, _Declare, "a declaration of a tool")
    if declaration.operation_key is None:
        observer.declare_no_key(declaration.tool)
    else:
        try:
            observer.declare_key(declaration.tool, declaration.operation_key)
        except ValueError as error:
            raise ReceiptError(str(error), where="operation_key", hint='write a pointer into the arguments, as "/key"') from None
    return EffectDeclared(
        server=observer.server,
        channel=channel,
        tool=redact.name(declaration.tool),
        effect=declaration.effect,
        has_key=declaration.operation_key is not None,
        pointer=(declaration.operation_key or "") if for_others else "",
        inactivity_s=declaration.inactivity,
        absolute_s=declaration.absolute,
        trusted_hints=declaration.trusted_hints,
        digest=digest_of(_value(text)),
    )


def expected(text: bytes, observer: Observer, redact: Redactor, channel: str) -> OutcomeDeclared:
    """The fact of a promised outcome and its verifier."""
    declaration = _read(text, _Expect, "an expected outcome")
    return OutcomeDeclared(
        server=observer.server,
        channel=channel,
        outcome=redact.name(declaration.outcome),
        verifier=redact.word(declaration.verifier.kind) if declaration.verifier is not None else "",
        digest=digest_of(_value(text)),
        accept_judged=declaration.accept_judged,
        proves_effect=declaration.proves_effect,
    )


def effect(text: bytes, observer: Observer, redact: Redactor, channel: str | None, *, independent: bool) -> EffectReported:
    """The fact of a destination's answer; `independent` says that its reporter is none that the agent can write as."""
    report = _read(text, _Effect, "an effect")
    if report.call is None and not len(report.operation_key):
        raise ReceiptError("names neither a call nor an operation key", where="an effect", hint='give "call": ID or "operation_key": VALUE')
    key = None if not len(report.operation_key) else redact.hashed(Purpose.OPERATION_KEY, _value(bytes(report.operation_key)))
    return EffectReported(
        server=observer.server,
        channel=channel or "0",
        call=None if report.call is None else redact.id_token(report.call),
        call_channel=report.channel if report.channel is not None else channel,
        key=key,
        status=report.status,
        method=report.method,
        count=report.count,
        self_reported=report.self_reported or not independent,
    )


def outcome(text: bytes, observer: Observer, redact: Redactor, channel: str, *, independent: bool) -> OutcomeReported:
    """The fact of a verifier's answer."""
    report = _read(text, _Outcome, "an outcome")
    return OutcomeReported(
        server=observer.server,
        channel=channel,
        outcome=redact.name(report.outcome),
        status=report.status,
        strength=report.strength,
        self_reported=report.self_reported or not independent,
    )


def approved(text: bytes, observer: Observer, redact: Redactor, channel: str) -> ContractApproved:
    """The fact of the approved contracts; a tool that has no contract cannot be approved and is left out."""
    _read(text, _Approved, "approved contracts")
    refs: list[ToolRef] = []
    for tool in _value(text)["tools"]:
        if type(tool) is dict and type(tool.get("name")) is str:
            try:
                refs.append(tool_ref(tool, redact))
            except PeerError:
                continue
    return ContractApproved(server=observer.server, channel=channel, tools=tuple(refs))
