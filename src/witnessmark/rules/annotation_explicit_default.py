"""A hint that changes nothing was written out or left out."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._annotations import hints, is_gone, is_new
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Hints that are sent differently and mean the same; all in one where the tool had or has none."""
    changed = hints(pair)
    idle = [hint for hint in changed if hint.old == hint.new]
    if idle and (is_new(pair) or is_gone(pair)):
        # Beside a hint that means something they are part of its news.
        if len(idle) == len(changed):
            why = "only values that count without being said: " + ", ".join(hint.told for hint in idle)
            yield Found(
                pointer="/annotations", why=why, before=pair.old.get("annotations", ABSENT), after=pair.new.get("annotations", ABSENT)
            )
        return
    for hint in idle:
        yield Found(pointer=hint.pointer, why=f"{hint.told}, which means the same", before=hint.before, after=hint.after)


RULE = Rule(
    kind="annotation-explicit-default",
    name="A hint that changes nothing was written out or left out",
    old_caller="none",
    model_told="same",
    confidence="proven",
    step="nothing",
    action="nothing",
    find=find,
    mirror=("annotation-explicit-default",),
    doc=Doc(
        means="A hint was added or dropped that says what the protocol says without it, or that is idle because the tool is read-only.",
        matters="It does not: every client that follows the defaults treats the tool as before.",
        do="Nothing needs to be done.",
        cannot_see="Clients that take an absent hint for something else than its default.",
        source="Specification, schema of ToolAnnotations: readOnlyHint false, destructiveHint true, idempotentHint false, "
        "openWorldHint true where absent; destructive and idempotent mean something only while readOnly is false; hints "
        "of an untrusted server are not to be relied on.",
    ),
)
