"""Before each call the contract is known to be what was approved and what the client was told, or the call does not leave."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkings
from gate_scene import OTHER, PREFIX, RENAMED, RULES, SALT, SEARCH, GateScene, lock, tool
from witnessmark.contract.redaction import Redaction
from witnessmark.gate.refusal import CODE
from witnessmark.model.evidence import CallStarted, ContractApproved, ListStarted
from witnessmark.model.gate import GatePolicy, Verify
from witnessmark.observe.relay import Forward

AGE = GatePolicy(verify=Verify("max_age", 300.0))
SIGNAL = GatePolicy(verify=Verify("signal", 300.0))
TTL = GatePolicy(verify=Verify("ttl", 300.0))
ALWAYS = GatePolicy(verify=Verify("always"))


@pytest.fixture(params=[False, True], ids=["2025-11-25", "2026-07-28"])
def modern(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


# --- what is let through, and what is not ------------------------------------------------------------------------------


def test_an_approved_and_current_call_goes_on_byte_for_byte(modern: bool) -> None:
    scene = GateScene(SEARCH, modern=modern).begun()
    line = b'{"id" : 7,  "jsonrpc":"2.0", "method":"tools/call","params":{"name":"search","arguments":{"query":"\\u00e4 1.0"}}}\r\n'
    scene.client(line)
    assert scene.sent[-1] == line
    assert scene.said(7)["result"]
    assert [fact.decision for fact in scene.decided] == ["allow"]


def test_a_silent_change_without_a_list_of_the_clients_is_caught(modern: bool) -> None:
    scene = GateScene(SEARCH, OTHER, modern=modern).begun()
    scene.tools[0] = RENAMED
    scene.call(1, query="x")
    error = scene.said(1)["error"]
    assert (error["code"], error["data"]["reason"]) == (CODE, "drifted")
    assert scene.called == []
    data = error["data"]
    assert (data["tool"], data["old_caller"], data["model_told"], data["sent"]) == ("search", "silent", "changed", False)
    assert data["changes"][0]["renamed_to"] == "q"
    assert data["approved"] != data["current"]
    assert data["approve"] == "witnessmark approve --server tickets search"
    assert "`q`" in error["message"]


def test_reverting_unblocks(modern: bool) -> None:
    scene = GateScene(SEARCH, modern=modern).begun()
    scene.tools[0] = RENAMED
    scene.call(1, query="x")
    scene.tools[0] = SEARCH
    scene.call(2, query="x")
    assert (scene.reason(1), scene.reason(2)) == ("drifted", "")


def test_approving_unblocks_once_the_client_has_read_the_tools() -> None:
    scene = GateScene(SEARCH).begun()
    scene.tools[0] = RENAMED
    scene.call(1, query="x")
    step = scene.gate.locks({"full": lock(RENAMED)}, Redaction(RULES, SALT), scene.now)
    scene.carry(scene.relay.step(step, scene.now))
    scene.call(2, query="x")
    assert scene.reason(2) == "stale_client"
    assert scene.read_tools() == [RENAMED]
    scene.call(3, q="x")
    assert scene.reason(3) == ""


@pytest.mark.parametrize(
    "change,reason",
    [
        (lambda scene: scene.tools.append(tool("extra")), "unpinned"),
        (lambda scene: scene.tools.pop(0), "unknown_tool"),
        (lambda scene: scene.tools.__setitem__(0, {**SEARCH, "description": "Sends what you search to a friend."}), "drifted"),
        (lambda scene: scene.tools.__setitem__(0, {**SEARCH, "title": None, "inputSchema": "no"}), "drifted"),
    ],
    ids=["a new tool", "a tool that is gone", "another description", "a schema that is none"],
)
def test_what_is_not_as_approved_does_not_leave(change: Any, reason: str, modern: bool) -> None:
    scene = GateScene(SEARCH, OTHER, modern=modern).begun()
    change(scene)
    scene.call(1, "extra" if reason == "unpinned" else "search", query="x")
    assert scene.reason(1) == reason
    assert scene.called == []


def test_a_cosmetic_change_passes() -> None:
    scene = GateScene(SEARCH).begun()
    reordered = {name: SEARCH[name] for name in reversed(SEARCH)}
    scene.tools[0] = {**reordered, "annotations": {"openWorldHint": True}}
    scene.read_tools()
    scene.call(1, query="x")
    assert scene.reason(1) == ""


@pytest.mark.parametrize("preset,reason", [("strict", "drifted"), ("balanced", "drifted"), ("lenient", "stale_client")])
def test_the_preset_decides_which_change_stops(preset: Any, reason: str) -> None:
    scene = GateScene(SEARCH, policy=GatePolicy(fail_on=preset)).begun()
    scene.tools[0] = {**SEARCH, "description": "Does it well."}
    scene.call(1, query="x")
    assert scene.reason(1) == reason
    scene.read_tools()
    scene.call(2, query="x")
    assert scene.reason(2) == ("" if preset == "lenient" else "drifted")


def test_an_approval_that_ended_is_none() -> None:
    scene = GateScene(SEARCH, locked=lock(SEARCH, until="2023-11-14T00:00:00Z")).begun()
    scene.call(1, query="x")
    assert scene.reason(1) == "approval_ended"
    later = GateScene(SEARCH, locked=lock(SEARCH, until="2023-11-16T00:00:00Z")).begun()
    later.call(1, query="x")
    assert later.reason(1) == ""


def test_a_lock_without_texts_still_tells_drift() -> None:
    scene = GateScene(SEARCH, locked=lock(SEARCH, digest_only=True)).begun()
    scene.call(1, query="x")
    scene.tools[0] = RENAMED
    scene.call(2, query="x")
    assert (scene.reason(1), scene.reason(2)) == ("", "drifted")


def test_a_secret_in_a_description_is_redacted_before_it_is_compared() -> None:
    secret = tool("search", "Of acct-4711.", query={"type": "string"})
    scene = GateScene(secret, locked=lock(secret)).begun()
    scene.call(1, query="x")
    assert scene.reason(1) == ""
    approved = next(fact for fact in scene.facts if isinstance(fact, ContractApproved))
    assert scene.verdict().state != "stale_catalog", "the verdict compares digests of one kind"
    assert approved.tools[0].name == "search"
    scene.tools[0] = tool("search", "Of acct-4712.", query={"type": "string"})
    scene.call(2, query="x")
    assert scene.reason(2) == "drifted"
    assert b"4712" not in scene.raw_heard


def test_a_definition_with_two_readings_is_never_called() -> None:
    scene = GateScene(SEARCH).begun()
    scene.silent = True
    scene.call(1, query="x")
    double = b'{"name":"search","description":"a","description":"b","inputSchema":{"type":"object"}}'
    own = f'{{"jsonrpc":"2.0","id":"{PREFIX}1","result":{{"tools":['.encode() + double + b"]}}\n"
    scene.server(own)
    assert scene.reason(1) == "ambiguous"


# --- how old the evidence may be ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "policy,wait_s,lists",
    [(ALWAYS, 0, 1), (AGE, 299, 0), (AGE, 301, 1), (SIGNAL, 100_000, 0), (TTL, 299, 0), (TTL, 301, 1)],
    ids=["always", "young", "old", "a silent channel", "no ttl, young", "no ttl, old"],
)
def test_a_list_of_ours_is_asked_for_exactly_where_the_evidence_is_too_old(policy: GatePolicy, wait_s: int, lists: int) -> None:
    scene = GateScene(SEARCH, policy=policy).begun()
    scene.pass_time(wait_s)
    scene.call(1, query="x")
    assert scene.reason(1) == ""
    assert scene.lists.count("ours") == lists


def test_without_an_announcing_server_silence_says_nothing() -> None:
    scene = GateScene(SEARCH, policy=SIGNAL, list_changed=False).begun()
    scene.pass_time(301)
    scene.call(1, query="x")
    assert scene.lists.count("ours") == 1


def test_a_tool_that_is_declared_to_read_needs_no_list_for_each_call() -> None:
    scene = GateScene(SEARCH, OTHER, read_only=lambda name: name == "search").begun()
    scene.call(1, query="x")
    assert scene.lists.count("ours") == 0
    scene.call(2, "other")
    assert scene.lists.count("ours") == 1


@pytest.mark.parametrize("policy", [AGE, SIGNAL, TTL], ids=["max_age", "signal", "ttl"])
def test_a_signal_ends_the_age_of_any_evidence(policy: GatePolicy) -> None:
    scene = GateScene(SEARCH, policy=policy).begun()
    scene.signal()
    scene.tools[0] = RENAMED
    scene.call(1, query="x")
    assert scene.reason(1) == "drifted"


def test_every_page_is_read_before_a_call_is_let_through(modern: bool) -> None:
    scene = GateScene(OTHER, SEARCH, modern=modern, page_size=1).begun()
    scene.tools[1] = RENAMED
    scene.call(1, query="x")
    assert scene.reason(1) == "drifted"
    assert scene.listed[-1].pages == 2


def test_calls_that_wait_share_one_list_and_keep_their_order() -> None:
    scene = GateScene(SEARCH, OTHER).begun()
    scene.silent = True
    for number in range(5):
        scene.call(number + 1, query=str(number))
    assert scene.lists.count("ours") == 1
    scene.silent = False
    scene.server({"jsonrpc": "2.0", "id": f"{PREFIX}1", "result": {"tools": scene.tools}})
    # The first call is answered by the first list; those that came after it began wait for one that began after them.
    assert [message["id"] for message in scene.called] == [1, 2, 3, 4, 5]
    assert scene.lists.count("ours") == 2


# --- lists of our own --------------------------------------------------------------------------------------------------


def test_our_lists_are_invisible_to_the_client_and_stand_for_none_of_its_own(modern: bool) -> None:
    scene = GateScene(SEARCH, modern=modern).begun()
    before = len(scene.heard)
    scene.call(1, query="x")
    assert [message.get("id") for message in scene.heard[before:]] == [1]
    ours = [fact for fact in scene.facts if isinstance(fact, ListStarted) and fact.origin == "witness"]
    assert [fact.trigger for fact in ours] == ["call"]
    assert scene.verdict().counts.events == len(scene.facts)


def test_on_the_modern_revision_our_list_carries_the_clients_own_meta() -> None:
    scene = GateScene(SEARCH, modern=True).begun()
    sent: list[dict[str, Any]] = []
    serve = scene._serve

    def seen(message: dict[str, Any]) -> None:
        sent.append(message)
        serve(message)

    scene._serve = seen  # type: ignore[method-assign]
    scene.ask(1, "tools/call", {"name": "search", "arguments": {"query": "x"}, "_meta": {"progressToken": "t", "traceparent": "x"}})
    ours = next(message for message in sent if message["method"] == "tools/list")
    assert set(ours["params"]["_meta"]) == {
        "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/clientInfo",
    }  # fmt: skip


def test_nothing_of_ours_is_sent_before_the_handshake() -> None:
    scene = GateScene(SEARCH)
    scene.call(1, query="x")
    assert (scene.reason(1), scene.lists) == ("not_initialized", [])


@pytest.mark.parametrize("broken", ["error", "silence", "junk", "endless"])
def test_a_list_that_does_not_complete_is_a_refusal(broken: str) -> None:
    scene = GateScene(SEARCH, OTHER, page_size=1).begun()
    if broken == "error":
        scene.fail_page = 1
    elif broken == "endless":
        scene.answer_list = lambda message: scene.answer(message, {"tools": [], "nextCursor": "1"})  # type: ignore[method-assign]
    else:
        scene.silent = True
    scene.call(1, query="x")
    if broken == "junk":
        scene.server({"jsonrpc": "2.0", "id": f"{PREFIX}1", "result": {"tools": "none"}})
    scene.pass_time(20)
    assert scene.reason(1) == "cannot_list"
    assert scene.called == []
    assert not scene.listed[-1].complete
    late = {"jsonrpc": "2.0", "id": f"{PREFIX}1", "result": {"tools": scene.tools}}
    before = len(scene.heard)
    scene.server(late)
    assert len(scene.heard) == before, "a late page of ours is still ours"


def test_no_call_is_held_for_ever() -> None:
    scene = GateScene(SEARCH, policy=GatePolicy(hold_s=5)).begun()
    scene.silent = True
    scene.call(1, query="x")
    scene.pass_time(4.9)
    assert scene.decided == []
    scene.pass_time(0.2)
    assert scene.reason(1) == "cannot_list"
    assert scene.decided[-1].held_ms >= 5_000


def test_a_burst_of_signals_costs_one_list_and_a_second_look() -> None:
    scene = GateScene(SEARCH).begun()
    for _ in range(50):
        scene.signal()
        scene.pass_time(0.001)
    scene.pass_time(30)
    assert scene.lists.count("ours") == 2
    assert [fact.trigger for fact in scene.listed] == ["signal", "second_look"]


def test_a_server_that_signals_before_it_changes_is_looked_at_twice() -> None:
    scene = GateScene(SEARCH, policy=SIGNAL).begun()
    scene.signal()
    scene.pass_time(0.3)
    scene.tools[0] = RENAMED  # after our list
    scene.call(1, query="x")
    assert scene.called == [], "held until the second look"
    scene.pass_time(2)
    assert scene.reason(1) == "drifted"


def test_a_server_that_answers_each_list_with_a_signal_is_not_fed() -> None:
    scene = GateScene(SEARCH).begun()
    scene.before_list = scene.signal
    scene.signal()
    scene.pass_time(164)
    assert scene.lists.count("ours") <= 3 * 30
    before = scene.lists.count("ours")
    scene.call(1, query="x")
    scene.pass_time(2)
    assert scene.reason(1) == "", "two lists that agree around a signal are believed"
    assert scene.lists.count("ours") - before <= 3


def test_a_catalog_that_is_another_each_time_is_not_known() -> None:
    scene = GateScene(SEARCH).begun()
    count = iter(range(100))

    def change() -> None:
        scene.tools[0] = tool("search", f"Does it {next(count)}.", query={"type": "string"})
        scene.signal()

    scene.before_list = change
    scene.call(1, query="x")
    assert scene.reason(1) in {"cannot_list", "drifted"}
    assert scene.called == []
    assert scene.lists.count("ours") <= 4


def test_a_list_at_an_interval_is_asked_for_by_the_driver() -> None:
    scene = GateScene(SEARCH).begun()
    scene.gate.every(scene.now + 60_000_000)
    scene.pass_time(59)
    assert scene.lists.count("ours") == 0
    scene.pass_time(2)
    assert [fact.trigger for fact in scene.listed] == ["interval"]


# --- the client ----------------------------------------------------------------------------------------------------------


def test_a_call_that_is_given_up_while_it_is_held_never_leaves(modern: bool) -> None:
    scene = GateScene(SEARCH, modern=modern).begun()
    scene.silent = True
    scene.call(1, query="x")
    scene.client({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    scene.silent = False
    scene.server({"jsonrpc": "2.0", "id": f"{PREFIX}1", "result": {"tools": scene.tools, "resultType": "complete"}})
    assert scene.called == []
    assert [(fact.decision, fact.reason) for fact in scene.decided] == [("drop", "cancelled")]
    verdict = scene.verdict()
    assert verdict.state not in {"effect_unknown", "tool_failed", "protocol_error"}


def test_the_end_of_the_client_ends_what_is_held() -> None:
    scene = GateScene(SEARCH).begun()
    scene.silent = True
    scene.call(1, query="x")
    scene.carry(scene.relay.eof("client", scene.now))
    assert (scene.called, scene.decided[-1].reason) == ([], "ended")


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","name":"search","arguments":{"query":"x"}}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"search","arguments":{"query":"x"}}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":NaN}}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"query":"x"}}}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"tools\\/call","params":{"name":"\\u0073earch2","arguments":{"query":"x"}}}\n',
        b'{"id":1,"method":"tools/call","params":{"name":"search3","arguments":{"query":"x"}}}\n',
    ],
    ids=["a name twice", "a method twice", "no number", "no name", "escapes", "no version"],
)
def test_a_call_with_two_readings_or_none_does_not_leave(line: bytes) -> None:
    scene = GateScene(SEARCH, OTHER).begun()
    scene.client(line)
    assert scene.called == []
    assert scene.reason(1) in {"unreadable", "unknown_tool"}


def test_a_notification_that_would_call_is_held_to_the_same() -> None:
    scene = GateScene(SEARCH).begun()
    scene.tools[0] = RENAMED
    scene.client({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "search", "arguments": {"query": "x"}}})
    assert scene.called == []
    assert scene.decided[-1].reason == "drifted"


def test_a_batch_goes_as_a_whole_or_not_at_all() -> None:
    scene = GateScene(SEARCH, OTHER).begun()
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    batch: list[dict[str, Any]] = [
        {**call, "id": 1, "params": {"name": "other", "arguments": {}}},
        {**call, "id": 2, "params": {"name": "search", "arguments": {"query": "x"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "ping"},
    ]
    scene.client(batch)
    assert [message["id"] for message in scene.called] == [1, 2]
    scene.tools[1] = tool("other", "Deletes it.")
    scene.client([{**each, "id": each["id"] + 10} for each in batch])
    assert len(scene.called) == 2
    assert (scene.reason(11), scene.reason(12), scene.reason(13)) == ("drifted", "drifted", "drifted")


def test_an_id_that_looks_like_ours_is_the_clients_own() -> None:
    scene = GateScene(SEARCH).begun()
    scene.client({"jsonrpc": "2.0", "id": f"{PREFIX}99", "method": "ping"})
    assert list(scene.decided) == []


def test_everything_but_calls_passes_while_a_call_is_held() -> None:
    scene = GateScene(SEARCH).begun()
    scene.silent = True
    scene.call(1, query="x")
    scene.server({"jsonrpc": "2.0", "id": "s1", "method": "ping"})
    scene.server({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
    assert [message.get("method") for message in scene.heard[-2:]] == ["ping", "notifications/progress"]


# --- arguments -------------------------------------------------------------------------------------------------------------

OPEN = tool("search", q={"type": "string"}, limit={"type": "integer"})
CLOSED = {**OPEN, "inputSchema": {**OPEN["inputSchema"], "additionalProperties": False}}
FREE = {**OPEN, "inputSchema": {"type": "object", "additionalProperties": {"type": "string"}}}


@pytest.mark.parametrize(
    "current,arguments,undeclared,reason",
    [
        (OPEN, {"q": "x"}, "balanced", ""),
        (OPEN, {"query": "x"}, "balanced", "undeclared_argument"),
        (CLOSED, {"query": "x"}, "balanced", "undeclared_argument"),
        (OPEN, {"invented": "x"}, "balanced", ""),
        (OPEN, {"invented": "x"}, "strict", "undeclared_argument"),
        (FREE, {"query": "x"}, "balanced", ""),
        (OPEN, {"query": "x"}, "off", ""),
        (OPEN, {"limit": "many"}, "balanced", ""),
        (OPEN, {"limit": "many"}, "strict", "invalid_arguments"),
        (OPEN, [], "strict", "invalid_arguments"),
    ],
)
def test_arguments_are_held_to_the_current_contract(current: dict[str, Any], arguments: Any, undeclared: Any, reason: str) -> None:
    scene = GateScene(SEARCH, locked=lock(SEARCH), policy=GatePolicy(undeclared=undeclared)).begun()
    scene.tools[0] = current
    scene.read_tools()
    step = scene.gate.locks({"full": lock(current)}, Redaction(RULES, SALT), scene.now)
    scene.carry(scene.relay.step(step, scene.now))
    scene.read_tools()
    scene.ask(1, "tools/call", {"name": "search", "arguments": arguments})
    assert scene.reason(1) == reason


def test_a_swallowed_argument_is_named_with_its_likely_new_name_and_no_value() -> None:
    scene = GateScene(SEARCH).begun()
    scene.tools[0] = RENAMED
    scene.read_tools()
    scene.carry(scene.relay.step(scene.gate.locks({"full": lock(RENAMED)}, Redaction(RULES, SALT), scene.now), scene.now))
    scene.read_tools()
    scene.call(1, query="a canary value")
    error = scene.said(1)["error"]
    assert error["data"]["undeclared"] == [{"name": "query", "likely": "q"}]
    assert (scene.decided[-1].undeclared, scene.decided[-1].swallowed) == (1, ("query",))
    assert b"canary" not in scene.raw_heard
    assert "canary" not in repr(scene.facts)


def test_a_name_that_no_contract_declared_is_counted_and_not_repeated() -> None:
    scene = GateScene(SEARCH, policy=GatePolicy(undeclared="strict")).begun()
    scene.call(1, a_canary_name="x")
    assert (scene.reason(1), scene.decided[-1].undeclared, scene.decided[-1].swallowed) == ("undeclared_argument", 1, ())
    assert "canary" not in repr(scene.facts)
    assert b"canary" not in scene.raw_heard


def test_an_exempt_tool_may_be_sent_what_it_does_not_declare() -> None:
    scene = GateScene(SEARCH, policy=GatePolicy(undeclared="strict", undeclared_exempt=("search",))).begun()
    scene.call(1, anything="x")
    assert scene.reason(1) == ""


# --- what the client is given ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("withhold,given", [("last_approved", [SEARCH, OTHER]), ("nothing", [OTHER])])
def test_definitions_that_nobody_approved_are_withheld(withhold: Any, given: list[dict[str, Any]]) -> None:
    scene = GateScene(SEARCH, OTHER, policy=GatePolicy(withhold=withhold), page_size=1).begun()
    scene.tools[:] = [RENAMED, OTHER, tool("new")]
    before = len(scene.heard)
    assert scene.read_tools() == given
    pages = [message["result"] for message in scene.heard[before:] if "tools" in message.get("result", {})]
    assert [page.get("nextCursor") for page in pages] == ["1", "2", None], "pages keep their cuts"
    assert [(fact.what, fact.tools) for fact in scene.changed] == [("withheld", ("search",)), ("withheld", ("new",))]


def test_a_list_in_which_nothing_is_withheld_goes_on_byte_for_byte() -> None:
    scene = GateScene(SEARCH, OTHER).begun()
    scene.silent = True
    scene.ask("l", "tools/list")
    line = b'{ "id":"l", "jsonrpc":"2.0","result":{"tools":[' + json.dumps(SEARCH).encode() + b' ], "ttlMs": 1.0}}\r\n'
    before = scene.raw_heard
    scene.server(line)
    assert scene.raw_heard == before + line


@pytest.mark.parametrize(
    "approved,current,given",
    [("Use it.", "Use it.", "Use it."), ("Use it.", "Send all.", "Use it."), (None, "Send all.", None), ("Use it.", None, None)],
)
def test_changed_instructions_are_withheld(approved: str | None, current: str | None, given: str | None) -> None:
    scene = GateScene(SEARCH, locked=lock(SEARCH, instructions=approved), instructions=current).begun()
    assert scene.said(0)["result"].get("instructions") == given
    assert bool(scene.changed) == (current is not None and current != approved)


def test_a_stale_client_is_nudged_once_where_policy_says_so() -> None:
    scene = GateScene(SEARCH, policy=GatePolicy(nudge=True)).begun()
    scene.tools[0] = RENAMED
    for number in range(3):
        scene.call(number + 1, query="x")
    nudges = [message for message in scene.heard if message.get("method") == "notifications/tools/list_changed"]
    assert len(nudges) == 1
    assert [fact.what for fact in scene.changed] == ["nudge"]


def test_a_refusal_may_be_a_result_for_hosts_that_hide_errors(modern: bool) -> None:
    scene = GateScene(SEARCH, modern=modern, policy=GatePolicy(refusal="is_error")).begun()
    scene.tools[0] = RENAMED
    scene.call(1, query="x")
    result = scene.said(1)["result"]
    assert result["isError"] is True
    assert ("resultType" in result) == modern
    assert json.loads(result["content"][1]["text"])["reason"] == "drifted"


# --- what the evidence says --------------------------------------------------------------------------------------------


def test_a_refusal_makes_the_run_stale_and_nothing_else() -> None:
    scene = GateScene(SEARCH).begun()
    scene.tools[0] = RENAMED
    scene.call(1, query="x")
    verdict = scene.verdict()
    assert verdict.state == "stale_catalog"
    (call,) = verdict.calls
    assert (call.state, call.answer, call.effect) == ("stale_catalog", "refused", "none")
    assert {condition.reason for condition in verdict.deciding} >= {"RefusedByGate", "WitnessDiffers"}


def test_a_call_that_is_let_through_later_makes_up_for_a_refusal() -> None:
    scene = GateScene(SEARCH).begun()
    scene.tools[0] = RENAMED
    scene.call(1, query="x")
    scene.tools[0] = SEARCH
    scene.read_tools()
    scene.call(2, query="y")
    verdict = scene.verdict()
    assert "RefusedByGate" not in {condition.reason for condition in verdict.conditions}
    assert verdict.state != "stale_catalog"


def test_the_log_holds_no_argument_and_no_text_of_a_definition() -> None:
    canary = "canary-7f3a"
    scene = GateScene(tool("search", f"Text {canary}.", query={"type": "string", "default": canary})).begun()
    scene.call(1, query=canary)
    scene.tools[0] = tool("search", f"Other {canary}.", q={"type": "string"})
    scene.call(2, query=canary)
    assert canary not in "".join(str(entry.data) for _, entry in scene.entries)


# --- the wire ------------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(chunkings.cuttings, chunkings.cuttings)
def test_any_cutting_of_the_same_bytes_gives_the_same_answers(client: list[int], server: list[int]) -> None:
    def play(cut_client: list[int], cut_server: list[int]) -> tuple[bytes, list[str]]:
        scene = GateScene(SEARCH, OTHER)
        receive = scene.relay.receive

        def in_pieces(side: Any, data: bytes, now: int) -> Any:
            effects: list[Any] = []
            for piece in chunkings.cut(data, cut_client if side == "client" else cut_server):
                effects += receive(side, piece, now)
            return effects

        scene.relay.receive = in_pieces  # type: ignore[method-assign,assignment]
        scene.begun()
        scene.call(1, query="x")
        scene.tools[0] = RENAMED
        scene.call(2, query="x")
        scene.read_tools()
        return scene.raw_heard, [type(fact).KIND for fact in scene.facts]

    assert play(client, server) == play([], [])


def test_a_request_that_is_too_large_to_be_looked_at_does_not_leave() -> None:
    scene = GateScene(SEARCH).begun()
    scene.call(1, query="x" * (5 << 20))
    assert scene.called == []
    assert scene.decided[-1].reason == "unreadable"
    scene.call(2, query="x")
    assert scene.reason(2) == ""


def test_a_large_answer_passes_while_no_list_is_open() -> None:
    scene = GateScene(SEARCH).begun()
    scene.call(1, query="x")
    big = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "y" * (9 << 20)}}).encode() + b"\n"
    passed = b""
    for piece in chunkings.cut(big, [65_536]):
        passed += b"".join(effect.data for effect in scene.relay.receive("server", piece, scene.now) if isinstance(effect, Forward))
    assert passed == big


# --- nothing goes on that the evidence does not cover ----------------------------------------------------------------------

STEPS = st.sampled_from(
    ["call", "call other", "rename", "revert", "add", "signal", "list", "wait", "silent", "speak", "approve", "cancel", "fail"]
)


def approve(scene: GateScene) -> None:
    scene.carry(scene.relay.step(scene.gate.locks({"full": lock(RENAMED, OTHER)}, Redaction(RULES, SALT), scene.now), scene.now))


def take(scene: GateScene, step: str, number: int) -> None:
    """One step of a history: of the client, the server, the clock or the approver."""
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": f"c{number - 1}"}}
    steps: dict[str, Callable[[], object]] = {
        "call": lambda: scene.call(f"c{number}", query="x"),
        "call other": lambda: scene.call(f"c{number}", "other"),
        "rename": lambda: scene.tools.__setitem__(0, RENAMED),
        "revert": lambda: scene.tools.__setitem__(0, SEARCH),
        "add": lambda: scene.tools.append(tool(f"t{number}")),
        "signal": scene.signal,
        "list": lambda: scene.ask(f"l{number}", "tools/list"),
        "wait": lambda: scene.pass_time(3),
        "silent": lambda: setattr(scene, "silent", True),
        "speak": lambda: setattr(scene, "silent", False),
        "approve": lambda: approve(scene),
        "cancel": lambda: scene.client(cancelled),
        "fail": lambda: setattr(scene, "fail_page", None if scene.fail_page == 0 else 0),
    }
    steps[step]()


@settings(max_examples=150)
@given(st.lists(STEPS, max_size=25), st.sampled_from([ALWAYS, GatePolicy()]), st.booleans())
def test_no_call_reaches_a_server_whose_contract_is_not_approved_and_known(steps: list[str], policy: GatePolicy, modern: bool) -> None:
    scene = GateScene(SEARCH, OTHER, policy=policy, modern=modern).begun()
    approved: list[dict[str, Any]] = [SEARCH]
    wrong: list[str] = []
    serve = scene._serve

    def seen(message: dict[str, Any]) -> None:
        if message.get("method") == "tools/call" and message["params"]["name"] == "search" and scene.tools[0] not in approved:
            wrong.append(str(message["id"]))
        serve(message)

    scene._serve = seen  # type: ignore[method-assign]
    for number, step in enumerate(steps):
        if step == "approve":
            approved = [RENAMED]
        take(scene, step, number)
    scene.pass_time(60)
    assert wrong == []
    asked = [fact.id for fact in scene.facts if isinstance(fact, CallStarted)]
    assert len(scene.decided) == len(asked), "each call is decided once"
    answered = [message["id"] for message in scene.heard if str(message.get("id", "")).startswith("c")]
    assert len(answered) == len(set(answered))
    if steps and "call" in steps:
        assert scene.verdict().state != "healthy"


# --- joined pages ------------------------------------------------------------------------------------------------------------


def test_pages_are_joined_for_a_client_that_reads_the_first_only(modern: bool) -> None:
    scene = GateScene(SEARCH, OTHER, tool("third"), policy=GatePolicy(join_pages=True), modern=modern, page_size=1).begun()
    scene.ask("l", "tools/list")
    result = scene.said("l")["result"]
    assert [each["name"] for each in result["tools"]] == ["search", "other", "third"]
    assert "nextCursor" not in result
    assert {fact.what for fact in scene.changed} == {"joined"}
    scene.call(1, "third")
    assert scene.reason(1) == ""
    catalog = scene.verdict().catalogs[0]
    assert (catalog.tools, catalog.pages, "page_missing" in catalog.reasons) == (3, 1, False)


@pytest.mark.parametrize("broken", ["error", "silence"])
def test_a_page_that_does_not_come_leaves_the_servers_own_first_page(broken: str) -> None:
    scene = GateScene(SEARCH, OTHER, policy=GatePolicy(join_pages=True), page_size=1).begun()
    if broken == "error":
        scene.fail_page = 1
    first = {"jsonrpc": "2.0", "id": "l", "result": {"tools": [SEARCH], "nextCursor": "1"}}
    scene.silent = True
    scene.client({"jsonrpc": "2.0", "id": "l", "method": "tools/list"})
    scene.silent = broken == "silence"
    scene.server(first)
    scene.pass_time(21)
    assert scene.said("l") == first


def test_joining_pages_withholds_what_is_not_approved() -> None:
    scene = GateScene(SEARCH, OTHER, policy=GatePolicy(join_pages=True), page_size=1).begun()
    scene.tools.append(tool("new"))
    assert [each["name"] for each in scene.read_tools()] == ["search", "other"]
