"""The tools stand in another order."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._rule import Doc, Found, Rule


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Whether the tools that both catalogs have stand in another order."""
    old = [name for name in catalogs.old_tools if name in catalogs.new_tools]
    new = [name for name in catalogs.new_tools if name in catalogs.old_tools]
    if old != new:
        yield Found(pointer="/tools", why="the same tools in another order")


RULE = Rule(
    kind="tool-order",
    name="The order of tools changed",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find_in_catalog=find_in_catalog,
    mirror=("tool-order",),
    doc=Doc(
        means="The catalog lists the same tools in another order.",
        matters="It does not, except that a client's prompt cache may be lost.",
        do="Nothing has to be done.",
        cannot_see="Whether the model's choice depends on the order.",
        source="A tool's name is its identity; lists are read page by page and have no order that anybody promises.",
    ),
)
