"""Negotiation in both eras: offers, acceptances, refusals, challenges."""

from __future__ import annotations

from typing import Any

import pytest

from observe_scene import MODERN, VERSION_MEMBER, Scene, kinds, only
from witnessmark.model.evidence import (
    CallAnswered,
    SessionChallenged,
    SessionClosed,
    SessionConfirmed,
    SessionNegotiated,
    SessionOffered,
    SessionOpened,
    SessionRefused,
    SubscriptionEnded,
)

DONE = {"content": [], "resultType": "complete"}


def test_a_handshake_is_offered_accepted_and_confirmed() -> None:
    scene = Scene()
    scene.initialize("2025-06-18")
    offered, negotiated = only(scene.facts, SessionOffered), only(scene.facts, SessionNegotiated)
    assert (offered.method, offered.version, offered.era, offered.client, offered.client_version) == (
        "initialize", "2025-06-18", "legacy", "agent", "1.0",
    )  # fmt: skip
    assert (negotiated.version, negotiated.list_changed, negotiated.server_version, negotiated.peer) == ("2025-06-18", True, "2.1", "0")
    assert negotiated.capabilities == ("tools", "tools.listChanged")
    assert only(scene.facts, SessionConfirmed).peer == "0"


@pytest.mark.parametrize(
    "capabilities,shown",
    [
        ({"tools": {"listChanged": True}}, True),
        ({"tools": {"listChanged": False}}, False),
        ({"tools": {}}, False),
        ({}, False),
        ("none", None),
    ],
)
def test_list_changed_is_what_was_shown_and_none_where_nothing_was(capabilities: Any, shown: bool | None) -> None:
    scene = Scene()
    scene.initialize(capabilities=capabilities)
    assert only(scene.facts, SessionNegotiated).list_changed is shown


def test_the_version_is_the_answers_not_the_wish() -> None:
    scene = Scene()
    scene.ask(1, "initialize", {"protocolVersion": "2026-07-28", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}})
    facts = scene.answer(1, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}})
    assert only(facts, SessionNegotiated).version == "2025-11-25"


def test_instructions_are_kept_as_a_digest_only() -> None:
    scene = Scene()
    scene.ask(1, "initialize", {"protocolVersion": "2025-11-25"})
    facts = scene.answer(1, {"protocolVersion": "2025-11-25", "capabilities": {}, "instructions": "Use the secret door."})
    digest = only(facts, SessionNegotiated).instructions
    assert digest.startswith("sha256:")
    assert len(digest) == 71


def test_an_answer_without_a_version_is_not_the_protocol() -> None:
    scene = Scene()
    scene.ask(1, "initialize", {"protocolVersion": "2025-11-25"})
    assert only(scene.answer(1, {"hello": 1}), SessionRefused).reason == "not_mcp"


def test_discover_is_an_offer_and_its_result_an_acceptance() -> None:
    scene = Scene()
    offered = only(scene.ask(1, "server/discover", modern=True), SessionOffered)
    assert (offered.era, offered.version, offered.peer) == ("modern", "2026-07-28", "")
    facts = scene.answer(
        1, {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}}}
    )
    negotiated = only(facts, SessionNegotiated)
    assert (negotiated.supported, negotiated.list_changed, negotiated.method) == (("2026-07-28",), True, "server/discover")


def test_a_discover_result_that_does_not_speak_the_asked_version_negotiates_none() -> None:
    scene = Scene()
    scene.ask(1, "server/discover", modern=True)
    assert only(scene.answer(1, {"supportedVersions": ["2027-01-01"], "capabilities": {}}), SessionNegotiated).version == ""


def test_a_legacy_server_refuses_the_probe_by_an_error() -> None:
    scene = Scene()
    scene.ask(1, "server/discover", modern=True)
    refused = only(scene.fail(1, -32601), SessionRefused)
    assert (refused.reason, refused.code, refused.method) == ("error", -32601, "server/discover")


def test_a_pinned_modern_client_is_accepted_by_its_first_answer_once() -> None:
    scene = Scene()
    assert kinds(scene.call(1, modern=True)) == ["session.offered", "call.started"]
    first = scene.answer(1, DONE)
    assert kinds(first) == ["session.negotiated", "call.answered"]
    assert only(first, SessionNegotiated).list_changed is None
    assert kinds(scene.call(2, modern=True)) == ["call.started"]
    assert kinds(scene.answer(2, DONE)) == ["call.answered"]


def test_another_version_of_the_same_client_is_an_offer_of_its_own() -> None:
    scene = Scene()
    scene.call(1, modern=True)
    facts = scene.ask(2, "ping", {"_meta": {**MODERN, VERSION_MEMBER: "2027-01-01"}})
    assert only(facts, SessionOffered).version == "2027-01-01"


def test_a_new_process_is_accepted_anew() -> None:
    scene = Scene()
    scene.call(1, modern=True)
    scene.answer(1, DONE)
    scene.observer.closed("0", "server", 1)
    assert "session.offered" in kinds(scene.call(1, modern=True))
    assert "session.negotiated" in kinds(scene.answer(1, DONE))


@pytest.mark.parametrize("code,reason", [(-32020, "header"), (-32021, "capability"), (-32022, "version")])
def test_three_errors_refuse_the_session_on_any_request(code: int, reason: str) -> None:
    scene = Scene()
    scene.call(1, modern=True)
    facts = scene.fail(1, code, {"supported": ["2026-07-28", "free text"], "requested": "2027-01-01"})
    refused = only(facts, SessionRefused)
    assert (refused.reason, refused.code, refused.method) == (reason, code, "tools/call")
    assert refused.supported == ("2026-07-28", "unrecognised")
    assert refused.requested == "2027-01-01"
    assert only(facts, CallAnswered).code == code


def test_an_acceptance_after_a_refusal_is_told_again() -> None:
    scene = Scene()
    scene.call(1, modern=True)
    scene.answer(1, DONE)
    scene.call(2, modern=True)
    scene.fail(2, -32020)
    scene.call(3, modern=True)
    assert "session.negotiated" in kinds(scene.answer(3, DONE))


def test_url_elicitation_is_a_challenge_in_each_of_its_forms() -> None:
    scene = Scene()
    scene.call(1)
    challenged = only(scene.fail(1, -32042, {"elicitations": [{"url": "https://x.example/secret"}]}), SessionChallenged)
    assert (challenged.kind, challenged.method, challenged.tool) == ("url_elicitation", "tools/call", "publish")
    scene.call(2, modern=True)
    asked = {"u": {"method": "elicitation/create", "params": {"mode": "url", "url": "https://x.example/secret"}}}
    facts = scene.answer(2, {"resultType": "input_required", "inputRequests": asked})
    assert only(facts, SessionChallenged).tool == "publish"
    assert only(facts, CallAnswered).outcome == "input_required"
    request = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"mode": "url"}}
    assert only(scene.server(request), SessionChallenged).method == "elicitation/create"


def test_a_form_elicitation_is_no_challenge() -> None:
    scene = Scene()
    scene.call(2, modern=True)
    facts = scene.answer(2, {"resultType": "input_required", "inputRequests": {"u": {"method": "elicitation/create", "params": {}}}})
    assert kinds(facts) == ["session.negotiated", "call.answered"]


def test_a_channel_opens_and_closes_and_takes_its_subscriptions_with_it() -> None:
    scene = Scene()
    opened = only(scene.observer.opened("0"), SessionOpened)
    assert (opened.transport, opened.client, opened.listening, opened.peer) == ("stdio", "agent", True, "0")
    scene.ask(4, "subscriptions/listen", {"notifications": {"toolsListChanged": True}}, modern=True)
    facts = scene.observer.closed("0", "server", -9)
    assert only(facts, SubscriptionEnded).how == "dropped"
    closed = only(facts, SessionClosed)
    assert (closed.by, closed.exit, closed.peer) == ("server", -9, "0")
    assert not scene.observer.is_open("0")
