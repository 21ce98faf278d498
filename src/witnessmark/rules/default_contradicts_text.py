"""The default in the schema is not the one in the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from witnessmark.contract.pairing import Pair
from witnessmark.contract.said_default import default_said
from witnessmark.contract.schema_view import same
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import quoted, shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Places whose default keyword and text did not contradict each other before and do now."""
    for spot in pair.input.spots:
        said = _contradicted(spot.new.schema)
        if said and not _contradicted(spot.old.schema):
            default = spot.new.schema["default"]
            why = f"the schema says {quoted('default')} {shown_value(default)}, the text says {quoted(said)}"
            yield Found(pointer=f"{spot.pointer}/default", why=why, before=spot.old.schema.get("default", ABSENT), after=default)


def _contradicted(schema: dict[str, Any]) -> str:
    """The default that the text names, if it cannot be the one of the keyword; else ""."""
    default, text = schema.get("default"), schema.get("description")
    if type(text) is not str or type(default) not in {bool, int, float, str}:
        return ""
    said = default_said(text)
    if said is None:
        return ""
    word, value = said
    if type(default) is str:
        return "" if type(value) is not str or word.casefold() == default.casefold() else word
    return "" if type(value) is str or same(value, default) else word


RULE = Rule(
    kind="default-contradicts-text",
    name="The default in the schema is not the one in the text",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="report",
    action="report it to the server's owner; send the argument explicitly",
    find=find,
    doc=Doc(
        means="The `default` keyword of a parameter and the default that its text names are two different values, and they "
        "were not before.",
        matters="The model may rely on either. Which one the server uses, neither says.",
        do="Send the argument explicitly and report the contradiction.",
        cannot_see="Defaults that a text describes instead of naming (`the whole page`), and which of the two is true.",
        source="JSON Schema 2020-12, validation, 9.2: `default` is not applied by validators, it only tells.",
    ),
)
