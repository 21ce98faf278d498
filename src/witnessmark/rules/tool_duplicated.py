"""Two different tools under one name: which of them answers is undefined."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Every name that stands for two definitions in the new catalog."""
    for name in catalogs.twice:
        several = [tool for tool in catalogs.new.tools if tool.get("name") == name]
        yield Found(tool=name, pointer="", why=f"{quoted(name)} is listed {len(several)} times with different definitions", after=several)


RULE = Rule(
    kind="tool-duplicated",
    name="Two tools have one name",
    old_caller="silent",
    model_told="changed",
    confidence="proven",
    step="stop",
    action="stop; report it to the server's owner",
    find_in_catalog=find_in_catalog,
    doc=Doc(
        means="The server lists two different definitions under one name.",
        matters="Which of them the model is shown and which of them answers is up to chance. Either can be the one that nobody read.",
        do="Do not use the tool; report it to the server's owner.",
        cannot_see="Which of the two the server runs.",
        source="MCP specification, tools/list: a tool's name is its identity within one server.",
    ),
)
