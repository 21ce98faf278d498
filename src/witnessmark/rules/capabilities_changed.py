"""The server's capabilities changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._rule import Doc, Found, Rule


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """Capabilities as sets; order says nothing."""
    old, new = frozenset(catalogs.old.capabilities), frozenset(catalogs.new.capabilities)
    if old != new:
        said = [f"{word} {', '.join(sorted(names))}" for word, names in (("new:", new - old), ("gone:", old - new)) if names]
        yield Found(pointer="/capabilities", why="; ".join(said), before=sorted(old), after=sorted(new))


RULE = Rule(
    kind="capabilities-changed",
    name="The server's capabilities changed",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="note",
    action="take note",
    find_in_catalog=find,
    mirror=("capabilities-changed",),
    doc=Doc(
        means="The server declares capabilities that it did not declare, or no longer declares some.",
        matters="Tools are called as before. Where `tools.listChanged` is new, the client can be told of changes; where it is "
        "gone, it must look for itself.",
        do="Take note; no call breaks by it.",
        cannot_see="Whether the server does what it declares.",
        source="Specification, InitializeResult.capabilities.",
    ),
)
