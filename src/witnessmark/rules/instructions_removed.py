"""The server no longer instructs the model."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._rule import Doc, Found, Rule


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """No instructions where there were some."""
    text = catalogs.old.instructions
    if text and not catalogs.new.instructions:
        yield Found(pointer="/instructions", why=f"{len(text.split())} words to the model are gone", before=text)


RULE = Rule(
    kind="instructions-removed",
    name="The server no longer instructs the model",
    old_caller="none",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read what is gone",
    find_in_catalog=find,
    mirror=("instructions-added",),
    doc=Doc(
        means="The server sent instructions and sends none.",
        matters="What they told the model, an order of calls, a warning, a limit, it is no longer told.",
        do="Read the old text; put what you need of it into your own prompt.",
        cannot_see="Whether the tools' own texts say it now.",
        source="Specification, InitializeResult.instructions: a hint to the model, which clients may add to the system prompt.",
    ),
)
