"""What is brought, not seen: installed catalogs, declarations, effects, outcomes, approvals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from observe_scene import TOOL, Scene, only
from witnessmark.contract.digest import contract_digest
from witnessmark.model.evidence import CallStarted, CatalogInstalled, EffectDeclared, ListPage
from witnessmark.observe import receipts

CHANGED = {**TOOL, "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}


def installed(scene: Scene, **report: Any) -> CatalogInstalled:
    return receipts.installed(json.dumps({"source": "agent", **report}).encode(), scene.observer, scene.redact, "model")


def declare(scene: Scene, **declaration: Any) -> EffectDeclared:
    return receipts.declared(json.dumps({"tool": "publish", **declaration}).encode(), scene.observer, scene.redact, "0")


def test_a_shown_tool_agrees_with_the_contract_that_it_was_made_from() -> None:
    scene = Scene()
    old = only(scene.serve(id_=1), ListPage).tools[0]
    new = only(scene.serve(CHANGED, id_=2), ListPage).tools[0]
    shown = installed(scene, tools=[CHANGED], mapping="exact").tools[0]
    assert (shown.wire, shown.agrees) == ("publish", (new.shown,))
    assert installed(scene, tools=[TOOL]).tools[0].agrees == (old.shown,)
    other = {**TOOL, "inputSchema": {"type": "object", "properties": {"other": {}}}}
    assert installed(scene, tools=[other]).tools[0].agrees == ()


def test_a_rewritten_definition_agrees_at_grade_core() -> None:
    scene = Scene()
    served = only(scene.serve(), ListPage).tools[0]
    rewritten = {**TOOL, "description": "Publish a page.\n(from the tickets server)"}
    shown = installed(scene, tools=[rewritten]).tools[0]
    assert shown.agrees == (served.shown,)
    assert shown.digest != served.shown


def test_names_map_shown_tools_and_what_they_leave_out_maps_to_nothing() -> None:
    scene = Scene()
    scene.serve()
    prefixed = {"name": "mcp__tickets__publish", "description": TOOL["description"], "input_schema": TOOL["inputSchema"]}
    report = installed(scene, source="anthropic-messages", tools=[prefixed], names={"mcp__tickets__publish": "publish"}, mapping="exact")
    assert (report.tools[0].shown, report.tools[0].wire) == ("mcp__tickets__publish", "publish")
    assert (report.exact_names, report.observed) == (True, True)
    assert len(report.tools[0].agrees) == 1
    assert installed(scene, source="anthropic-messages", tools=[prefixed], names={}, mapping="exact").tools[0].wire == ""


def test_without_names_the_known_ways_of_clients_apply() -> None:
    scene = Scene()
    scene.serve()
    prefixed = {**TOOL, "name": "mcp__tickets__publish"}
    assert installed(scene, tools=[prefixed, {**TOOL, "name": "web_search"}]).tools[0].wire == "publish"
    assert installed(scene, tools=[{**TOOL, "name": "web_search"}]).tools[0].wire == ""


def test_partial_deferred_and_continuous_are_told() -> None:
    scene = Scene()
    scene.serve()
    report = installed(
        scene, tools=[TOOL], partial={"by": "ToolSearch", "kind": "tool-search"}, deferred=["publish", "later"], continuous=True
    )
    assert (report.partial, report.continuous, report.observed) == ("ToolSearch/tool-search", True, False)
    assert [(tool.shown, tool.deferred, tool.digest != "") for tool in report.tools] == [("publish", True, True), ("later", True, False)]


def test_a_digest_alone_is_a_report_too() -> None:
    digest = "sha256:" + "a" * 64
    assert installed(Scene(), digest=digest).digest == digest


@pytest.mark.parametrize(
    "report",
    [
        {"source": "agent"},
        {"source": "agent", "digest": "sha256:short"},
        {"source": "agent", "tools": {}},
        {"source": "agent", "tools": [], "names": {"a": 1}},
        {"source": "agent", "tools": [], "partial": "yes"},
        {"tools": []},
        [],
    ],
)
def test_a_report_that_is_none_says_what_was_expected(report: Any) -> None:
    scene = Scene()
    with pytest.raises(receipts.ReceiptError) as caught:
        receipts.installed(json.dumps(report).encode(), scene.observer, scene.redact, "0")
    assert caught.value.hint


def test_a_declaration_gives_later_calls_their_key() -> None:
    scene = Scene()
    assert only(scene.call(1, {"key": "op-1"}), CallStarted).key is None
    fact = declare(scene, effect="destructive", operation_key="/key", inactivity=30, absolute=600)
    assert (fact.effect, fact.has_key, fact.inactivity_s, fact.absolute_s) == ("destructive", True, 30.0, 600.0)
    assert only(scene.call(2, {"key": "op-1"}), CallStarted).key
    assert not declare(scene).has_key
    assert only(scene.call(3, {"key": "op-1"}), CallStarted).key is None


@pytest.mark.parametrize(
    "declaration", [{"effect": "maybe"}, {"operation_key": "key"}, {"inactivity": "30s"}, {"inactivity": -1}, {"absolute": 0}, {"tool": ""}]
)
def test_a_declaration_of_another_shape_is_refused(declaration: Any) -> None:
    with pytest.raises(receipts.ReceiptError):
        declare(Scene(), **declaration)


def test_an_operation_key_of_a_destination_joins_that_of_the_call() -> None:
    scene = Scene()
    declare(scene, operation_key="/key")
    started = only(scene.call(1, {"key": "op-1"}), CallStarted)
    text = b'{"operation_key": "op-1", "status": "applied", "count": 2, "method": "operation_key"}'
    fact = receipts.effect(text, scene.observer, scene.redact, None, independent=True)
    assert fact.key == started.key
    assert (fact.status, fact.count, fact.method, fact.call, fact.call_channel) == ("applied", 2, "operation_key", None, None)


@pytest.mark.parametrize("member,independent,self_reported", [({}, True, False), ({}, False, True), ({"self_reported": True}, True, True)])
def test_who_says_it_counts(member: Any, independent: bool, self_reported: bool) -> None:
    scene = Scene()
    effect = json.dumps({"call": "7", "status": "absent", **member}).encode()
    fact = receipts.effect(effect, scene.observer, scene.redact, "x1", independent=independent)
    assert (fact.self_reported, fact.call, fact.call_channel) == (self_reported, '"7"', "x1")
    outcome = json.dumps({"outcome": "report", "status": "passed", "strength": "judged", **member}).encode()
    verified = receipts.outcome(outcome, scene.observer, scene.redact, "0", independent=independent)
    assert (verified.self_reported, verified.strength, verified.status) == (self_reported, "judged", "passed")


@pytest.mark.parametrize(
    "text",
    [
        b'{"status": "applied"}',
        b'{"call": 1, "status": "done"}',
        b'{"call": 1.5, "status": "absent"}',
        b'{"call": 1, "status": "absent", "count": -1}',
        b"x",
    ],
)
def test_an_effect_of_another_shape_is_refused(text: bytes) -> None:
    scene = Scene()
    with pytest.raises(receipts.ReceiptError):
        receipts.effect(text, scene.observer, scene.redact, None, independent=True)


def test_an_expected_outcome_names_its_verifier_and_holds_its_declaration_by_digest() -> None:
    scene = Scene()
    text = b'{"outcome": "report", "verifier": {"kind": "file", "path": "secret/place.txt"}, "proves_effect": true}'
    fact = receipts.expected(text, scene.observer, scene.redact, "0")
    assert (fact.outcome, fact.verifier, fact.proves_effect, fact.accept_judged) == ("report", "file", True, False)
    assert fact.digest.startswith("sha256:")
    with pytest.raises(receipts.ReceiptError):
        receipts.expected(b'{"verifier": {"kind": "file"}}', scene.observer, scene.redact, "0")


def test_approved_contracts_are_held_by_their_digests() -> None:
    scene = Scene()
    fact = receipts.approved(json.dumps({"tools": [TOOL, {"no": "name"}]}).encode(), scene.observer, scene.redact, "0")
    assert [tool.digest for tool in fact.tools] == [contract_digest(TOOL).removeprefix("sha256:")]
