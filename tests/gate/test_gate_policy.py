"""The gate's policy: every member of the documented example is read, and what is wrong is named."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from project.repository import ROOT
from witnessmark.errors import UsageError
from witnessmark.gate.refusal import SENTENCES, STEPS
from witnessmark.model.gate import ALWAYS, GatePolicy, Verify, read_gate_policy

PAGE = (ROOT / "docs/howto/enforce.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_is_a_policy_and_names_every_member() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    tables = tomllib.loads(text)
    general = read_gate_policy(tables["gate"], "x")
    own = read_gate_policy(tables["servers"]["files"]["gate"], "x", general)
    assert (general.interval_s, general.settle_s, own.fail_on, own.join_pages) == (600.0, 0.25, "balanced", True)
    assert own.verify_of("search", read_only=False) == Verify("max_age", 30.0)
    assert own.verify_of("other", read_only=False) == Verify("signal")
    for member in GatePolicy.__struct_fields__:
        assert f"`{member.removesuffix('_s')}`" in PAGE or f"{member.removesuffix('_s')} = " in PAGE, member


def test_every_reason_has_its_row_and_its_words() -> None:
    assert set(SENTENCES) == set(STEPS)
    for reason in SENTENCES:
        assert f"`{reason}`" in PAGE, reason


def test_a_tool_that_may_have_effects_is_listed_for_each_call() -> None:
    assert GatePolicy().verify_of("any", read_only=False) == ALWAYS
    assert GatePolicy().verify_of("any", read_only=True) == Verify("max_age", 300.0)


@pytest.mark.parametrize(
    "members,words",
    [
        ({"verfy": "always"}, "unknown member"),
        ({"verify": "sometimes"}, "no verify policy"),
        ({"verify": "max_age=soon"}, "no duration"),
        ({"hold": "20 parsecs"}, "no duration"),
        ({"fail_on": "never"}, "is not known"),
        ({"join_pages": "yes"}, "Expected `bool`"),
        ({"tools": ["a"]}, "must be a table"),
        ({"lists_per_minute": 0}, "out of its range"),
        ({"jitter": 2.0}, "out of its range"),
    ],
)
def test_what_is_wrong_is_named(members: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        read_gate_policy(members, "gate.toml: [gate]")
    assert "gate.toml" in str(caught.value)
