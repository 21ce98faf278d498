"""One difference in every form: complete, stable, and harmless whatever a peer wrote."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from witnessmark.model.capture import Capture
from witnessmark.model.change import Difference, Preset
from witnessmark.render import github, junit, markdown, sarif
from witnessmark.render.difference import Place, difference_document, exit_of, findings, sorted_out
from witnessmark.render.difference_text import difference_text, marked
from witnessmark.rules.comparing import compare

EVIL = 'x\u202e\x1b[2J</failure> ]]> & <img> "q" `code` |cell| [link](http://evil) @team ::error::no\n::set-output name=a::b\x00\ud800'


def tool(name: str, description: str = "Old.", **properties: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}}


def difference(old: list[dict[str, Any]], new: list[dict[str, Any]], preset: Preset = "strict") -> Difference:
    before, after = (Capture(server="tickets", profile="full", complete=True, tools=tuple(side)) for side in (old, new))
    changes = compare(before, after)
    return Difference(server="tickets", profile="full", complete=True, preset=preset, verdict="drift", changes=changes, tools=len(new))


DRIFT = difference(
    [tool("search", query={"type": "string"}), tool("a", x={"type": "integer", "maximum": 9}), tool("b")],
    [tool("search", EVIL, q={"type": "string"}), tool("a", x={"type": "integer", "maximum": 5}), tool(EVIL)],
)
SAME = Difference(server="tickets", profile="full", complete=True, preset="strict", verdict="same", tools=3)
INCOMPLETE = Difference(
    server="tickets", profile="full", complete=False, preset="strict", verdict="incomplete", reason=f"page-error: {EVIL}"
)
UNPINNED = Difference(server="tickets", profile="full", complete=True, preset="strict", verdict="unpinned", reason="there is no lock")
ALL = [DRIFT, SAME, INCOMPLETE, UNPINNED]
PLACE = Place("locks/witness mark.lock", {("tickets", "full", ""): 3, ("tickets", "full", "search"): 17}, "1.2.3")
FORMS = {"sarif": sarif.rendered, "junit": junit.rendered, "github": github.rendered, "markdown": markdown.rendered}
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def test_json_has_exactly_the_members_of_the_format() -> None:
    document = json.loads(json.dumps(difference_document(DRIFT)))
    assert {"witnessmark", "server", "profile", "complete", "preset", "verdict", "changes"} <= document.keys()
    assert (document["witnessmark"], document["server"], document["profile"]) == ("diff/1", "tickets", "full")
    renamed = next(each for each in document["changes"] if each["kind"] == "param-renamed-open")
    wanted = {"tool", "kind", "pointer", "old_caller", "model_told", "confidence", "renamed_to", "before", "after", "why", "fingerprint"}
    assert wanted <= renamed.keys()
    added = next(each for each in document["changes"] if each["kind"] == "tool-added")
    assert "before" not in added, "what is absent is not null"


@pytest.mark.parametrize("value", [float("inf"), float("nan"), {"a": [float("-inf")]}])
def test_a_number_that_is_none_does_not_break_the_json(value: Any) -> None:
    from msgspec.structs import replace

    odd = replace(SAME, changes=(replace(DRIFT.changes[0], before=value),))
    json.dumps(difference_document(odd), allow_nan=False)


def test_exit_codes_by_the_worst() -> None:
    assert [exit_of([one]) for one in ALL] == [1, 0, 3, 3]
    assert exit_of([SAME, INCOMPLETE]) == 3
    assert exit_of([INCOMPLETE, DRIFT]) == 1
    assert exit_of([]) == 0


@pytest.mark.parametrize("form", FORMS)
def test_no_form_lets_a_peer_steer_or_hide(form: str) -> None:
    text = FORMS[form](ALL, PLACE)
    assert CONTROLS.search(text) is None
    text.encode()


def test_the_text_lets_no_peer_steer_or_hide() -> None:
    for one in ALL:
        assert CONTROLS.search(difference_text(one)) is None


def test_the_text_begins_with_the_verdict_and_ends_with_the_next_step() -> None:
    lines = difference_text(DRIFT).splitlines()
    assert lines[0] == "drift  tickets (full)"
    assert "`witnessmark approve --server tickets`" in lines[-1]
    assert difference_text(SAME) == "same  tickets (full)\n  the contract is what was approved; 3 tools, no change, preset strict\n"


def test_colour_only_repeats_what_is_there() -> None:
    coloured = difference_text(DRIFT, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == difference_text(DRIFT)


def test_words_are_marked_and_long_common_text_is_left_out() -> None:
    assert marked("at most 10 rows", "at most 50 rows") == "at most [-10-]{+50+} rows"
    assert len(marked("a " * 500 + "old", "a " * 500 + "new")) < 120


def test_the_tool_chain_is_one_line() -> None:
    old = [tool(f"t{number}", x={"type": "string"}) for number in range(30)]
    new = [tool(f"t{number}", x={"type": "string", "title": "X"}) for number in range(30)]
    for each in new:
        each["inputSchema"]["$schema"] = "http://json-schema.org/draft-07/schema#"
    found = difference(old, new)
    assert len(sorted_out(found).toolchain) == 60
    assert len(difference_text(found).splitlines()) <= 6
    assert "60 edits of a schema generator or SDK in 30 tools" in difference_text(found)


# --- SARIF 2.1.0 -------------------------------------------------------------------------------------------------------


def test_sarif_has_the_required_members_and_only_valid_values() -> None:
    log = json.loads(sarif.rendered(ALL, PLACE))
    # SARIF 2.1.0: 3.13 sarifLog, 3.14 run, 3.18 tool, 3.19 driver, 3.20 invocation, 3.27 result, 3.49 reportingDescriptor.
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("witnessmark", "1.2.3")
    assert run["invocations"] == [{"executionSuccessful": False}]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    assert run["results"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert all(isinstance(mark, str) and mark for mark in result["partialFingerprints"].values())
        for location in result["locations"]:
            place = location["physicalLocation"]
            assert place["artifactLocation"]["uri"] == "locks/witness%20mark.lock"
            assert place["region"]["startLine"] >= 1


def test_sarif_places_a_change_on_the_line_of_its_tool() -> None:
    (run,) = json.loads(sarif.rendered([DRIFT], PLACE))["runs"]
    lines = {one["logicalLocations"][0]["name"]: one["physicalLocation"]["region"]["startLine"]
             for result in run["results"] for one in result["locations"]}  # fmt: skip
    assert (lines["search"], lines["a"]) == (17, 3)
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_fingerprints_are_those_of_the_changes_and_do_not_move() -> None:
    first, again = (sarif.document([one], PLACE)["runs"][0]["results"] for one in (DRIFT, DRIFT))
    assert first == again
    assert {mark for result in first for mark in result["partialFingerprints"].values()} == {each.fingerprint for each in DRIFT.changes}


# --- JUnit, GitHub, Markdown -------------------------------------------------------------------------------------------


def test_junit_counts_what_it_holds() -> None:
    root = ET.fromstring(junit.rendered(ALL, PLACE))
    assert root.tag == "testsuites"
    suites = root.findall("testsuite")
    assert len(suites) == 4
    for suite in suites:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert int(suite.attrib["errors"]) == len(suite.findall("testcase/error"))
    stopping = [one for one in findings(DRIFT) if one.stops]
    assert [int(suite.attrib["failures"]) for suite in suites] == [len(stopping), 0, 0, 0]
    assert [int(suite.attrib["errors"]) for suite in suites] == [0, 0, 1, 1]


def test_every_annotation_is_one_command_of_ours() -> None:
    lines = github.rendered(ALL, PLACE).splitlines()
    shown = [line for line in lines if line.startswith("::")]
    assert len(shown) == sum(len(findings(one)) for one in ALL)
    assert all(re.match(r"::(error|warning|notice) file=locks/witness mark\.lock,line=\d+,title=[^:,\n]*::", line) for line in shown)
    assert [line for line in lines if line not in shown] == ["the contract is what was approved: tickets (full)"]


def test_a_summary_has_no_cell_link_or_mention_of_a_peers_making() -> None:
    text = markdown.rendered([DRIFT], PLACE)
    # Inside a code span everything is text; its own back quotes are another character.
    outside = re.sub(r"`[^`\n]*`", "", text)
    assert "<img>" not in outside
    assert not re.search(r"(?<!\\)\[link", outside)
    assert "@team" not in outside
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}


# --- a server's name comes from a file in somebody's repository ---------------------------------------------------------


@pytest.mark.parametrize("server", ["::error::x", "##[error]x", "::stop-commands::y"])
@pytest.mark.parametrize("one", [SAME, UNPINNED, INCOMPLETE, DRIFT], ids=lambda one: one.verdict)
def test_a_servers_name_begins_no_workflow_command(one: Difference, server: str) -> None:
    from msgspec.structs import replace

    lines = github.rendered([replace(one, server=server)], PLACE).splitlines()
    assert lines
    ours = re.compile(r"::(error|warning|notice) file=locks/witness mark\.lock,line=|the contract is what was approved: ")
    assert [line for line in lines if not ours.match(line)] == []
    assert [line for line in lines if "##[" in line and not line.startswith("::")] == []


@pytest.mark.parametrize("one", [SAME, UNPINNED, INCOMPLETE, DRIFT], ids=lambda one: one.verdict)
def test_a_servers_name_is_text_in_a_summary(one: Difference) -> None:
    from msgspec.structs import replace

    text = markdown.rendered([replace(one, server="x` <img src=1> @team [link](http://evil) `")], PLACE)
    # Escaped back quotes open no code span: what is left outside of spans holds no markup of the name.
    outside = re.sub(r"(?<!\\)`[^`\n]*`", "", text.replace("\\`", ""))
    assert "<img" not in outside
    assert "@team" not in outside
    assert not re.search(r"(?<!\\)\[link", outside)


def test_a_sarif_message_has_no_link_and_nothing_hidden_once_it_is_read() -> None:
    for result in json.loads(sarif.rendered(ALL, PLACE))["runs"][0]["results"]:
        texts = [result["message"]["text"]]
        texts += [
            one[member] for place in result["locations"] for one in place["logicalLocations"] for member in ("name", "fullyQualifiedName")
        ]
        assert "](" not in texts[0]
        assert [text for text in texts if CONTROLS.search(text)] == []


# --- a summary is short ------------------------------------------------------------------------------------------------


def test_a_summary_counts_by_grade_folds_the_tool_chain_and_shows_one_edit_once() -> None:
    old = [tool(f"t{number}", "At most 10 rows.", x={"type": "string"}) for number in range(30)]
    new = [tool(f"t{number}", "At most 50 rows.", x={"type": "string", "title": "X"}) for number in range(30)]
    found = difference(old, new)
    text = markdown.rendered([found], PLACE)
    assert len(sorted_out(found).toolchain) == 30
    assert "Toolchain: 30 edits of a schema generator or SDK in 30 tools (`title-schema`)." in text
    assert "title-schema` |" not in text, "no row of the table"
    assert text.count("[-10-]{+50+}") == 1
    counted = re.findall(r"^- (\d+) (silent|loud|escalated|changed|cosmetic): ", text, re.MULTILINE)
    assert sum(int(count) for count, _ in counted) == len(found.changes)
