"""The dialect of a schema changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.contain import reads_by_dialect
from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.rules._rule import TOOLCHAIN, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Schemas that name two different dialects."""
    for side in (pair.input, pair.output):
        old, new = (side.old or {}).get("$schema"), (side.new or {}).get("$schema")
        if old is None or new is None or same(old, new):
            continue
        sensitive = reads_by_dialect(side.old) or reads_by_dialect(side.new)
        yield Found(
            pointer=f"{side.pointer}/$schema",
            why="a keyword is used that dialects read differently" if sensitive else "no keyword depends on the dialect",
            before=old,
            after=new,
            old_caller="silent" if sensitive else None,
            confidence="low" if sensitive else None,
        )


RULE = Rule(
    kind="dialect-changed",
    name="A schema's dialect changed",
    old_caller="none",
    model_told="same",
    confidence="high",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("dialect-changed",),
    group=TOOLCHAIN,
    doc=Doc(
        means="`$schema` names another dialect.",
        matters=(
            "It does not, unless the schema uses a keyword that dialects read differently: then the change says so and is to be read."
        ),
        do="Nothing, or read both schemas where the change says so.",
        cannot_see="How the server reads the keyword.",
        source="JSON Schema 2020-12, core 8.1.1 ($schema).",
    ),
)
