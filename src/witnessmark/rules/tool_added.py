"""A tool with a name that nobody approved."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Every name that the old catalog does not have."""
    from_old = {each.new: each.old for each in catalogs.renamed}
    for name in catalogs.added:
        origin = f"; it may be {quoted(from_old[name])} under a new name" if name in from_old else ""
        yield Found(tool=name, pointer="", why=f"{quoted(name)} is a name that nobody approved{origin}", after=catalogs.new_tools[name])


RULE = Rule(
    kind="tool-added",
    name="A tool is new",
    old_caller="none",
    model_told="escalated",
    confidence="proven",
    step="approve",
    action="approve it after reading, or hide it from the model",
    find_in_catalog=find_in_catalog,
    mirror=("tool-removed", "tool-renamed", "tool-name-recased"),
    doc=Doc(
        means="The server offers a tool under a name that the approved catalog does not have.",
        matters=(
            "The model can call it from now on. Its text stands before the model beside your approved tools, and its name may "
            "shadow a tool of another server."
        ),
        do="Read its whole definition; approve it, or hide it in the proxy.",
        cannot_see="Whether the tool was offered before to another client profile or user.",
        source="MCP specification, tools/list: a tool's name is its identity within one server.",
    ),
)
