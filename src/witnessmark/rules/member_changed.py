"""A member of the tool changed and no rule knows what that means."""

from __future__ import annotations

from witnessmark.rules._rule import Doc, Rule

RULE = Rule(
    kind="member-changed",
    name="A member changed that no rule knows",
    old_caller="silent",
    model_told="changed",
    confidence="low",
    step="read",
    action="read both definitions",
    mirror=("member-changed",),
    doc=Doc(
        means="The tool's definition differs in a member that every rule left alone.",
        matters="Missing evidence is never taken for harmless.",
        do="Read both definitions and approve the change if it is meant.",
        cannot_see="Everything: this kind says that nothing was recognised.",
        source="MCP specification, Tool: later revisions add members.",
    ),
)
