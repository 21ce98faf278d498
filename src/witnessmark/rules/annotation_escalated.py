"""The tool claims to be more dangerous."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._annotations import hints, is_gone
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Hints whose effective value became the dangerous one, while the tool still gives hints."""
    for hint in () if is_gone(pair) else hints(pair):
        if hint.escalated:
            yield Found(pointer=hint.pointer, why=hint.told, before=hint.before, after=hint.after)


RULE = Rule(
    kind="annotation-escalated",
    name="The tool claims to be more dangerous",
    old_caller="none",
    model_told="escalated",
    confidence="proven",
    step="approve",
    action="approve it again after reading what it does",
    find=find,
    mirror=("annotation-relaxed",),
    doc=Doc(
        means="A hint moved from the harmless to the dangerous value: no longer read-only, destructive now, reaching an open "
        "world now, or no longer idempotent. Compared after defaults.",
        matters="The tool was approved as something milder. A client that asked nobody before may have to ask now.",
        do="Find out what it changes now, and approve it again for that.",
        cannot_see="Whether the tool became more dangerous or was always so and says it now.",
        source="Specification, schema of ToolAnnotations: readOnlyHint false, destructiveHint true, idempotentHint false, "
        "openWorldHint true where absent; destructive and idempotent mean something only while readOnly is false; hints "
        "of an untrusted server are not to be relied on.",
    ),
)
