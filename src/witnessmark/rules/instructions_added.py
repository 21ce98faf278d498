"""The server instructs the model now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.orders import new_orders
from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._rule import Doc, Found, Rule


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """Instructions where there were none."""
    text = catalogs.new.instructions
    if text and not catalogs.old.instructions:
        orders = new_orders("", text)
        why = f"{len(text.split())} words to the model where there were none"
        why += f"; it orders the model: `{orders[0]}`" if orders else ""
        yield Found(pointer="/instructions", why=why, after=text)


RULE = Rule(
    kind="instructions-added",
    name="The server instructs the model now",
    old_caller="none",
    model_told="escalated",
    confidence="medium",
    step="read",
    action="read the text before you approve it",
    find_in_catalog=find,
    mirror=("instructions-removed",),
    doc=Doc(
        means="The server sends instructions and sent none.",
        matters="The text goes straight to the model, outside every tool, and applies to all of them.",
        do="Read all of it before you approve it.",
        cannot_see="Whether your client shows instructions to the model.",
        source="Specification, InitializeResult.instructions: a hint to the model, which clients may add to the system prompt.",
    ),
)
