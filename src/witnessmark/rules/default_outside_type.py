"""The default is no value that the schema allows."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import View, json_type, same
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Properties whose default fits no longer, while it fitted before or was not there."""
    for spot in pair.input.spots:
        if spot.name and _contradicts(spot.new) and not _contradicts(spot.old):
            why = f"the default {shown_value(spot.new.schema['default'])} is not among what the schema allows"
            yield Found(
                pointer=f"{spot.pointer}/default", why=why, before=spot.old.schema.get("default", ABSENT), after=spot.new.schema["default"]
            )


def _contradicts(side: View) -> bool:
    """Whether the default is outside the types or values of its schema; null counts as nothing chosen."""
    if "default" not in side.schema or side.schema["default"] is None or side.branches or side.unread:
        return False
    kind = json_type(side.schema["default"])
    if side.types is not None and kind not in side.types and not (kind == "integer" and "number" in side.types):
        return True
    values = side.values
    return values is not None and not any(same(side.schema["default"], value) for value in values.values())


RULE = Rule(
    kind="default-outside-type",
    name="A default contradicts its schema",
    old_caller="none",
    model_told="changed",
    confidence="high",
    step="report",
    action="report it to the server's owner",
    find=find,
    doc=Doc(
        means="The parameter's default has a type, or is a value, that its own schema refuses.",
        matters="Nobody can tell what leaving the argument out means; a model that sends the default is refused.",
        do="Report it to the server's owner; send the parameter explicitly.",
        cannot_see="Patterns, formats and bounds are not tried on the default.",
        source="JSON Schema 2020-12, validation 9.2 (default): it asserts nothing; servers apply it when the argument is left out.",
    ),
)
