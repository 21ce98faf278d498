"""Transcripts with the verdict they must get: the handed ones, and the field's where a folder of them is at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import witnessmark

CASES = Path(__file__).parent.parent / "data" / "cases"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "transcripts"
NAMES = sorted(str(path.relative_to(CASES)) for path in CASES.rglob("*.jsonl"))


def _expected(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.with_name(path.stem + ".expect.json").read_text())
    return loaded


def test_all_the_handed_cases_are_here() -> None:
    assert len(NAMES) == 45


@pytest.mark.parametrize("name", NAMES)
def test_a_case_gets_its_expected_verdict(name: str) -> None:
    expected = _expected(CASES / name)
    verdict = witnessmark.judge(witnessmark.read(CASES / name), as_of=expected["as_of"])
    if "state" in expected:
        assert verdict.state == expected["state"], verdict.deciding
        assert verdict.exit_code == expected["exit"]
    for word in expected.get("forbidden_any", []):
        assert word in verdict.forbidden
    for layer in expected.get("reasons_any", []):
        assert layer in {condition.layer for condition in verdict.deciding}
    reports = {report.server: report for report in verdict.catalogs}
    for server, catalog in expected.get("catalogs", {}).items():
        assert reports[server].verdict == catalog["verdict"], reports[server]
        if "delivered" in catalog:
            assert reports[server].delivered is catalog["delivered"]


@pytest.mark.shared
def test_traffic_of_real_clients_gets_the_verdicts_that_were_read_from_it() -> None:
    """The corpus belongs to third parties and stays outside the project; the cases above are the standing proof."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real clients' traffic is not beside this checkout")
    wrong = []
    stated = 0
    for path in sorted(CORPUS.rglob("*.jsonl")):
        catalogs = _expected(path).get("catalogs", {})
        verdict = witnessmark.judge(witnessmark.read(path))
        reports = {report.server: report.verdict for report in verdict.catalogs}
        for server, catalog in catalogs.items():
            stated += 1
            if reports.get(server) != catalog["verdict"]:
                wrong.append((str(path.relative_to(CORPUS)), catalog["verdict"], reports.get(server)))
    assert stated > 0
    assert not wrong


def test_an_answer_whose_request_stood_in_a_broken_line_is_nobodys_fault(tmp_path: Path) -> None:
    """formats.md: a broken line makes every layer that it could have decided Unknown; it proves nothing against anybody."""
    lines = (CASES / "health" / "1-healthy-export.jsonl").read_text().splitlines()
    request = next(number for number, line in enumerate(lines) if '"tools/call"' in line)
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join([*lines[:request], lines[request][:60], *lines[request + 1 :]]) + "\n")
    verdict = witnessmark.judge(witnessmark.read(broken))
    assert verdict.state == "unproven"
    assert "EvidenceGap" in {condition.reason for condition in verdict.deciding}
