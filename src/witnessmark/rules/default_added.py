"""A parameter that existed got a default."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._naming import chooses_nothing, quoted, shown_value
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Properties of both sides that newly have a default; null says only that nothing is chosen."""
    for spot in pair.input.spots:
        if not spot.name or "default" in spot.old.schema or "default" not in spot.new.schema:
            continue
        default = spot.new.schema["default"]
        if default is None:
            found = Found(
                pointer=f"{spot.pointer}/default",
                why="null is written out as default",
                after=None,
                old_caller="none",
                model_told="same",
                group=TOOLCHAIN,
            )
            yield found
        else:
            why = f"a call without {quoted(spot.name)} means {shown_value(default)} now; what it meant before was not said"
            yield Found(pointer=f"{spot.pointer}/default", why=why, after=default, old_caller="none" if chooses_nothing(default) else None)


RULE = Rule(
    kind="default-added",
    name="A default was added",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read what leaving it out meant before",
    find=find,
    mirror=("default-removed",),
    doc=Doc(
        means="The parameter existed without a default; now it has one.",
        matters=(
            "A call that leaves it out may have meant something else before. Often the default only writes down what the server "
            "did all along."
        ),
        do="Read what leaving it out meant before; send the parameter explicitly if it matters.",
        cannot_see="What the server did without the argument before.",
        source="JSON Schema 2020-12, validation 9.2 (default): it asserts nothing; servers apply it when the argument is left out.",
    ),
)
