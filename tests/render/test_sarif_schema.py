"""What we call SARIF is valid by the schema that Microsoft's SARIF SDK validates with: every kind of change, and none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema_rs
import pytest

from render.test_difference_output import ALL, DRIFT, EVIL, INCOMPLETE, PLACE, SAME, UNPINNED
from rules.rule_cases import cases, changes
from witnessmark.model.change import Difference
from witnessmark.render import sarif
from witnessmark.render.difference import Place

pytestmark = pytest.mark.peers

SCHEMA = Path(__file__).parents[2] / ".peers/npm/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
NO_REGEX = "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$"
"""The schema's pattern of `language`, which we never write; its stray bracket is refused by strict regular expressions."""


@pytest.fixture
def errors(not_run: Callable[[str], None]) -> Callable[[str], list[str]]:
    if not SCHEMA.exists():
        not_run("the schema of SARIF (make peers)")
    text = SCHEMA.read_text(encoding="utf-8").replace(json.dumps(NO_REGEX), '"^[a-zA-Z-]+$"')
    validator = jsonschema_rs.Draft4Validator(json.loads(text), validate_formats=True)
    return lambda log: [f"{list(error.instance_path)}: {error.message}" for error in validator.iter_errors(json.loads(log))]


def by_kind() -> list[Difference]:
    """The differences of all rules' fixtures."""
    return [
        Difference(
            server=case.name, profile="full", complete=True, preset="strict", verdict="drift", changes=changes(case.before, case.after)
        )
        for case in cases()
    ]


def test_the_schema_refuses_what_is_no_sarif(errors: Callable[[str], list[str]]) -> None:
    log = sarif.document([DRIFT], PLACE)
    del log["runs"][0]["tool"]
    log["runs"][0]["results"][0]["level"] = "grave"
    assert len(errors(json.dumps(log))) == 2


@pytest.mark.parametrize(
    "found", [[], [SAME], [INCOMPLETE], [UNPINNED], [DRIFT], ALL], ids=["none", "same", "incomplete", "unpinned", "drift", "all"]
)
@pytest.mark.parametrize("place", [PLACE, Place(EVIL, {}, EVIL)], ids=["plain", "hostile"])
def test_every_verdict_is_valid(errors: Callable[[str], list[str]], found: list[Difference], place: Place) -> None:
    assert errors(sarif.rendered(found, place)) == []


def test_every_kind_of_change_is_valid_and_has_its_rule(errors: Callable[[str], list[str]]) -> None:
    log = sarif.rendered(by_kind(), PLACE)
    assert errors(log) == []
    (run,) = json.loads(log)["runs"]
    used = {result["ruleId"] for result in run["results"]}
    assert used == {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert used >= {case.kind for case in cases() if case.fires}
    assert len(used) > 140
