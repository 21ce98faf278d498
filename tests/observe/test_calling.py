"""tools/call: what is told of a call, and how each shape of answer reads under its revision."""

from __future__ import annotations

from typing import Any

import pytest

from observe_scene import MODERN, TOOL, Scene, kinds, only
from witnessmark.model.evidence import CallAnswered, CallCancelled, CallProgress, CallStarted
from witnessmark.observe.calling import parse_pointer

TEXT = {"content": [{"type": "text", "text": "done"}]}
COMPLETE = {**TEXT, "resultType": "complete"}
WITH_OUTPUT = {**TOOL, "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}


def test_a_call_is_told_by_tool_hashes_counts_and_size() -> None:
    scene = Scene()
    scene.initialize("2025-06-18")
    scene.observer.declare_key("publish", "/key")
    arguments = {"slug": "w48", "key": "op-1"}
    started = only(scene.call(7, arguments, _meta={"progressToken": 3}), CallStarted)
    redact = scene.redact
    assert (started.tool, started.id, started.version, started.peer) == ("publish", "7", "2025-06-18", "0")
    assert started.arguments == redact.hashed("arguments", arguments)
    assert started.key == redact.hashed("operation_key", "op-1")
    assert started.token == redact.hashed("token", 3)
    assert started.size_bytes > 80
    assert (started.echo, started.answers_input, started.task, started.trace) == ("", False, False, "")


def test_absent_arguments_are_an_empty_object() -> None:
    scene = Scene()
    absent = only(scene.ask(1, "tools/call", {"name": "publish"}), CallStarted)
    assert absent.arguments == only(scene.call(2, {}), CallStarted).arguments


@pytest.mark.parametrize(
    "pointer,arguments,value",
    [
        ("/key", {"key": "a"}, "a"),
        ("/a/b", {"a": {"b": 7}}, 7),
        ("/list/1", {"list": ["x", "y"]}, "y"),
        ("/a~1b~0c", {"a/b~c": "q"}, "q"),
        ("", {"whole": 1}, {"whole": 1}),
    ],
)
def test_an_operation_key_is_found_by_its_pointer(pointer: str, arguments: Any, value: Any) -> None:
    scene = Scene()
    scene.observer.declare_key("publish", pointer)
    assert only(scene.call(1, arguments), CallStarted).key == scene.redact.hashed("operation_key", value)


@pytest.mark.parametrize("pointer", ["/key", "/key/deeper", "/list/7", "/list/x"])
def test_a_pointer_that_leads_nowhere_gives_no_key(pointer: str) -> None:
    scene = Scene()
    scene.observer.declare_key("publish", pointer)
    assert only(scene.call(1, {"slug": "x", "list": [1], "key": None}), CallStarted).key is None


def test_a_text_that_is_no_pointer_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON Pointer"):
        parse_pointer("key")


def test_a_further_round_echoes_the_state_that_was_asked_for() -> None:
    scene = Scene()
    scene.call(1, {"slug": "x"}, modern=True)
    asked = only(
        scene.answer(1, {"resultType": "input_required", "requestState": "opaque", "inputRequests": {"r": {"method": "roots/list"}}}),
        CallAnswered,
    )
    assert (asked.outcome, asked.asks) == ("input_required", ("roots/list",))
    again = only(scene.call(2, {"slug": "x"}, modern=True, requestState="opaque", inputResponses={"r": {}}), CallStarted)
    assert again.echo == asked.state
    assert again.echo
    assert again.answers_input


def test_a_trace_id_is_taken_from_a_well_formed_traceparent_only() -> None:
    scene = Scene()
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    assert only(scene.call(1, _meta={"traceparent": parent}), CallStarted).trace == "0af7651916cd43dd8448eb211c80319c"
    assert only(scene.call(2, _meta={"traceparent": "my secret"}), CallStarted).trace == ""


def test_arguments_are_counted_against_the_contract_that_was_last_served() -> None:
    scene = Scene()
    scene.serve()
    fresh = only(scene.call(1, {"slug": "a", "nope": 1, "no": 2}), CallStarted)
    assert (fresh.undeclared, fresh.missing, fresh.fits_older) == (2, 0, False)
    assert only(scene.call(2, {"key": "k"}), CallStarted).missing == 1
    renamed = {**TOOL, "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}
    scene.serve(renamed, id_="list-2")
    stale = only(scene.call(3, {"slug": "a"}), CallStarted)
    assert (stale.undeclared, stale.missing, stale.fits_older) == (1, 1, True)
    assert not only(scene.call(4, {"other": "a"}), CallStarted).fits_older
    assert only(scene.call(5, {"path": "a"}), CallStarted).undeclared == 0


@pytest.mark.parametrize(
    "version,result,outcome,violation",
    [
        ("2025-11-25", TEXT, "result", ""),
        ("2025-11-25", {**TEXT, "isError": True}, "tool_error", ""),
        ("2025-11-25", {"content": 7, "isError": True}, "tool_error", ""),
        ("2025-11-25", {**TEXT, "isError": "true"}, "invalid", "IsErrorNotBoolean"),
        ("2025-11-25", {}, "invalid", "ContentMissing"),
        ("2025-11-25", {"content": "done"}, "invalid", "ContentNotArray"),
        ("2025-11-25", {"content": ["done"]}, "invalid", "ContentBlockNotObject"),
        ("2025-11-25", {"content": [{"type": "json", "json": {}}]}, "invalid", "UnknownContentType"),
        ("2025-11-25", {"content": [{"type": "resource_link"}, {"type": "audio"}]}, "result", ""),
        ("2025-11-25", [], "invalid", "ResultNotAnObject"),
        ("2025-11-25", None, "invalid", "ResultNotAnObject"),
        ("2025-11-25", {**TEXT, "structuredContent": [1]}, "invalid", "StructuredContentNotObject"),
        ("2025-06-18", {**TEXT, "structuredContent": {"a": 1}}, "result", ""),
        ("2025-11-25", {**TEXT, "resultType": "invented"}, "result", ""),
        ("2025-11-25", {"task": {"taskId": "t-1", "status": "working"}}, "task", ""),
        ("2025-06-18", {"task": {"taskId": "t-1", "status": "working"}}, "invalid", "ContentMissing"),
        ("2026-07-28", COMPLETE, "result", ""),
        ("2026-07-28", TEXT, "result", ""),
        ("2026-07-28", {**COMPLETE, "structuredContent": None}, "result", ""),
        ("2026-07-28", {**COMPLETE, "structuredContent": [1]}, "result", ""),
        ("2026-07-28", {**TEXT, "resultType": "invented"}, "invalid", "UnknownResultType"),
        ("2026-07-28", {**TEXT, "resultType": None}, "invalid", "UnknownResultType"),
        ("2026-07-28", {"resultType": "input_required"}, "invalid", "EmptyInputRequired"),
        ("2026-07-28", {"resultType": "input_required", "requestState": ""}, "input_required", ""),
        ("2026-07-28", {"resultType": "task", "taskId": "t-1", "status": "working"}, "task", ""),
        ("2026-07-28", {"resultType": "task"}, "invalid", "NoTaskId"),
    ],
)
def test_an_answer_reads_as_its_revision_says(version: str, result: Any, outcome: str, violation: str) -> None:
    scene = Scene()
    if version == "2026-07-28":
        scene.call(7, modern=True)
    else:
        scene.initialize(version)
        scene.call(7)
    answered = only(scene.answer(7, result), CallAnswered)
    assert (answered.outcome, answered.violation) == (outcome, violation)


@pytest.mark.parametrize(
    "structured,outcome,violation",
    [
        ({"n": 1}, "result", ""),
        ({"n": "one"}, "invalid", "OutputSchemaViolated"),
        (None, "invalid", "StructuredContentMissing"),
    ],
)
def test_output_is_held_to_the_declared_schema(structured: Any, outcome: str, violation: str) -> None:
    scene = Scene()
    scene.initialize()
    scene.serve(WITH_OUTPUT)
    scene.call(7)
    result = TEXT if structured is None else {**TEXT, "structuredContent": structured}
    answered = only(scene.answer(7, result), CallAnswered)
    assert (answered.outcome, answered.violation) == (outcome, violation)


def test_a_failed_call_owes_no_structured_content() -> None:
    scene = Scene()
    scene.initialize()
    scene.serve(WITH_OUTPUT)
    scene.call(7)
    assert only(scene.answer(7, {**TEXT, "isError": True}), CallAnswered).outcome == "tool_error"


def test_an_output_schema_that_cannot_be_used_is_named_and_proves_nothing() -> None:
    scene = Scene()
    scene.initialize()
    scene.serve({**TOOL, "outputSchema": {"type": "no-such-type"}})
    scene.call(7)
    answered = only(scene.answer(7, {**TEXT, "structuredContent": {"n": 1}}), CallAnswered)
    assert (answered.outcome, answered.violation) == ("result", "OutputSchemaUnusable")


@pytest.mark.parametrize(
    "message,violation",
    [
        ({"jsonrpc": "2.0", "id": 7}, "NeitherResultNorError"),
        ({"jsonrpc": "2.0", "id": 7, "result": TEXT, "error": {"code": 1, "message": "x"}}, "BothResultAndError"),
        ({"jsonrpc": "2.0", "id": 7, "error": "broken"}, "ErrorNotAnObject"),
        ({"jsonrpc": "2.0", "id": 7, "error": {"code": "E1"}}, "ErrorCodeNotInteger"),
    ],
)
def test_an_envelope_that_is_no_answer_is_never_a_success(message: Any, violation: str) -> None:
    scene = Scene()
    scene.call(7)
    answered = only(scene.server(message), CallAnswered)
    assert (answered.outcome, answered.violation) == ("invalid", violation)


def test_an_error_answer_keeps_its_code_and_no_word() -> None:
    scene = Scene()
    scene.call(7)
    answered = only(scene.fail(7, -32603, {"trace": "secret"}), CallAnswered)
    assert (answered.outcome, answered.code, answered.status) == ("error", -32603, None)
    scene.call(8)
    assert only(scene.fail(8, 10**30), CallAnswered).code is None


def test_an_answer_of_a_name_that_only_looks_like_a_log_line_is_junk() -> None:
    scene = Scene()
    scene.call(7)
    assert kinds(scene.server({"id": 7, "level": "info"})) == ["wire.malformed"]
    assert kinds(scene.server({"level": "error", "error": {"code": 5}})) == ["wire.malformed"]
    assert only(scene.answer(7, TEXT), CallAnswered).outcome == "result"


def test_a_large_answer_is_read_by_its_envelope() -> None:
    scene = Scene()
    scene.initialize()
    scene.serve(WITH_OUTPUT)
    big = {"content": [{"type": "text", "text": "x" * (4 * 1024 * 1024)}], "structuredContent": {"n": 1}}
    scene.call(7)
    answered = only(scene.answer(7, big), CallAnswered)
    assert (answered.outcome, answered.violation) == ("result", "OutputUnchecked")
    assert answered.size_bytes > 4 * 1024 * 1024
    scene.call(8)
    assert only(scene.answer(8, {**big, "isError": True}), CallAnswered).outcome == "tool_error"


def test_a_large_call_is_told_without_its_arguments() -> None:
    scene = Scene()
    scene.observer.declare_key("publish", "/key")
    started = only(scene.call(7, {"slug": "x" * (4 * 1024 * 1024), "key": "op"}, modern=True), CallStarted)
    assert (started.tool, started.arguments, started.key, started.version) == ("publish", "", None, "2026-07-28")
    assert only(scene.answer(7, COMPLETE), CallAnswered).outcome == "result"


@pytest.mark.parametrize("progress,kept", [(1, 1.0), (0.5, 0.5), (-1, -1.0), ("1", None), (True, None), (None, None), (10**400, None)])
def test_progress_is_a_finite_number_or_none(progress: Any, kept: float | None) -> None:
    scene = Scene()
    fact = only(
        scene.notify("server", "notifications/progress", {"progressToken": "t", "progress": progress, "message": "secret"}), CallProgress
    )
    assert fact.progress == kept
    assert fact.token == scene.redact.hashed("token", "t")


def test_a_progress_token_keeps_its_type_and_its_peer() -> None:
    scene = Scene()
    started = only(scene.call(1, modern=True, _meta={**MODERN, "progressToken": 3}), CallStarted)
    right = only(scene.notify("server", "notifications/progress", {"progressToken": 3, "progress": 1}), CallProgress)
    wrong = only(scene.notify("server", "notifications/progress", {"progressToken": "3", "progress": 1}), CallProgress)
    assert (right.token, right.peer) == (started.token, started.peer)
    assert wrong.token != started.token


def test_progress_from_the_client_concerns_no_call() -> None:
    assert Scene().notify("client", "notifications/progress", {"progressToken": 3, "progress": 1}) == []


def test_cancellations_are_told_by_the_side_that_sent_them() -> None:
    scene = Scene()
    scene.call(7)
    cancelled = only(scene.notify("client", "notifications/cancelled", {"requestId": 7, "reason": "secret"}), CallCancelled)
    assert (cancelled.id, cancelled.by) == ("7", "client")
    scene.call(8)
    scene.answer(8, TEXT)
    assert only(scene.notify("client", "notifications/cancelled", {"requestId": 8}), CallCancelled).id == "8"
    assert scene.notify("client", "notifications/cancelled", {}) == []


def test_a_server_that_cancels_its_own_request_cancels_no_call() -> None:
    scene = Scene()
    scene.call(1)
    scene.server({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}})
    assert scene.notify("server", "notifications/cancelled", {"requestId": 1}) == []
    assert only(scene.answer(1, TEXT), CallAnswered).outcome == "result"


def test_initialize_cannot_be_cancelled() -> None:
    scene = Scene()
    scene.ask(0, "initialize", {"protocolVersion": "2025-11-25"})
    assert scene.notify("client", "notifications/cancelled", {"requestId": 0}) == []
    assert "session.negotiated" in kinds(scene.answer(0, {"protocolVersion": "2025-11-25", "capabilities": {}}))
