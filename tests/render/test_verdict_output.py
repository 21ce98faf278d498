from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from golden_files import assert_golden
from sample_verdicts import ALL, FALSE_SUCCESS, HEALTHY, HOSTILE, MANY_CALLS, NOTHING_SEEN, condition
from witnessmark.model.health import LAYERS, LIMITS, ROUTES
from witnessmark.model.verdict import Verdict
from witnessmark.render.jsonout import dumps, verdict_document
from witnessmark.render.terminal import CALL_ROWS, MEANINGS, verdict_text

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("title", ALL)
def test_the_text_is_the_reviewed_one(title: str) -> None:
    assert_golden(GOLDEN / f"{title}.txt", verdict_text(ALL[title]))


@pytest.mark.parametrize("title", ["healthy", "false_success"])
def test_the_full_text_is_the_reviewed_one(title: str) -> None:
    assert_golden(GOLDEN / f"{title}.full.txt", verdict_text(ALL[title], full=True))


@pytest.mark.parametrize("title", ["healthy", "false_success", "nothing_seen"])
def test_the_json_is_the_reviewed_one(title: str) -> None:
    assert_golden(GOLDEN / f"{title}.json", dumps(verdict_document(ALL[title])) + "\n")


def test_the_json_has_every_member_that_the_format_names() -> None:
    document = verdict_document(FALSE_SUCCESS)
    named = ("witnessmark", "as_of", "state", "since", "owner", "next", "forbidden", "reasons", "layers", "catalogs", "calls", "limits")
    assert tuple(document)[: len(named)] == named
    assert document["witnessmark"] == "verdict/1"
    assert tuple(document["layers"]) == LAYERS
    assert document["reasons"][0].keys() == {"code", "layer", "message", "evidence"}
    assert document["reasons"][0]["code"] == "outcome_failed"
    assert document["limits"] == list(LIMITS)
    for layer in document["layers"].values():
        assert layer["status"] in {"true", "false", "unknown"}
        for one in layer["conditions"]:
            assert {"type", "status", "reason", "message", "last_transition", "observed_generation"} <= one.keys()
            assert one["reason"][0].isupper()
            assert "_" not in one["reason"]


def test_a_layer_without_conditions_is_unknown() -> None:
    assert verdict_document(NOTHING_SEEN)["layers"]["request"] == {"status": "unknown", "conditions": []}


def test_relative_times_are_given_in_seconds_too() -> None:
    assert verdict_document(NOTHING_SEEN)["as_of_seconds"] == 5.0
    assert "as_of_seconds" not in verdict_document(HEALTHY)


@pytest.mark.parametrize("verdict", ALL.values(), ids=ALL)
def test_the_text_names_state_owner_next_step_what_is_forbidden_and_the_limits(verdict: Verdict) -> None:
    text = verdict_text(verdict)
    head = text.splitlines()[:7]
    assert head[0].startswith(verdict.state)
    assert any(verdict.owner in line for line in head)
    assert any(verdict.next in line for line in head)
    assert all(word in text for word in verdict.forbidden)
    assert all(limit in text for limit in LIMITS)


@pytest.mark.parametrize("title", ALL)
def test_colour_adds_nothing_but_colour(title: str) -> None:
    coloured = verdict_text(ALL[title], colour=True)
    assert coloured != verdict_text(ALL[title])
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == verdict_text(ALL[title])


@pytest.mark.parametrize("render", [verdict_text, lambda verdict: dumps(verdict_document(verdict))])
def test_a_hostile_name_steers_no_terminal(render: Callable[[Verdict], str]) -> None:
    text = render(FALSE_SUCCESS)
    assert HOSTILE not in text
    assert "\\u001b[2J" in text
    assert all(char.isprintable() or char == "\n" for char in text)


def test_of_a_long_list_the_call_that_decides_is_shown_whenever_it_was_made() -> None:
    last = MANY_CALLS.calls[-1]
    failed = msgspec.structs.replace(last, id="981", state="tool_failed")
    verdict = msgspec.structs.replace(MANY_CALLS, calls=(*MANY_CALLS.calls[:-1], failed))
    assert re.search(r"^  981 ", verdict_text(verdict), re.MULTILINE)


@pytest.mark.parametrize("full", [False, True])
def test_a_long_list_of_calls_is_cut_and_counted_and_json_has_it(full: bool) -> None:
    text = verdict_text(MANY_CALLS, full=full)
    assert len([line for line in text.splitlines() if re.match(r"  \d+ +\w+ .* (ms|us|s)( |$)", line)]) == CALL_ROWS
    kept = len(MANY_CALLS.calls)
    assert f"and {42 - CALL_ROWS} more calls: those that decide stand first; `--format json` lists {kept}\n" in text
    assert len(verdict_document(MANY_CALLS)["calls"]) == kept > CALL_ROWS


def test_what_is_unknown_names_what_would_settle_it() -> None:
    assert "declare an outcome and its verifier" in verdict_text(NOTHING_SEEN)


def test_every_state_has_its_meaning() -> None:
    assert MEANINGS.keys() == ROUTES.keys()


def test_a_reason_of_a_later_version_is_shown_by_its_word() -> None:
    from witnessmark.render.messages import sentence

    assert "SomethingNew" in sentence(condition(reason="SomethingNew"))


def test_json_is_ascii_without_control_characters() -> None:
    text = dumps({"a": "\x7f\u202e\ud800\x00"})
    assert text.isascii()
    assert all(char.isprintable() or char == "\n" for char in text)
    assert json.loads(text) == {"a": "\x7f\u202e\ud800\x00"}
