"""The tool claims to be safer."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._annotations import hints, is_new
from witnessmark.rules._rule import CLAIMS_SAFER, Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """Hints whose effective value became the harmless one; all in one where the tool had none before."""
    relaxed = [hint for hint in hints(pair) if hint.relaxed]
    if relaxed and is_new(pair):
        why = "first hints, safer than the defaults: " + ", ".join(hint.told for hint in relaxed)
        yield Found(pointer="/annotations", why=why, before=pair.old.get("annotations", ABSENT), after=pair.new["annotations"])
        return
    for hint in relaxed:
        yield Found(pointer=hint.pointer, why=hint.told, before=hint.before, after=hint.after)


RULE = Rule(
    kind="annotation-relaxed",
    name="The tool claims to be safer",
    old_caller="none",
    model_told="changed",
    confidence="proven",
    step="approve",
    action="keep the stricter old value until you approve the new claim",
    find=find,
    mirror=("annotation-escalated", "annotations-removed"),
    lane=CLAIMS_SAFER,
    doc=Doc(
        means="A hint moved from the dangerous to the harmless value, compared after defaults: read-only now, not "
        "destructive, closed world, idempotent.",
        matters="It is a claim that may switch off a confirmation, and it is the direction in which an attacker would move it. "
        "Most such changes are honest: servers add hints late and in bulk.",
        do="Read what the tool does. Until then treat it by the stricter old value.",
        cannot_see="Whether the claim is true, which only the behaviour shows.",
        source="Specification, schema of ToolAnnotations: readOnlyHint false, destructiveHint true, idempotentHint false, "
        "openWorldHint true where absent; destructive and idempotent mean something only while readOnly is false; hints "
        "of an untrusted server are not to be relied on.",
    ),
)
