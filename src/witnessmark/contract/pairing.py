"""Two contracts side by side: which tool is which, and what rules may ask about one of them.

Pure: no I/O, no clock. Facts are computed once, when a rule first asks for them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from witnessmark.contract.contain import Answer, covers
from witnessmark.contract.object_names import Names, names_of
from witnessmark.contract.renamed_tools import TwoCatalogs
from witnessmark.contract.schema_view import View, same, view
from witnessmark.contract.spots import Spot, Walk
from witnessmark.contract.successors import Renamed
from witnessmark.contract.texts import TextEdit, text_edits

_NO_SCHEMA: Final[dict[str, Any]] = {}


class Side:
    """The input or the output schema of a tool, before and after. `old` and `new` are as sent (None where absent or no
    object); `pointer` is `/inputSchema` or `/outputSchema`.
    """

    def __init__(self, old: Any, new: Any, pointer: str) -> None:
        self.old: dict[str, Any] | None = old if type(old) is dict else None
        self.new: dict[str, Any] | None = new if type(new) is dict else None
        self.pointer = pointer
        self.direction = 1 if pointer == "/inputSchema" else -1

    @cached_property
    def walk(self) -> Walk:
        """The matched places."""
        return Walk(self.old or _NO_SCHEMA, self.new or _NO_SCHEMA, self.pointer)

    @property
    def spots(self) -> list[Spot]:
        """The matched places that may differ, the top first."""
        return self.walk.spots

    @cached_property
    def names(self) -> list[Names]:
        """What happened to the names of every object that declares some, before or after."""
        return [names for spot in self.spots if (names := names_of(spot, self.old, self.new)) is not None and spot.polarity == 1]

    @cached_property
    def old_top(self) -> View:
        """The old schema at its top."""
        return view(self.old, self.old)

    @cached_property
    def new_top(self) -> View:
        """The new schema at its top."""
        return view(self.new, self.new)

    @cached_property
    def keeps(self) -> Answer:
        """Whether what was valid stays valid, for an input (the old side closed: an agent sends declared names); for an
        output whether what is now sent fits what was promised.
        """
        if self.direction == 1:
            return covers(self.new, self.old, arguments=True)
        return covers(self.old, self.new, arguments=False)

    @cached_property
    def kept_back(self) -> Answer:
        """The same with before and after exchanged."""
        if self.direction == 1:
            return covers(self.old, self.new, arguments=True)
        return covers(self.new, self.old, arguments=False)


class Pair:
    """One tool under one name, before and after. `old` and `new` are wire tools."""

    def __init__(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        self.name: str = new.get("name") or old.get("name") or ""
        self.old = old
        self.new = new

    @cached_property
    def input(self) -> Side:
        """Its input schemas."""
        return Side(self.old.get("inputSchema"), self.new.get("inputSchema"), "/inputSchema")

    @cached_property
    def output(self) -> Side:
        """Its output schemas."""
        return Side(self.old.get("outputSchema"), self.new.get("outputSchema"), "/outputSchema")

    @cached_property
    def texts(self) -> list[TextEdit]:
        """The descriptions that differ, each read once."""
        return text_edits(self.old, self.new, self.input.spots, self.output.spots)

    def changed(self, member: str) -> bool:
        """Whether a member of the tool differs literally (1 and 1.0 and key order aside)."""
        return (member in self.old) != (member in self.new) or not same(self.old.get(member), self.new.get(member))


CatalogPair = TwoCatalogs
__all__ = ["CatalogPair", "Pair", "Renamed", "Side"]
