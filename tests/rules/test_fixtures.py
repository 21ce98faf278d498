"""Each rule fires where its fixtures say so, grades as they say, and is silent where it must be."""

from __future__ import annotations

from typing import Any

import pytest

from rules.rule_cases import Case, cases, changes, told
from witnessmark.rules.catalogue import RULES

CASES = cases()


def as_expected(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a change has the members that a fixture names; `why` need only contain its text."""
    return all(found.get(name) == value if name != "why" else value in found["why"] for name, value in expected.items())


@pytest.mark.parametrize("case", [each for each in CASES if each.fires], ids=lambda each: each.name)
def test_a_rule_fires_and_nothing_else_is_said(case: Case) -> None:
    found = [told(change) for change in changes(case.before, case.after)]
    assert case.expect
    left = list(found)
    for expected in case.expect:
        partner = next((each for each in left if as_expected(each, expected)), None)
        assert partner is not None, (expected, found)
        left.remove(partner)
    assert not left
    assert case.kind in {each["kind"] for each in found}


@pytest.mark.parametrize("case", [each for each in CASES if not each.fires], ids=lambda each: each.name)
def test_a_rule_is_silent(case: Case) -> None:
    found = [told(change) for change in changes(case.before, case.after)]
    assert case.kind not in {each["kind"] for each in found}, found
    if case.expect is not None:
        assert len(found) == len(case.expect), found
        for expected in case.expect:
            assert any(as_expected(each, expected) for each in found), (expected, found)


@pytest.mark.parametrize("kind", RULES)
def test_every_rule_has_cases_of_both_sorts(kind: str) -> None:
    sorts = {case.fires for case in CASES if case.kind == kind}
    assert sorts == {True, False}, f"tests/rules/{kind} needs fires/ and silent/"


def test_every_folder_is_of_a_rule() -> None:
    assert {case.kind for case in CASES} <= RULES.keys()


@pytest.mark.parametrize("kind", RULES)
def test_every_rule_explains_itself(kind: str) -> None:
    rule = RULES[kind]
    doc = rule.doc
    assert all(len(text) > 15 for text in (doc.means, doc.matters, doc.do, doc.cannot_see, doc.source))
    assert rule.name
    assert rule.action
    assert rule.name[0].isupper()


@pytest.mark.parametrize("kind", RULES)
def test_a_rule_reads_like_its_grades(kind: str) -> None:
    rule = RULES[kind]
    cosmetic = rule.old_caller == "none" and rule.model_told == "same"
    # What breaks or silences an old caller is never waved through.
    assert rule.step != "nothing" or cosmetic
    assert rule.layer == "catalog"
    assert rule.state == "stale_catalog"
