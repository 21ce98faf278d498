"""The condition of an if changed: which values fall under which part is another question now."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """The topmost places below `if`."""
    for spot in pair.input.spots:
        if spot.polarity == 0 and spot.pointer.endswith("/if"):
            yield Found(pointer=spot.pointer, why="other values fall under the condition", before=spot.old.schema, after=spot.new.schema)


RULE = Rule(
    kind="if-then-else-changed",
    name="A condition changed",
    old_caller="loud",
    model_told="changed",
    confidence="medium",
    step="read",
    action="read both conditions",
    find=find,
    mirror=("if-then-else-changed",),
    structural=True,
    doc=Doc(
        means="The schema after `if` changed: other values fall under `then` and `else`.",
        matters="A call that was allowed may be refused.",
        do="Read both conditions.",
        cannot_see="Which values fall under which part: nothing is concluded below `if`.",
        source="JSON Schema 2020-12, core 10.2.2 (if, then, else).",
    ),
)
