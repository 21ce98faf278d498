"""The same call means another value."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.rules._naming import chooses_nothing, quoted, same_items, shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Properties of both sides with two different defaults."""
    for spot in pair.input.spots:
        old, new = spot.old.schema, spot.new.schema
        if spot.name and "default" in old and "default" in new and not same(old["default"], new["default"]):
            why = f"a call without {quoted(spot.name)} meant {shown_value(old['default'])} and means {shown_value(new['default'])} now"
            shuffled = same_items(old["default"], new["default"])
            yield Found(
                pointer=f"{spot.pointer}/default",
                why="the same items in another order" if shuffled else why,
                before=old["default"],
                after=new["default"],
                old_caller="none" if shuffled or (chooses_nothing(old["default"]) and chooses_nothing(new["default"])) else None,
                model_told="same" if shuffled else None,
            )


RULE = Rule(
    kind="default-changed",
    name="A default changed",
    old_caller="silent",
    model_told="changed",
    confidence="high",
    step="read",
    action="send the parameter explicitly",
    find=find,
    mirror=("default-changed",),
    doc=Doc(
        means="The parameter's default changed.",
        matters="The same call, without the argument, means something else now. Nobody sees an error.",
        do="Send the parameter explicitly.",
        cannot_see="Whether the server applies its published default.",
        source=(
            "JSON Schema 2020-12, validation 9.2 (default): it asserts nothing; servers apply it when the argument is left out. "
            "Seen: a search's `max_results` from 10 to 5."
        ),
    ),
)
