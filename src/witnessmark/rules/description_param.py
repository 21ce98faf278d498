"""The description of a parameter changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.orders import new_orders
from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import quoted
from witnessmark.rules._prose import texts_of
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Texts of parameters that differ, and those of new parameters that order the model about."""
    yield from texts_of(pair, "description-param")
    for names in pair.input.names:
        for name in names.added:
            text = names.now(name).schema.get("description")
            if type(text) is str and (orders := new_orders("", text)):
                why = f"the text of the new {quoted(name)} orders the model: {quoted(orders[0])}"
                yield Found(pointer=f"{names.place(name)}/description", why=why, after=text, model_told="escalated", confidence="medium")


RULE = Rule(
    kind="description-param",
    name="The description of a parameter changed",
    old_caller="none",
    model_told="changed",
    confidence="low",
    step="read",
    action="read both texts",
    find=find,
    mirror=("description-param", "description-removed", "default-changed-in-text", "bound-tightened-in-text", "param-removed-open"),
    doc=Doc(
        means="The text of a parameter, or of a property inside one, is another one, or stands where there was none.",
        matters="A base folder, a way of matching, a unit or a condition on other parameters usually stands only here. Old "
        "arguments then mean something else and are still accepted.",
        do="Read both texts. If the meaning moved, send the argument in the new sense, and approve then.",
        cannot_see="A meaning that moves without a number, a default or one of the cue words moving; and whether a flagged text "
        "really changed what the server does.",
        source="Labelled upgrades of real servers: most silent breaks are prose. Cues and their measured effect: contract/cue_words.py.",
    ),
)
