"""Change signals and subscriptions: how they are asked for, acknowledged, carried and ended."""

from __future__ import annotations

from typing import Any

import pytest

from observe_scene import SUBSCRIPTION_MEMBER, Scene, kinds, only
from witnessmark.model.evidence import CatalogChanged, SubscriptionAcknowledged, SubscriptionAsked, SubscriptionEnded

CHANGED = "notifications/tools/list_changed"


def listening(id_: Any = 4) -> Scene:
    scene = Scene()
    scene.ask(id_, "subscriptions/listen", {"notifications": {"toolsListChanged": True}}, modern=True)
    return scene


@pytest.mark.parametrize("params,malformed", [(None, False), ({}, False), ({"_meta": {}}, False), ([], True), ("x", True), (3, True)])
def test_a_signal_is_a_signal_even_if_its_params_are_not_an_object(params: Any, malformed: bool) -> None:
    signal = only(Scene().notify("server", CHANGED, params), CatalogChanged)
    assert (signal.malformed, signal.peer, signal.subscription) == (malformed, "0", "")


def test_params_of_null_are_malformed() -> None:
    signal = only(Scene().server({"jsonrpc": "2.0", "method": CHANGED, "params": None}), CatalogChanged)
    assert signal.malformed


def test_a_client_cannot_signal_a_change_of_the_servers_tools() -> None:
    assert Scene().notify("client", CHANGED) == []


@pytest.mark.parametrize("id_,shown", [(4, "4"), ("listen:0", '"listen:0"')])
def test_a_signal_names_its_subscription_by_the_typed_id(id_: Any, shown: str) -> None:
    scene = listening(id_)
    assert only(scene.facts, SubscriptionAsked).tools_list_changed
    acknowledged = only(
        scene.notify(
            "server",
            "notifications/subscriptions/acknowledged",
            {"_meta": {SUBSCRIPTION_MEMBER: id_}, "notifications": {"toolsListChanged": True}},
        ),
        SubscriptionAcknowledged,
    )
    assert (acknowledged.id, acknowledged.tools_list_changed) == (shown, True)
    signal = only(scene.notify("server", CHANGED, {"_meta": {SUBSCRIPTION_MEMBER: id_}}), CatalogChanged)
    assert (signal.subscription, signal.peer) == (shown, "")


def test_what_was_honoured_is_told_not_what_was_wished() -> None:
    scene = listening()
    facts = scene.notify(
        "server",
        "notifications/subscriptions/acknowledged",
        {"_meta": {SUBSCRIPTION_MEMBER: 4}, "notifications": {"promptsListChanged": True}},
    )
    assert not only(facts, SubscriptionAcknowledged).tools_list_changed
    assert scene.notify("server", "notifications/subscriptions/acknowledged", {"notifications": {}}) == []


def test_a_subscription_ends_in_each_of_its_forms() -> None:
    scene = listening()
    ended = only(scene.answer(4, {"resultType": "complete", "_meta": {SUBSCRIPTION_MEMBER: 4}}), SubscriptionEnded)
    assert (ended.how, ended.id) == ("result", "4")
    scene = listening()
    assert only(scene.fail(4, -32603), SubscriptionEnded).how == "error"
    for side in ("server", "client"):
        scene = listening()
        facts = scene.notify(side, "notifications/cancelled", {"requestId": 4})
        assert kinds(facts) == ["catalog.subscription_ended"]
        assert only(facts, SubscriptionEnded).how == "cancelled"
    scene = listening()
    assert only(scene.observer.closed("0", "server"), SubscriptionEnded).how == "dropped"
