"""The contracts that a server has served: the current one of each tool and a few earlier ones, with their digests.

They answer two questions while messages pass: does a call fit the contract that the client was last served (or an older
one), and does an answer keep to the declared output schema. A tool that is served again unchanged costs no digest.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.contract.arguments import fits
from witnessmark.contract.digest import contract_digest, meaning_digest, short, shown_digest
from witnessmark.contract.validating import Fit, SchemaFit
from witnessmark.contract.wire_tool import read_tool
from witnessmark.errors import PeerError
from witnessmark.model.evidence import ToolRef
from witnessmark.observe.redact import Redactor, canonical_text

MAX_EARLIER_CONTRACTS: Final = 4
"""Earlier contracts that are kept of a tool: a client that lags lags by one or two changes, not by five."""

MAX_TOOLS_KEPT: Final = 10_000
"""Tools that are kept: five times the largest catalog that is promised to work; the longest unseen are dropped first."""


MAX_FITS_KEPT: Final = 16
"""Sets of argument names whose fit is remembered for one contract; a client calls a tool with one or two of them."""


class Served:
    """One contract of one tool as it was served."""

    __slots__ = ("_fits", "_output", "_values", "encoded", "ref", "tool")

    def __init__(self, tool: dict[str, Any], ref: ToolRef, encoded: bytes) -> None:
        self.tool = tool
        self.ref = ref
        self.encoded = encoded
        self._fits: dict[frozenset[str], tuple[int, int]] = {}
        self._output: SchemaFit | None = None
        self._values: SchemaFit | None = None

    def fit(self, arguments: dict[str, Any]) -> tuple[int, int]:
        """How many argument names are undeclared and how many required ones are missing; decided by the names alone."""
        names = frozenset(arguments)
        known = self._fits.get(names)
        if known is None:
            found = fits(arguments, self.tool.get("inputSchema"))
            known = (found.undeclared, found.missing_required)
            if len(self._fits) < MAX_FITS_KEPT:
                self._fits[names] = known
        return known

    def values_fit(self, arguments: dict[str, Any]) -> Fit:
        """How the arguments stand to the input schema, their values included."""
        if self._values is None:
            self._values = SchemaFit(self.tool.get("inputSchema"))
        return self._values.of(arguments)

    @property
    def output_schema(self) -> SchemaFit | None:
        """The output schema as served, None if absent."""
        if self._output is None and (schema := self.tool.get("outputSchema")) is not None:
            self._output = SchemaFit(schema)
        return self._output


class ServedTools:
    """Contracts by wire name, the current one first. `generation` counts the changes, so that a reader may cache."""

    __slots__ = ("_by_name", "generation")

    def __init__(self) -> None:
        self._by_name: dict[str, list[Served]] = {}
        self.generation = 0

    def names(self) -> list[str]:
        """The wire names that were ever served and are still kept."""
        return list(self._by_name)

    def contracts(self, name: str) -> list[Served]:
        """The contracts of a tool, the current one first; empty if it was never served."""
        return self._by_name.get(name, [])

    def current(self, name: str) -> Served | None:
        """The contract of a tool that was served last."""
        known = self._by_name.get(name)
        return known[0] if known else None

    def adopt(self, name: str, other: ServedTools) -> None:
        """Take the contracts of a tool from another observer of the same server, so that none is made canonical twice."""
        theirs = other.contracts(name)
        if not theirs:
            return
        known = self._by_name.pop(name, [])
        if known and known[0].encoded == theirs[0].encoded:
            self._by_name[name] = known
            return
        earlier = [old for old in (*known, *theirs[1:]) if old.encoded != theirs[0].encoded]
        self._by_name[name] = [theirs[0], *earlier][: MAX_EARLIER_CONTRACTS + 1]
        self.generation += 1

    def take(self, value: Any, redact: Redactor, *, ambiguous: bool = False) -> ToolRef | str:
        """Notes one tool of a page; its reference, or its name ("" if it has none) where it has no contract."""
        read = read_tool(value, ambiguous=ambiguous)
        if not read.has_contract:
            return redact.name(read.name)
        name = read.name
        known = self._by_name.pop(name, None)  # put back at the end: the longest unseen stand first
        encoded = canonical_text(read.members)
        if known and known[0].encoded == encoded:
            self._by_name[name] = known
            return known[0].ref
        try:
            ref = tool_ref(read.members, redact)
        except PeerError:
            if known:
                self._by_name[name] = known
            return redact.name(name)
        served = Served(read.members, ref, encoded)
        earlier = [old for old in known or () if old.encoded != encoded]
        self._by_name[name] = [served, *earlier][: MAX_EARLIER_CONTRACTS + 1]
        self.generation += 1
        if len(self._by_name) > MAX_TOOLS_KEPT:
            del self._by_name[next(iter(self._by_name))]
        return ref


def tool_ref(tool: dict[str, Any], redact: Redactor) -> ToolRef:
    """The reference of a wire tool: name, contract digest, short digests of what is shown and of its meaning.

    Raises PeerError where it has no canonical form.
    """
    annotations = tool.get("annotations")
    return ToolRef(
        name=redact.name(tool.get("name")),
        digest=contract_digest(tool).removeprefix("sha256:"),
        shown=short(shown_digest(tool.get("description"), tool.get("inputSchema"))),
        meaning=short(meaning_digest(tool)),
        read_only_hint=type(annotations) is dict and annotations.get("readOnlyHint") is True,
    )
