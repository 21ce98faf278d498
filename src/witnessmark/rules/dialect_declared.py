"""The dialect of a schema is declared, or no longer."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.contain import reads_by_dialect
from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Schemas that say their dialect on one side only."""
    for side in (pair.input, pair.output):
        if side.old is None or side.new is None or ("$schema" in side.old) == ("$schema" in side.new):
            continue
        sensitive = reads_by_dialect(side.old) or reads_by_dialect(side.new)
        yield Found(
            pointer=f"{side.pointer}/$schema",
            why="a keyword is used that dialects read differently" if sensitive else "no keyword depends on the dialect",
            before=side.old.get("$schema", ABSENT),
            after=side.new.get("$schema", ABSENT),
            old_caller="silent" if sensitive else None,
            confidence="low" if sensitive else None,
        )


RULE = Rule(
    kind="dialect-declared",
    name="A schema's dialect is declared",
    old_caller="none",
    model_told="same",
    confidence="high",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("dialect-declared",),
    group=TOOLCHAIN,
    doc=Doc(
        means="`$schema` was added or dropped.",
        matters=(
            "It does not, unless the schema uses a keyword that dialects read differently: then the change says so and is to be read."
        ),
        do="Nothing, or read both schemas where the change says so.",
        cannot_see="Which dialect the server assumed before.",
        source="JSON Schema 2020-12, core 8.1.1 ($schema).",
    ),
)
