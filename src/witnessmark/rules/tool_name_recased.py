"""A tool's name changed its case: names are case-sensitive."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Every rename that changes nothing but case."""
    for each in catalogs.renamed:
        if each.old.casefold() == each.new.casefold():
            why = f"{quoted(each.old)} is now spelled {quoted(each.new)}"
            yield Found(tool=each.old, pointer="", why=why, before=each.old, after=each.new, renamed_to=each.new)


RULE = Rule(
    kind="tool-name-recased",
    name="A tool's name changed its case",
    old_caller="loud",
    model_told="changed",
    confidence="high",
    step="shim",
    action="map the old name to the new one in the proxy",
    find_in_catalog=find_in_catalog,
    mirror=("tool-name-recased",),
    doc=Doc(
        means="A tool is gone and a like one has its name in other case.",
        matters="Names of tools are compared letter by letter: a call under the old spelling is refused.",
        do="Make the client read the tools again, or map the old name to the new one in the proxy.",
        cannot_see="Whether the server also answers to the old spelling.",
        source="MCP specification, tools/list: a tool's name is its identity within one server.",
    ),
)
