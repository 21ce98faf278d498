"""Logs that somebody edited: the smallest forgery of an exported log that once passed as intact."""

from __future__ import annotations

import json
from typing import Any

import pytest

from histories import history
from witnessmark.adapters.log_check import check_log
from witnessmark.judges.judging import judge
from witnessmark.render.cloudevents import event_line, read_evidence_lines, read_logged_lines

ABSENT = "declare expect session list page installed call answer absent passed end close"


def _lines() -> list[dict[str, Any]]:
    return [json.loads(event_line(event)) for event in history(ABSENT).events]


def _edited(*, without_prevhash: bool) -> list[bytes]:
    lines = _lines()
    for line in lines:
        if line["type"] == "witnessmark.effect.reported":
            line["data"]["status"] = "applied"
            if without_prevhash:
                del line["prevhash"]
    return [json.dumps(line).encode() + b"\n" for line in lines]


@pytest.mark.parametrize("without_prevhash", [False, True])
def test_absent_cannot_be_edited_into_applied(without_prevhash: bool) -> None:
    """The first event of a receipt's session has nothing before it: without `prevhash` its own hash covered nothing."""
    whole = [json.dumps(line).encode() + b"\n" for line in _lines()]
    assert judge(list(read_evidence_lines(whole, "log"))).state == "false_success"
    edited = _edited(without_prevhash=without_prevhash)
    assert judge(list(read_evidence_lines(edited, "log"))).exit_code != 0
    assert check_log(list(read_logged_lines(edited, "log"))).finding == "damaged"
