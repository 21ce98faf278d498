"""What is asked of a verifier or a destination, how far an answer may go, and what an answer is.

No answer holds a value: an outcome's is a word and two digests, an effect's a word and a count (verdicts.md section 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Literal, Protocol

import msgspec

from witnessmark.adapters.server_entry import ServerEntry
from witnessmark.model.declaration import Kind, Visibility

MIB: Final = 1 << 20

Reason = Literal[
    "", "time_limit", "output_limit", "crashed", "unreachable", "bad_value", "missing_value", "bad_setting", "unsafe_path",
    "changed_while_read",
    "not_understood", "contradicts", "nothing_checked", "too_old", "not_permitted", "not_declared_read", "held_key_missing", "not_held",
    "exit_code", "differs", "absent", "not_installed",
]  # fmt: skip
"""Why an answer is what it is: a closed list, in words of ours."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How far one question goes. What goes beyond is unknown, never failed and never absent."""

    seconds: float = 10.0
    """A person waits for the end of a run; what needs longer says so in its own declaration one day."""
    output_bytes: int = MIB
    """What an answer may hold: a verdict is a word, a test report of ten thousand tests has 1 MB."""
    file_bytes: int = 1024 * MIB
    """A file that is hashed: a stream, so only time limits it in earnest."""
    rows: int = 10_000
    """Rows that a query may give."""


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a question is asked from: the configuration's folder, the variables that references name, servers, declared reads."""

    folder: str
    environment: Mapping[str, str] = {}
    servers: Mapping[str, ServerEntry] = {}
    read_tools: frozenset[str] = frozenset()
    """`SERVER/TOOL` of every tool that the operator declared to be a read."""
    run_began_us: int = 0


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question: the settings of its kind, the call's arguments by name, its operation key. Printing it shows no value."""

    settings: Mapping[str, Any]
    where: Surroundings
    values: Mapping[str, Any] = {}
    key: Any = None
    visibility: Visibility = "private"

    def __repr__(self) -> str:
        """How many values it has."""
        return f"<a question with {len(self.values)} values>"

    def value(self, name: str) -> Any:
        """The argument of that name, or the operation key; Unanswered where there is none."""
        if name == "operation_key" and self.key is not None:
            return self.key
        if name not in self.values:
            raise Unanswered("missing_value")
        return self.values[name]


class OutcomeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A verifier's answer; `expected` and `found` are SHA-256 digests, "" where there is nothing to compare."""

    status: Literal["passed", "failed", "error"]
    reason: Reason = ""
    expected: str = ""
    found: str = ""


class EffectAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A destination's answer; a count above one is told as it is."""

    status: Literal["applied", "absent", "unknown"]
    method: Literal["operation_key", "receipt", "query"] = "query"
    reason: Reason = ""
    count: int | None = None


class Unanswered(Exception):
    """There is no answer: `error` of a verifier, `unknown` of a destination."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class Verifier(Kind, Protocol):
    """A kind of verifier that can be asked."""

    @property
    def version(self) -> str:
        """Changes whenever the same world could get another answer."""

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer; Unanswered, or any exception, where there is none."""


class Destination(Kind, Protocol):
    """A kind of destination that can be asked."""

    @property
    def version(self) -> str:
        """Changes whenever the same world could get another answer."""

    def ask(self, question: Question, limits: Limits) -> EffectAnswer:
        """The answer; Unanswered, or any exception, where there is none."""


def digest_of(data: bytes) -> str:
    """`sha256:` and 64 hex digits."""
    return f"sha256:{sha256(data).hexdigest()}"


def digest_of_value(value: Any) -> str:
    """The digest of a JSON value, its members in order."""
    return digest_of(msgspec.json.encode(value, order="deterministic"))


def counted(count: Any, method: Literal["operation_key", "receipt", "query"]) -> EffectAnswer:
    """Applied or absent by a count; Unanswered where it is no count."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise Unanswered("not_understood")
    return EffectAnswer(status="applied" if count else "absent", count=count, method=method)


def compared(expected: Any, found: Any) -> OutcomeAnswer:
    """Passed where both are the same JSON value; True is not 1."""
    one, other = digest_of_value(expected), digest_of_value(found)
    return OutcomeAnswer(status="passed" if one == other else "failed", reason="" if one == other else "differs", expected=one, found=other)
