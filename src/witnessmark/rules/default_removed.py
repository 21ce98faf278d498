"""A parameter lost its default."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import chooses_nothing, quoted, shown_value
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Properties of both sides that have a default no longer; null said only that nothing is chosen."""
    for spot in pair.input.spots:
        if not spot.name or "default" not in spot.old.schema or "default" in spot.new.schema:
            continue
        default = spot.old.schema["default"]
        if default is None:
            yield Found(
                pointer=f"{spot.pointer}/default",
                why="null is no longer written out as default",
                before=None,
                old_caller="none",
                model_told="same",
                group=TOOLCHAIN,
            )
        else:
            why = f"a call without {quoted(spot.name)} meant {shown_value(default)}; what it means now is not said"
            yield Found(pointer=f"{spot.pointer}/default", why=why, before=default, old_caller="none" if chooses_nothing(default) else None)


RULE = Rule(
    kind="default-removed",
    name="A default was removed",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="read",
    action="send the parameter explicitly",
    find=find,
    mirror=("default-added",),
    doc=Doc(
        means="The parameter had a default; now it has none.",
        matters="A call that leaves it out meant the default; what it means now is not said.",
        do="Send the parameter explicitly.",
        cannot_see="What the server does without the argument now.",
        source="JSON Schema 2020-12, validation 9.2 (default): it asserts nothing; servers apply it when the argument is left out.",
    ),
)
