"""A tool is gone and a new one looks like it."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Every likely rename that is more than a change of case."""
    for each in catalogs.renamed:
        if each.old.casefold() != each.new.casefold():
            why = f"{quoted(each.old)} is gone and {quoted(each.new)} looks like it: {', '.join(each.reasons)}"
            yield Found(tool=each.old, pointer="", why=why, before=each.old, after=each.new, renamed_to=each.new)


RULE = Rule(
    kind="tool-renamed",
    name="A tool probably has a new name",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="refresh",
    action="make the client read the tools again; approve the new name after reading it",
    find_in_catalog=find_in_catalog,
    mirror=("tool-renamed",),
    doc=Doc(
        means=(
            "A tool is gone and a new one has the same input schema, the same parameter names with a like text, or the same name "
            "but for separators."
        ),
        matters=(
            "A call under the old name is refused. The likeness is a guess: the new tool is another contract until somebody has read it."
        ),
        do="Make the client read the tools again. Approve the new tool after reading it; the proxy can map the old name to it.",
        cannot_see="Whether the new tool does the same: only names, schemas and texts were compared.",
        source="Seen in 23 of 807 hand-labelled changes of real servers, often by one rule over all tools (dashes for underscores).",
    ),
)
