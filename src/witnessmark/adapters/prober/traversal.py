"""One walk over `tools/list`: its pages taken one by one, and what ends it before its end.

A walk is complete when its first request has no cursor, each further cursor is exactly the previous answer's `nextCursor`,
every answer is a result, the last has none (absent or null; the empty string is a cursor), no cursor repeats and no two tools
share a name with different digests (verdicts.md section 2; 2026-07-28 server/utilities/pagination). Does no I/O.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from witnessmark.adapters.prober.ending import EndCode, ProbeEnded
from witnessmark.adapters.prober.inbox import Answer, is_finite
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.contract.digest import contract_digest
from witnessmark.contract.wire_tool import read_tool
from witnessmark.errors import PeerError
from witnessmark.observe.listing import tools_with_repeated_names

NO_TOOLS: Final[Mapping[str, dict[str, Any]]] = MappingProxyType({})
"""Nothing is known of the server yet."""

_encode = msgspec.json.Encoder(order="sorted").encode


class Traversal:
    """The tools of the pages so far, in the order in which the server listed them; `done` after the last page."""

    def __init__(self, limits: ProbeLimits, known: Mapping[str, dict[str, Any]] = NO_TOOLS) -> None:
        self._known = known
        self.pages = 0
        self.done = False
        self.cursor: str | None = None
        self._limits = limits
        self._tools: dict[str, dict[str, Any]] = {}
        self._ambiguous: dict[str, None] = {}
        self._cursors: set[bytes] = set()
        self._empty = 0

    @property
    def tools(self) -> tuple[dict[str, Any], ...]:
        """The tools that have one reading, each once, as they stood on the wire."""
        return tuple(tool for name, tool in self._tools.items() if name not in self._ambiguous)

    @property
    def ambiguous(self) -> tuple[str, ...]:
        """Names of the tools that can be read in two ways; `#N` for the Nth tool of the walk where it has no name."""
        return tuple(self._ambiguous)

    def params(self) -> dict[str, Any]:
        """The parameters that ask for the next page."""
        return {} if self.cursor is None else {"cursor": self.cursor}

    def take(self, answer: Answer) -> None:
        """Take the page in `answer`; ProbeEnded where the walk cannot complete any more."""
        place = f"page {self.pages + 1}"
        if answer.unreadable:
            raise ProbeEnded(EndCode.PAGE_UNREADABLE, f"{place} of tools/list cannot be read ({answer.unreadable})")
        if answer.code is not None:
            raise ProbeEnded(EndCode.PAGE_ERROR, f"{place} of tools/list was answered with error {answer.code}")
        result = answer.result
        if type(result) is not dict or type(result.get("tools")) is not list:
            raise ProbeEnded(EndCode.PAGE_UNREADABLE, f"{place} of tools/list holds no array `tools`")
        # 2026-07-28 basic: absent means complete; input_required and extensions are no page.
        if result.get("resultType", "complete") != "complete":
            raise ProbeEnded(EndCode.PAGE_UNREADABLE, f"{place} of tools/list is no complete result")
        self.pages += 1
        self._keep(result["tools"], answer)
        self._go_on(result["tools"], result.get("nextCursor"), place)

    def _keep(self, tools: list[Any], answer: Answer) -> None:
        doubtful = frozenset[int]()
        if answer.repeated_names is not None:
            doubtful = tools_with_repeated_names(answer.repeated_names, len(tools))
        for index, value in enumerate(tools):
            unclear = index in doubtful or (answer.unclear_numbers and not is_finite(value))
            tool = read_tool(value, ambiguous=unclear)
            if not tool.has_contract:
                self._ambiguous[tool.name or f"#{len(self._tools) + len(self._ambiguous)}"] = None
                continue
            members = self._as_known(tool.name, tool.members)
            listed = self._tools.setdefault(tool.name, members)
            if listed is not members:
                self._compare(tool.name, listed, members)
        if len(self._tools) > self._limits.max_tools:
            raise ProbeEnded(EndCode.TOOLS, f"the server lists more than {self._limits.max_tools} tools")

    def _as_known(self, name: str, members: dict[str, Any]) -> dict[str, Any]:
        """The known tool of that name where it is the same, byte for byte in one order of members; else what was listed."""
        known = self._known.get(name)
        if known is None or len(known) != len(members):
            return members
        try:
            return known if _encode(known) == _encode(members) else members
        except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):  # what only a canonical form can compare
            return members

    def _compare(self, name: str, one: dict[str, Any], other: dict[str, Any]) -> None:
        """Pages may overlap; two contracts under one name are an error."""
        try:
            same = contract_digest(one) == contract_digest(other)
        except PeerError:
            self._ambiguous[name] = None
            return
        if not same:
            raise ProbeEnded(EndCode.DUPLICATE_NAMES, f"two tools are named {name[:128]!a} and have different definitions")

    def _go_on(self, tools: list[Any], cursor: Any, place: str) -> None:
        if cursor is None:
            self.done = True
            return
        if type(cursor) is not str:
            raise ProbeEnded(EndCode.BAD_CURSOR, f"{place} ends with a cursor that is no text")
        mark = hashlib.sha256(cursor.encode("utf-8", "surrogatepass")).digest()
        if mark in self._cursors:
            raise ProbeEnded(EndCode.REPEATED_CURSOR, f"{place} ends with a cursor that an earlier page already had")
        self._cursors.add(mark)
        self._empty = 0 if tools else self._empty + 1
        if self._empty > self._limits.max_empty_pages:
            raise ProbeEnded(EndCode.EMPTY_PAGES, f"{self._empty} pages one after another hold no tool, and another is announced")
        if self.pages >= self._limits.max_pages:
            raise ProbeEnded(EndCode.PAGES, f"after {self.pages} pages another is announced")
        self.cursor = cursor
