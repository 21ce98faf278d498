"""One rule: a kind of change, how it is graded, where it is found and what its reader should do.

Pure: no I/O, no clock. Kinds and default grades: the catalogue of schema differences; a rule's file says what it adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

import msgspec

from witnessmark.contract.pairing import CatalogPair, Pair
from witnessmark.model.change import ABSENT, Confidence, ModelTold, OldCaller

Step = Literal["approve", "refresh", "shim", "pin", "read", "note", "nothing", "stop", "report"]
"""The one next step: approve after reading, make the client list again, map an argument in the proxy, stay on the old
server version, read both texts, take note, nothing, stop and find out, report it to the server's owner.
"""

TOOLCHAIN: Final = "toolchain"
"""The group of what schema generators and SDK swaps leave behind."""
CLAIMS_SAFER: Final = "claims-safer"
"""The lane of a relaxed annotation."""


class Doc(msgspec.Struct, frozen=True, kw_only=True):
    """The explanation of a kind, by its fixed headings."""

    means: str
    matters: str
    do: str
    cannot_see: str
    source: str

    @property
    def text(self) -> str:
        """All of it under the fixed headings, as `explain` prints it."""
        parts = (
            ("What it means", self.means),
            ("Why it matters", self.matters),
            ("What to do", self.do),
            ("What it cannot see", self.cannot_see),
            ("Source", self.source),
        )
        return "\n\n".join(f"{heading}\n{text}" for heading, text in parts)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One place where a rule's kind was found. What is None is as the rule says; `tool` "" means the pair's own tool
    (rules over the whole catalog name theirs).
    """

    pointer: str
    why: str
    before: Any = ABSENT
    after: Any = ABSENT
    tool: str = ""
    old_caller: OldCaller | None = None
    model_told: ModelTold | None = None
    confidence: Confidence | None = None
    action: str | None = None
    renamed_to: str = ""
    group: str | None = None
    lane: str | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A kind with its default grades. `find` looks at two contracts of one tool, `find_in_catalog` at two catalogs; a
    rule has one of them or both. `mirror`: the kinds that swapping before and after may give ("" for none: then the
    reason stands in the symmetry test). `structural`: the schema alone decides, so the containment oracle may overrule
    its `loud` and `changed` (`silent` and text rules are never overruled).
    """

    kind: str
    name: str
    old_caller: OldCaller
    model_told: ModelTold
    confidence: Confidence
    step: Step
    action: str
    doc: Doc
    find: Callable[[Pair], Iterator[Found]] | None = None
    find_in_catalog: Callable[[CatalogPair], Iterator[Found]] | None = None
    mirror: tuple[str, ...] = ()
    group: str = ""
    lane: str = ""
    structural: bool = False
    layer: str = "catalog"
    state: str = "stale_catalog"
    owner: str = "integration owner"
