"""Facts about `tools/call`: what left, and what kind of answer came back.

Sources: server/tools of each revision (content, isError, structuredContent); 2026-07-28 patterns/mrtr (input_required) and
basic (resultType); 2025-11-25 tasks and the tasks extension (task handles). Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from witnessmark.contract.output import NOT_CHECKED, OUTPUT_UNCHECKED, output_violation
from witnessmark.model.evidence import CallAnswered, CallStarted
from witnessmark.observe.pairing import OpenRequest
from witnessmark.observe.redact import Purpose, Redactor
from witnessmark.observe.served import ServedTools
from witnessmark.wire.revisions import META_PROGRESS_TOKEN, META_TRACEPARENT, Revision, StructuredContent, TaskDialect

Pointer = tuple[str, ...]

CONTENT_TYPES: Final = frozenset({"text", "image", "audio", "resource", "resource_link"})
"""Types of content blocks that any revision defines for a tool's result."""

MAX_ASKS: Final = 16
"""Methods of `inputRequests` that are named; the revisions define three."""

TASK_STATUSES: Final = frozenset({"working", "input_required", "completed", "failed", "cancelled"})

# W3C Trace Context: version, trace id, parent id, flags.
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_MISSING: Final = object()
_INT64_MAX: Final = 2**63 - 1


class Outcome(NamedTuple):
    """How a result reads: CallAnswered.outcome and .violation."""

    outcome: str
    violation: str = ""


_RESULT: Final = Outcome("result")


def parse_pointer(text: str) -> Pointer:
    """The reference tokens of a JSON Pointer (RFC 6901); ValueError if it is none."""
    if text and not text.startswith("/"):
        raise ValueError("a JSON Pointer is empty or begins with '/'")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:])


def value_at(value: Any, pointer: Pointer) -> Any:
    """The value that a pointer leads to, or the sentinel MISSING."""
    for token in pointer:
        if type(value) is dict:
            value = value.get(token, _MISSING)
        elif type(value) is list and token.isascii() and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return _MISSING
    return value


def call_started(
    server: str, request: OpenRequest, params: dict[str, Any], size: int, served: ServedTools, key: Pointer | None, redact: Redactor
) -> CallStarted:
    """The start of a call; notes in `request` the output schema that its answer will be held to."""
    arguments = params.get("arguments", _MISSING)
    if arguments is _MISSING:
        arguments = {}
    name = params.get("name")
    undeclared = missing = 0
    fits_older = False
    contracts = served.contracts(name) if type(name) is str else ()
    if contracts:
        request.output_schema = contracts[0].output_schema
        if type(arguments) is dict:
            undeclared, missing = contracts[0].fit(arguments)
            if undeclared or missing:
                fits_older = any(older.fit(arguments) == (0, 0) for older in contracts[1:])
    keyed = value_at(arguments, key) if key is not None else _MISSING
    meta = params.get("_meta")
    token: Any = None
    trace = ""
    if type(meta) is dict:
        token = meta.get(META_PROGRESS_TOKEN)
        parent = meta.get(META_TRACEPARENT)
        if type(parent) is str and (found := _TRACEPARENT.fullmatch(parent)):
            trace = found[1]
    state = params.get("requestState", _MISSING)
    return CallStarted(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        tool=request.tool,
        arguments=redact.hashed(Purpose.ARGUMENTS, arguments),
        token=None if token is None else redact.hashed(Purpose.TOKEN, token),
        key=None if keyed is _MISSING or keyed is None else redact.hashed(Purpose.OPERATION_KEY, keyed),
        unresolved=key is not None and (keyed is _MISSING or keyed is None),
        echo="" if state is _MISSING else redact.hashed(Purpose.REQUEST_STATE, state),
        answers_input="inputResponses" in params,
        version=request.version,
        task=type(params.get("task")) is dict,
        size_bytes=size,
        undeclared=undeclared,
        missing=missing,
        fits_older=fits_older,
        trace=trace,
    )


def call_of_unread_arguments(
    server: str, request: OpenRequest, token: Any, size: int, redact: Redactor, *, keyed: bool = False
) -> CallStarted:
    """The start of a call whose frame was too big to decode: its arguments and its operation key are unknown."""
    return CallStarted(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        tool=request.tool,
        token=None if token is None else redact.hashed(Purpose.TOKEN, token),
        unresolved=keyed,
        version=request.version,
        size_bytes=size,
    )


def outcome_of(result: Any, request: OpenRequest, revision: Revision | None, *, whole: bool = True) -> Outcome:
    """How a result reads under its revision (None: unknown, then nothing is held against it that some revision allows).

    `whole` is False for a frame whose content was not read: then the content is not checked.
    """
    if type(result) is not dict:
        return Outcome("invalid", "ResultNotAnObject")
    if request.modern or revision is None or revision.result_type_required:
        kind = result.get("resultType", "complete")
        if kind == "input_required":
            asked = type(result.get("inputRequests")) is dict or "requestState" in result
            return Outcome("input_required") if asked or not whole else Outcome("invalid", "EmptyInputRequired")
        if kind == "task":
            return Outcome("task") if type(result.get("taskId")) is str else Outcome("invalid", "NoTaskId")
        if kind != "complete":
            return Outcome("invalid", "UnknownResultType")
    if not request.modern and type(result.get("task")) is dict and (revision is None or revision.task_dialect is TaskDialect.CORE):
        return Outcome("task") if type(result["task"].get("taskId")) is str else Outcome("invalid", "NoTaskId")
    failed = result.get("isError", False)
    if failed is True:
        return Outcome("tool_error")
    if failed is not False and failed is not None:
        return Outcome("invalid", "IsErrorNotBoolean")
    if not whole:
        return Outcome("result", OUTPUT_UNCHECKED if request.output_schema is not None else "")
    violation = _content_violation(result) or _structured_violation(result, request, revision)
    if not violation:
        return _RESULT
    # A promise that could not be checked is neither kept nor broken: the answer is a result, and the word goes with it.
    return Outcome("result" if violation in NOT_CHECKED else "invalid", violation)


def _content_violation(result: dict[str, Any]) -> str:
    content = result.get("content")
    if type(content) is not list:
        return "ContentMissing" if content is None else "ContentNotArray"
    for block in content:
        if type(block) is not dict:
            return "ContentBlockNotObject"
        kind = block.get("type")
        if type(kind) is not str or kind not in CONTENT_TYPES:
            return "UnknownContentType"
    return ""


def _structured_violation(result: dict[str, Any], request: OpenRequest, revision: Revision | None) -> str:
    schema = request.output_schema
    if revision is not None and not revision.output_schema:
        schema = None
    present = "structuredContent" in result
    if schema is None and not present:
        return ""
    # To 2025-11-25 an object; any JSON value, null included, since 2026-07-28 (server/tools).
    must_be_object = revision is not None and revision.structured_content is not StructuredContent.ANY
    return output_violation(present, result.get("structuredContent"), schema, must_be_object) or ""


def call_answered(
    server: str, request: OpenRequest, result: Any, outcome: Outcome, size: int, status: int | None, redact: Redactor
) -> CallAnswered:
    """The answer of a call that has a result (a good one, or one that its revision does not allow)."""
    state = ""
    asks: tuple[str, ...] = ()
    task = ""
    task_status = ""
    if outcome.outcome == "input_required":
        asked = result.get("inputRequests")
        if type(asked) is dict:
            methods = (redact.method(each.get("method")) if type(each) is dict else "_OTHER" for each in asked.values())
            asks = tuple(sorted(set(methods)))[:MAX_ASKS]
        if "requestState" in result:
            state = redact.hashed(Purpose.REQUEST_STATE, result["requestState"])
    elif outcome.outcome == "task":
        handle = result if request.modern or "taskId" in result else result["task"]
        task = redact.hashed(Purpose.TASK, handle["taskId"])
        task_status = task_status_of(handle)
    return CallAnswered(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        outcome=outcome.outcome,
        status=status,
        violation=outcome.violation,
        state=state,
        asks=asks,
        task=task,
        task_status=task_status,
        size_bytes=size,
    )


def call_failed(
    server: str,
    request: OpenRequest,
    outcome: str,
    *,
    code: int | None = None,
    status: int | None = None,
    violation: str = "",
    size: int = 0,
    probable: bool = False,
) -> CallAnswered:
    """The answer of a call that has no result: an error, an envelope that is none, an HTTP status alone."""
    return CallAnswered(
        server=server,
        channel=request.channel,
        peer=request.peer,
        id=request.id,
        outcome=outcome,
        code=small_code(code),
        status=status,
        violation=violation,
        size_bytes=size,
        probable=probable,
    )


def small_code(code: int | None) -> int | None:
    """An error code that fits 64 bits; a larger one is a peer's joke, and None."""
    return code if code is not None and -_INT64_MAX <= code <= _INT64_MAX else None


def task_status_of(handle: dict[str, Any]) -> str:
    """The status word of a task, "" if it is none of the closed list."""
    status = handle.get("status")
    return status if type(status) is str and status in TASK_STATUSES else ""
