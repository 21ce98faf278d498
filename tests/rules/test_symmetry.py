"""Swapping before and after gives the mirrored kind: what was added is removed, what was narrowed is widened."""

from __future__ import annotations

from typing import Final

import pytest

from rules.rule_cases import Case, cases, changes
from witnessmark.rules.catalogue import RULES

# Kinds without a mirror, and why the way back has no kind of its own.
WAIVED: Final[dict[str, str]] = {
    "ambiguous-contract": "a tool that can be read again is compared by the other rules",
    "default-contradicts-text": "a contradiction that ends is no news of its own: the text or the default says what changed",
    "hidden-characters": "characters that go leave what is seen as it was",
    "default-outside-type": "a default that fits again is good news, told by default-changed or by the type",
    "input-schema-narrowed": "the way back is a widening, which another rule may name more exactly",
    "input-schema-widened": "the way back is a narrowing, which another rule may name more exactly",
    "input-schema-undecided": "what cannot be decided one way may be decided the other way",
    "ref-remote": "a reference that is gone leaves a schema that can be judged: the rules say what it says",
    "ref-unresolved": "a reference that is gone leaves a schema that can be judged: the rules say what it says",
    "tool-duplicated": "one definition less under a name is the end of the fault, and the old catalog was never lockable",
}

FIRING = [case for case in cases() if case.fires]


@pytest.mark.parametrize("kind", RULES)
def test_a_kind_names_its_mirror_or_why_it_has_none(kind: str) -> None:
    assert bool(RULES[kind].mirror) != (kind in WAIVED)
    assert set(RULES[kind].mirror) <= RULES.keys()


def test_no_waiver_is_stale() -> None:
    assert WAIVED.keys() <= RULES.keys()
    assert all(WAIVED.values())


@pytest.mark.parametrize("case", [each for each in FIRING if each.kind not in WAIVED], ids=lambda each: each.name)
def test_the_way_back_is_the_mirrored_kind(case: Case) -> None:
    found = {change.kind for change in changes(case.after, case.before)}
    assert found & set(RULES[case.kind].mirror), found
