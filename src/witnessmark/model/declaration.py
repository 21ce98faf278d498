"""What a project declares of its tools, destinations and tasks, and the kinds of verifiers and destinations there are.

A declaration is the operator's word, said before the first call (verdicts.md section 3). It is read from `witnessmark.toml`
by model/declaring.py, or built in Python. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol

import msgspec

from witnessmark.model.evidence import EffectClass
from witnessmark.model.members import Member
from witnessmark.model.policy import Policy

Strength = Literal["deterministic", "judged"]
Visibility = Literal["private", "public"]

VERIFIERS: Final = "witnessmark.verifiers"
DESTINATIONS: Final = "witnessmark.destinations"
SINKS: Final = "witnessmark.sinks"
"""Entry-point groups of plug-ins. Each entry is named after its kind and leads to a `Kind`."""


class Kind(Protocol):
    """A kind of verifier or destination, as a plug-in declares it: what may be written into `{ kind = NAME, ... }`."""

    @property
    def members(self) -> Mapping[str, Member]:
        """Its settings by name, without `kind`."""

    @property
    def strength(self) -> Strength:
        """What an answer of it is worth; a destination's is `deterministic`."""


class DeclaredKind(msgspec.Struct, frozen=True):
    """A kind given as data: its settings, and what its answers are worth."""

    members: Mapping[str, Member]
    strength: Strength = "deterministic"


class Kinds(msgspec.Struct, frozen=True):
    """The kinds that may be declared here, by name."""

    verifiers: Mapping[str, Kind]
    destinations: Mapping[str, Kind]


class DestinationDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """How to ask whether an effect is there. `name` is that of a shared one (`[destinations.NAME]`), "" for one in place."""

    kind: str
    settings: dict[str, Any] = {}
    name: str = ""


class ToolDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator says of one tool of one server. Times in seconds; None where nothing was said."""

    server: str
    tool: str
    effect: EffectClass = "write"
    operation_key: str | None = None
    """JSON Pointer (RFC 6901) into the arguments."""
    key_lifetime_s: float | None = None
    """How long the destination remembers the key; None: for ever."""
    inactivity_s: float | None = None
    absolute_s: float | None = None
    trust_hints: bool = False
    """The server's `readOnlyHint` is believed for this tool."""
    verify: str = ""
    destination: DestinationDeclaration | None = None


class OutcomeDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """A promised outcome and the verifier that will say whether it is kept."""

    name: str
    kind: str
    settings: dict[str, Any] = {}
    strength: Strength = "deterministic"
    accept_judged: bool = False
    proves_effect: bool = False
    visibility: Visibility = "private"
    """Whether it is verified as the owner sees it, or as anybody does."""


class Requires(msgspec.Struct, frozen=True, kw_only=True):
    """What a run needs of its sessions: a range of protocol versions (ends included, "" is open) and capabilities."""

    oldest: str = ""
    newest: str = ""
    capabilities: tuple[str, ...] = ()


class TaskDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of intended work: what it promises and what it needs."""

    name: str
    outcomes: tuple[OutcomeDeclaration, ...] = ()
    requires: Requires = Requires()


class RunDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """What is declared for one run: its tools, its task if one was named, and the policy."""

    tools: tuple[ToolDeclaration, ...] = ()
    task: TaskDeclaration | None = None
    policy: Policy = Policy()

    def of_server(self, server: str) -> RunDeclaration:
        """The part that speaks of one server's tools, with task and policy."""
        return msgspec.structs.replace(self, tools=tuple(tool for tool in self.tools if tool.server == server))

    def document(self) -> Any:
        """The declaration as JSON values: what its digest covers."""
        return as_json(self)


def as_json(declaration: msgspec.Struct) -> Any:
    """A declaration as plain JSON values: dates of TOML are texts, as they stand in JSON."""
    return msgspec.json.decode(msgspec.json.encode(declaration))


class Declarations(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a configuration declares."""

    tools: tuple[ToolDeclaration, ...] = ()
    tasks: dict[str, TaskDeclaration] = {}
    destinations: dict[str, DestinationDeclaration] = {}
    policy: Policy = Policy()

    def for_run(self, task: str | None = None) -> RunDeclaration:
        """What holds for a run of that task; KeyError for a task that is not declared."""
        return RunDeclaration(tools=self.tools, task=self.tasks[task] if task is not None else None, policy=self.policy)
