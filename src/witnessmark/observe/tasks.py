"""Facts about tasks, in both dialects.

2025-11-25 (core, experimental): `tasks/get` shows a status, `tasks/result` answers with the call's own result or error, a
result with `isError: true` ends as `failed`. The extension of 2026-07-28: `tasks/get` carries result or error inline,
`isError: true` ends as `completed`, `tasks/cancel` and `tasks/update` are answered by an empty acknowledgement.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.model.evidence import TaskReported
from witnessmark.observe.calling import outcome_of, small_code, task_status_of
from witnessmark.observe.pairing import OpenRequest
from witnessmark.observe.redact import Purpose, Redactor
from witnessmark.wire.revisions import CODE_INVALID_PARAMS, Revision

MAX_TASKS_REMEMBERED: Final = 1_024
"""Tasks whose tool is remembered, so that their result can be held to its output schema."""


class TaskOrigins:
    """The call behind each task handle, as far as it is remembered."""

    __slots__ = ("_calls",)

    def __init__(self) -> None:
        self._calls: dict[str, OpenRequest] = {}

    def note(self, task: str, call: OpenRequest) -> None:
        """Notes that this call was answered by this handle."""
        self._calls[task] = call
        if len(self._calls) > MAX_TASKS_REMEMBERED:
            del self._calls[next(iter(self._calls))]

    def of(self, task: str, otherwise: OpenRequest | None) -> OpenRequest | None:
        """The call behind the handle; the polling request itself where it is not known."""
        return self._calls.get(task, otherwise)


def task_of(params: dict[str, Any], redact: Redactor) -> str:
    """The keyed hash of the `taskId` in params, "" if there is none."""
    task = params.get("taskId")
    return redact.hashed(Purpose.TASK, task) if type(task) is str else ""


def task_answered(
    server: str, request: OpenRequest, result: Any, revision: Revision | None, call: OpenRequest, redact: Redactor
) -> TaskReported | None:
    """What the answer to a request about a task reports; None where it says nothing of it (an acknowledgement, another task)."""
    if type(result) is not dict or not request.task:
        return None
    if request.method == "tasks/result":
        outcome = _end(result, revision, call)
        status = "failed" if outcome != "result" else "completed"
        return _report(server, request.channel, request.peer, request.task, status, outcome)
    status = task_status_of(result)
    if not status or task_of(result, redact) not in ("", request.task):
        return None
    outcome, code = _inline_end(result, revision, call)
    return _report(server, request.channel, request.peer, request.task, status, outcome, code)


def task_refused(server: str, request: OpenRequest, code: int) -> TaskReported | None:
    """What an error answer reports: an unknown handle, or (`tasks/result`) the call's own error; None for other errors."""
    if not request.task or request.method not in {"tasks/get", "tasks/result"}:
        return None
    if code == CODE_INVALID_PARAMS:
        # 2025-11-25 tasks: -32602 for a task that is unknown or has expired. `tasks/result` may also repeat the call's own
        # -32602; the handle is of no use either way, and an unknown end is the careful reading.
        return TaskReported(server=server, channel=request.channel, peer=request.peer, task=request.task, code=code, gone=True)
    if request.method == "tasks/result":
        return _report(server, request.channel, request.peer, request.task, "failed", "error", code)
    return None


def task_notified(
    server: str, channel: str, peer: str, params: dict[str, Any], revision: Revision | None, origins: TaskOrigins, redact: Redactor
) -> TaskReported | None:
    """What `notifications/tasks/status` (2025-11-25) or `notifications/tasks` (extension) reports; None without a handle."""
    task = task_of(params, redact)
    status = task_status_of(params)
    if not task or not status:
        return None
    outcome, code = _inline_end(params, revision, origins.of(task, None))
    return _report(server, channel, peer, task, status, outcome, code)


def _inline_end(task: dict[str, Any], revision: Revision | None, call: OpenRequest | None) -> tuple[str, int | None]:
    """The end that a task object carries inline: its outcome and error code, ("", None) while it carries none."""
    error = task.get("error")
    if type(error) is dict:
        code = error.get("code")
        return "error", code if type(code) is int else None
    if "result" in task:
        return _end(task["result"], revision, call), None
    return "", None


def _end(result: Any, revision: Revision | None, call: OpenRequest | None) -> str:
    """The end that a result is: result | tool_error | invalid (its revision or its output schema does not allow it)."""
    if type(result) is not dict:
        return "invalid"
    if call is None:
        return "tool_error" if result.get("isError") is True else "result"
    outcome = outcome_of(result, call, revision).outcome
    return outcome if outcome in {"result", "tool_error"} else "invalid"


def _report(server: str, channel: str, peer: str, task: str, status: str, outcome: str, code: int | None = None) -> TaskReported:
    return TaskReported(server=server, channel=channel, peer=peer, task=task, status=status, outcome=outcome, code=small_code(code))
