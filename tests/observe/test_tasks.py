"""Tasks in both dialects: handles, polls, ends, and handles that are gone."""

from __future__ import annotations

from typing import Any

import pytest

from observe_scene import TOOL, Scene, kinds, only
from witnessmark.model.evidence import CallAnswered, CallStarted, RequestAnswered, SessionChallenged, TaskReported

TEXT = {"content": [{"type": "text", "text": "done"}]}


def with_task(*, modern: bool, tool: dict[str, Any] | None = None) -> Scene:
    scene = Scene()
    if modern:
        scene.call(1, modern=True)
        scene.answer(1, {"resultType": "task", "taskId": "secret-task", "status": "working", "ttlMs": 5})
    else:
        scene.initialize("2025-11-25")
        if tool is not None:
            scene.serve(tool)
        assert only(scene.call(1, task={"ttl": 60}), CallStarted).task
        scene.answer(1, {"task": {"taskId": "secret-task", "status": "working"}})
    return scene


def poll(scene: Scene, method: str, result: Any, *, modern: bool) -> list[Any]:
    scene.ask(2, method, {"taskId": "secret-task"}, modern=modern)
    return list(scene.answer(2, result))


@pytest.mark.parametrize("modern", [False, True])
def test_a_handle_is_hashed_and_joins_call_and_poll(modern: bool) -> None:
    scene = with_task(modern=modern)
    handle = only(scene.facts, CallAnswered)
    assert (handle.outcome, handle.task_status) == ("task", "working")
    report = only(poll(scene, "tasks/get", {"taskId": "secret-task", "status": "input_required"}, modern=modern), TaskReported)
    assert report.task == handle.task == scene.redact.hashed("task", "secret-task")
    assert (report.status, report.outcome) == ("input_required", "")


@pytest.mark.parametrize(
    "result,status,outcome",
    [
        (TEXT, "completed", "result"),
        ({**TEXT, "isError": True}, "failed", "tool_error"),
        ({"content": 7}, "failed", "invalid"),
        (7, "", ""),
    ],
)
def test_core_tasks_end_by_their_result(result: Any, status: str, outcome: str) -> None:
    facts = poll(with_task(modern=False), "tasks/result", result, modern=False)
    if not status:
        assert kinds(facts) == ["request.answered"]
        return
    report = only(facts, TaskReported)
    assert (report.status, report.outcome) == (status, outcome)


def test_a_core_task_is_held_to_the_output_schema_of_its_tool() -> None:
    scene = with_task(modern=False, tool={**TOOL, "outputSchema": {"type": "object", "required": ["n"]}})
    report = only(poll(scene, "tasks/result", {**TEXT, "structuredContent": {}}, modern=False), TaskReported)
    assert report.outcome == "invalid"


@pytest.mark.parametrize(
    "task,outcome,code",
    [
        ({"status": "completed", "result": TEXT}, "result", None),
        ({"status": "completed", "result": {**TEXT, "isError": True}}, "tool_error", None),
        ({"status": "completed", "result": "text"}, "invalid", None),
        ({"status": "failed", "error": {"code": -32603, "message": "secret"}}, "error", -32603),
        ({"status": "cancelled"}, "", None),
    ],
)
def test_extension_tasks_carry_their_end_inline(task: Any, outcome: str, code: int | None) -> None:
    body = {"resultType": "complete", "taskId": "secret-task", **task}
    report = only(poll(with_task(modern=True), "tasks/get", body, modern=True), TaskReported)
    assert (report.status, report.outcome, report.code) == (task["status"], outcome, code)
    scene = with_task(modern=True)
    notified = only(scene.notify("server", "notifications/tasks", {"taskId": "secret-task", **task}), TaskReported)
    assert (notified.outcome, notified.peer) == (outcome, "")


def test_a_status_notification_of_core_is_a_report() -> None:
    scene = with_task(modern=False)
    report = only(scene.notify("server", "notifications/tasks/status", {"taskId": "secret-task", "status": "failed"}), TaskReported)
    assert (report.status, report.outcome, report.peer) == ("failed", "", "0")
    assert scene.notify("server", "notifications/tasks/status", {"taskId": "secret-task", "status": "free text"}) == []


@pytest.mark.parametrize(
    "method,code,gone,outcome",
    [("tasks/get", -32602, True, ""), ("tasks/result", -32602, True, ""), ("tasks/result", -32000, False, "error")],
)
def test_an_unknown_handle_is_gone_and_another_error_is_the_calls(method: str, code: int, gone: bool, outcome: str) -> None:
    scene = with_task(modern=False)
    scene.ask(2, method, {"taskId": "secret-task"})
    report = only(scene.fail(2, code), TaskReported)
    assert (report.gone, report.outcome, report.code) == (gone, outcome, code)


@pytest.mark.parametrize("method", ["tasks/cancel", "tasks/update", "tasks/get"])
def test_acknowledgements_and_refused_requests_report_nothing(method: str) -> None:
    scene = with_task(modern=True)
    assert kinds(poll(scene, method, {"resultType": "complete"}, modern=True)) == ["request.answered"]
    scene.ask(3, method, {"taskId": "secret-task"}, modern=True)
    assert only(scene.fail(3, -32603), RequestAnswered).code == -32603


def test_a_core_cancel_answers_with_the_task() -> None:
    facts = poll(with_task(modern=False), "tasks/cancel", {"taskId": "secret-task", "status": "cancelled"}, modern=False)
    assert only(facts, TaskReported).status == "cancelled"


def test_a_task_that_asks_for_an_address_is_a_challenge_on_its_call() -> None:
    asked = {"u": {"method": "elicitation/create", "params": {"mode": "url"}}}
    body = {"resultType": "complete", "taskId": "secret-task", "status": "input_required", "inputRequests": asked}
    challenged = only(poll(with_task(modern=True), "tasks/get", body, modern=True), SessionChallenged)
    assert (challenged.method, challenged.tool) == ("tools/call", "publish")
