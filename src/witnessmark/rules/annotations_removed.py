"""The hints are gone."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._annotations import hints, is_gone
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """All hints gone, at least one of which meant something."""
    lost = [hint for hint in hints(pair) if hint.escalated]
    if lost and is_gone(pair):
        why = "the defaults hold again: " + ", ".join(hint.told for hint in lost)
        yield Found(pointer="/annotations", why=why, before=pair.old["annotations"], after=pair.new.get("annotations", ABSENT))


RULE = Rule(
    kind="annotations-removed",
    name="The hints are gone",
    old_caller="none",
    model_told="escalated",
    confidence="proven",
    step="approve",
    action="approve it again as a tool without promises",
    find=find,
    mirror=("annotation-relaxed",),
    doc=Doc(
        means="The tool gave at least one hint that made it safer than the defaults, and gives none any more.",
        matters="Without hints the dangerous defaults hold: it may write, destroy and reach anywhere.",
        do="Ask why, and approve the tool again as one that promises nothing.",
        cannot_see="Whether the tool changed, or a framework swap lost the hints.",
        source="Specification, schema of ToolAnnotations: readOnlyHint false, destructiveHint true, idempotentHint false, "
        "openWorldHint true where absent; destructive and idempotent mean something only while readOnly is false; hints "
        "of an untrusted server are not to be relied on.",
    ),
)
