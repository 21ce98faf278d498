"""From the decoded tables of `witnessmark.toml` to declarations. All that is wrong is said at once.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from witnessmark.errors import UsageError
from witnessmark.model.declaration import (
    Declarations,
    DestinationDeclaration,
    Kind,
    Kinds,
    OutcomeDeclaration,
    Requires,
    TaskDeclaration,
    ToolDeclaration,
)
from witnessmark.model.declaration_tables import BUILT_IN, KIND, OUTCOME, TASK, TOOL
from witnessmark.model.members import Keys, Problem, read_members
from witnessmark.model.policy import Policy, duration_s, read_policy

NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""Names of servers, tasks, destinations and outcomes."""
NAME_HINT: Final = "up to 64 letters, digits, dots, dashes and underscores"
MAX_TOOL_CHARS: Final = 1_024
"""The longest name of a tool, as of a receipt (observe/receipts.py)."""

_PROTOCOL: Final = re.compile(r"protocol\s*(>=|<=|=)\s*(\d{4}-\d\d-\d\d)")
_CAPABILITY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_/-]+)*")
_ENUM: Final = re.compile(r"Invalid enum value .* - at `[^`]*`")
_VERIFY: Final = re.compile(r"always|ttl|signal|max_age(?:=(.+))?")

Role = Literal["verifier", "destination"]


class Declaring:
    """Reads the tables of one configuration; what is wrong gathers in `problems`."""

    def __init__(self, kinds: Kinds = BUILT_IN) -> None:
        self.problems: list[Problem] = []
        self._kinds = kinds

    def read(self, document: Mapping[str, Any]) -> Declarations:
        """The declarations of a document; what is wrong is left out of them and stands in `problems`."""
        destinations = {
            name: shared
            for name, raw in self._named(document, "destinations").items()
            if (shared := self._destination(raw, ("destinations", name), name)) is not None
        }
        known = set(self._table(document, "destinations"))
        tools = [self._tool(name, raw, destinations, known) for name, raw in self._table(document, "tools").items()]
        tasks = {name: self._task(name, raw) for name, raw in self._named(document, "tasks").items()}
        return Declarations(
            tools=tuple(tool for tool in tools if tool is not None),
            tasks=tasks,
            destinations=destinations,
            policy=self._policy(self._table(document, "policy")),
        )

    def _say(self, keys: Keys, message: str, hint: str) -> None:
        self.problems.append(Problem(keys, message, hint))

    def _table(self, document: Mapping[str, Any], name: str) -> dict[str, Any]:
        table = document.get(name, {})
        if isinstance(table, dict):
            return table
        self._say((name,), "must be a table", f"write [{name}] or [{name}.NAME]")
        return {}

    def _named(self, document: Mapping[str, Any], table: str) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for name, raw in self._table(document, table).items():
            if NAME.fullmatch(name):
                named[name] = raw
            else:
                self._say((table, name), "is no name", NAME_HINT)
        return named

    # --- tools --------------------------------------------------------------------------------------------------------

    def _tool(self, name: str, raw: Any, destinations: Mapping[str, DestinationDeclaration], known: set[str]) -> ToolDeclaration | None:
        keys: Keys = ("tools", name)
        server, slash, tool = name.partition("/")
        if not slash or not NAME.fullmatch(server) or not 0 < len(tool) <= MAX_TOOL_CHARS:
            self._say(keys, "is no tool of a server", 'write [tools."SERVER/TOOL"]')
            return None
        found = read_members(raw, TOOL, keys, "a tool", self.problems)
        if found.get("trust_hints") and "effect" in found:
            self._say((*keys, "trust_hints"), "stands beside effect", "say the effect yourself, or trust the server's hint")
        if "key_lifetime" in found and "operation_key" not in found:
            self._say((*keys, "key_lifetime"), "has no operation_key", "say where the key stands, or leave the lifetime out")
        if found.get("inactivity", 0) > found.get("absolute", float("inf")):
            self._say((*keys, "inactivity"), "is longer than absolute", "the window must end before the deadline")
        verify = found.get("verify", "")
        if verify and not self._is_verify(verify):
            self._say((*keys, "verify"), "is no verify policy", 'write "always", "max_age=30s", "ttl" or "signal"')
        destination = None
        if "destination" in found:
            destination = self._destination_of(found["destination"], (*keys, "destination"), destinations, known)
        return ToolDeclaration(
            server=server,
            tool=tool,
            effect=found.get("effect", "write"),
            operation_key=found.get("operation_key"),
            key_lifetime_s=found.get("key_lifetime"),
            inactivity_s=found.get("inactivity"),
            absolute_s=found.get("absolute"),
            trust_hints=found.get("trust_hints", False),
            verify=verify,
            destination=destination,
        )

    @staticmethod
    def _is_verify(text: str) -> bool:
        word = _VERIFY.fullmatch(text)
        if word is None:
            return False
        try:
            return word[1] is None or duration_s(word[1], "") >= 0
        except UsageError:
            return False

    def _destination_of(
        self, raw: Any, keys: Keys, shared: Mapping[str, DestinationDeclaration], known: set[str]
    ) -> DestinationDeclaration | None:
        if not isinstance(raw, str):
            return self._destination(raw, keys)
        if raw not in known:
            self._say(keys, "names no destination of this file", f"known: {', '.join(sorted(known)) or 'none'}; write [destinations.NAME]")
        return shared.get(raw)

    def _destination(self, raw: Any, keys: Keys, name: str = "") -> DestinationDeclaration | None:
        read = self._settings(raw, keys, "destination", self._kinds.destinations)
        return None if read is None else DestinationDeclaration(kind=read[0], settings=read[1], name=name)

    def _settings(self, raw: Any, keys: Keys, role: Role, kinds: Mapping[str, Kind]) -> tuple[str, dict[str, Any]] | None:
        """The kind and the settings of a verifier or a destination, as the kind's own table says."""
        if not isinstance(raw, dict):
            self._say(keys, "must be a table", 'write { kind = "file", path = "out.txt" }')
            return None
        kind = raw.get("kind")
        if not isinstance(kind, str) or kind not in kinds:
            hint = f"known: {', '.join(sorted(kinds)) or 'none'}; further kinds come with plug-ins"
            self._say((*keys, "kind") if "kind" in raw else keys, f"is no kind of {role} that is installed here", hint)
            return None
        members = {"kind": KIND, **kinds[kind].members}
        settings = read_members(raw, members, keys, f"a {role} of kind {kind}", self.problems)
        settings.pop("kind", None)
        return kind, settings

    # --- tasks --------------------------------------------------------------------------------------------------------

    def _task(self, name: str, raw: Any) -> TaskDeclaration:
        keys: Keys = ("tasks", name)
        found = read_members(raw, TASK, keys, "a task", self.problems)
        outcomes: dict[str, OutcomeDeclaration] = {}
        for place, one in enumerate(found.get("outcomes", ())):
            outcome = self._outcome(one, (*keys, "outcomes", place))
            if outcome is None:
                continue
            if outcome.name in outcomes:
                self._say((*keys, "outcomes", place, "name"), "is the name of another outcome of this task", "give each a name of its own")
            outcomes[outcome.name] = outcome
        requires = self._requires(found.get("requires", ()), (*keys, "requires"))
        return TaskDeclaration(name=name, outcomes=tuple(outcomes.values()), requires=requires)

    def _outcome(self, raw: Any, keys: Keys) -> OutcomeDeclaration | None:
        found = read_members(raw, OUTCOME, keys, "an outcome", self.problems)
        if "name" in found and not NAME.fullmatch(found["name"]):
            self._say((*keys, "name"), "is no name", NAME_HINT)
            return None
        if "verify" not in found:
            return None
        read = self._settings(found["verify"], (*keys, "verify"), "verifier", self._kinds.verifiers)
        if read is None or "name" not in found:
            return None
        kind, settings = read
        strength = self._kinds.verifiers[kind].strength
        if found.get("proves_effect") and strength == "judged":
            self._say((*keys, "proves_effect"), "cannot be said of a judgement", "a model's judgement proves no effect")
        return OutcomeDeclaration(
            name=found["name"],
            kind=kind,
            settings=settings,
            strength=strength,
            accept_judged=found.get("accept_judged", False),
            proves_effect=found.get("proves_effect", False) and strength == "deterministic",
            visibility=found.get("visibility", "private"),
        )

    def _requires(self, words: list[str] | tuple[str, ...], keys: Keys) -> Requires:
        oldest, newest = "", ""
        capabilities: list[str] = []
        for place, word in enumerate(words):
            found = _PROTOCOL.fullmatch(word.strip())
            if found is not None:
                sign, version = found[1], found[2]
                oldest = max(oldest, version) if sign != "<=" else oldest
                newest = min(newest or version, version) if sign != ">=" else newest
            elif _CAPABILITY.fullmatch(word) and word != "protocol":
                capabilities.append(word)
            else:
                hint = '"protocol>=2025-06-18", "tools.listChanged"'
                self._say((*keys, place), "names neither a protocol version nor a capability", hint)
        if newest and oldest > newest:
            self._say(keys, "no protocol version is in this range", "the oldest must not be newer than the newest")
        return Requires(oldest=oldest, newest=newest, capabilities=tuple(dict.fromkeys(capabilities)))

    # --- policy -------------------------------------------------------------------------------------------------------

    def _policy(self, members: dict[str, Any]) -> Policy:
        good: dict[str, Any] = {}
        for name, value in members.items():
            try:
                read_policy({name: value}, "policy")
                good[name] = value
            except UsageError as error:
                self._say(("policy", name), _without_value(error.message), error.hint)
        try:
            return read_policy(good, "policy")
        except UsageError as error:
            self._say(("policy",), _without_value(error.message), error.hint)
            return Policy()


def _without_value(message: str) -> str:
    """The message of a policy's reader without what it quotes of the file."""
    return "is no duration" if message.endswith("is no duration") else _ENUM.sub("is none of its words", message)


def read_declarations(document: Mapping[str, Any], kinds: Kinds = BUILT_IN) -> tuple[Declarations, list[Problem]]:
    """The declarations of a decoded configuration, and everything that is wrong with it."""
    reader = Declaring(kinds)
    declarations = reader.read(document)
    return declarations, reader.problems
