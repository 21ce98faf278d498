"""What a kind of change means, from its rule. Pure: no I/O, no clock."""

from __future__ import annotations

import difflib
from typing import Final

from witnessmark.rules._lock_kinds import LOCK_KINDS
from witnessmark.rules._rule import Rule
from witnessmark.rules.catalogue import RULES

NEAR: Final = 5
"""Names that are suggested for one that is none."""


def kinds() -> dict[str, Rule]:
    """Every kind that a difference may have, in code point order."""
    return dict(sorted({**RULES, **LOCK_KINDS}.items()))


def near(kind: str) -> list[str]:
    """Up to five kinds whose name is like this one, or that have its words."""
    known = list(kinds())
    words = [one for one in known if kind and kind in one]
    return list(dict.fromkeys((*difflib.get_close_matches(kind, known, NEAR, 0.5), *words)))[:NEAR]


def grades(rule: Rule) -> str:
    """The rule's grades, as one line."""
    extra = "".join(f", {word} {value}" for word, value in (("group", rule.group), ("lane", rule.lane)) if value)
    return f"old caller {rule.old_caller}, model told {rule.model_told}, confidence {rule.confidence}{extra}"


def explanation(rule: Rule) -> str:
    """The rule's record as text with a final line end."""
    return f"{rule.kind}: {rule.name}\n{grades(rule)}\n\n{rule.doc.text}\n\nNext step\n{rule.action}\n"


def explanation_document(rule: Rule) -> dict[str, str]:
    """The rule's record as JSON members."""
    doc = rule.doc
    return {
        "witnessmark": "rule/1",
        "kind": rule.kind,
        "name": rule.name,
        "old_caller": rule.old_caller,
        "model_told": rule.model_told,
        "confidence": rule.confidence,
        "group": rule.group,
        "lane": rule.lane,
        "action": rule.action,
        "means": doc.means,
        "matters": doc.matters,
        "do": doc.do,
        "cannot_see": doc.cannot_see,
        "source": doc.source,
    }
