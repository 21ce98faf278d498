"""A tool is gone and nothing looks like its successor."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Every name that is gone without a likely successor."""
    for name in catalogs.gone:
        yield Found(tool=name, pointer="", why=f"{quoted(name)} is no longer offered", before=catalogs.old_tools[name])


RULE = Rule(
    kind="tool-removed",
    name="A tool is gone",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="refresh",
    action="make the client read the tools again; find its successor",
    find_in_catalog=find_in_catalog,
    mirror=("tool-added",),
    doc=Doc(
        means="The approved catalog has this tool, the current one does not.",
        matters="A call of it is refused: by a protocol error or, more often, by a result marked as an error.",
        do="Make the client read the tools again; look for a successor among the new tools.",
        cannot_see="Whether the server still answers to the name although it no longer lists it.",
        source="MCP specification, tools/list: a tool's name is its identity within one server.",
    ),
)
