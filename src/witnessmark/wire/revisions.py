"""The protocol revisions as one table: what each one allows, requires and means.

Who needs to know "is this legal on that revision" asks a record here and compares no version strings elsewhere.
Sources: the specification's pages of each revision, named above each member.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

META_PREFIX: Final = "io.modelcontextprotocol/"
META_PROGRESS_TOKEN: Final = "progressToken"  # noqa: S105 - the protocol's name of a member
META_PROTOCOL_VERSION: Final = META_PREFIX + "protocolVersion"
META_CLIENT_INFO: Final = META_PREFIX + "clientInfo"
META_CLIENT_CAPABILITIES: Final = META_PREFIX + "clientCapabilities"
META_LOG_LEVEL: Final = META_PREFIX + "logLevel"
META_SUBSCRIPTION_ID: Final = META_PREFIX + "subscriptionId"
META_SERVER_INFO: Final = META_PREFIX + "serverInfo"
META_RELATED_TASK: Final = META_PREFIX + "related-task"
META_TRACEPARENT: Final = "traceparent"
META_TRACESTATE: Final = "tracestate"
META_BAGGAGE: Final = "baggage"

EXTENSION_TASKS: Final = META_PREFIX + "tasks"
EXTENSION_UI: Final = META_PREFIX + "ui"


class Era(StrEnum):
    """How a session comes about (2026-07-28 basic/versioning): by a handshake, or not at all."""

    LEGACY = "legacy"
    MODERN = "modern"


class StructuredContent(StrEnum):
    """What `structuredContent` may be."""

    UNKNOWN = "unknown"
    OBJECT = "object"
    ANY = "any"


class TaskDialect(StrEnum):
    """Which kind of tasks a revision speaks; the two differ in the meaning of `failed`, `cancelled` and `tasks/get`."""

    NONE = "none"
    CORE = "core"
    EXTENSION = "extension"


class ProgressDirection(StrEnum):
    """Who may send progress."""

    EITHER = "either"
    SERVER_TO_CLIENT = "server_to_client"


class HttpCancel(StrEnum):
    """What cancels a request over HTTP: the notification alone, or the end of the exchange."""

    NOTIFICATION = "notification"
    DISCONNECT = "disconnect"


class ListChangedDelivery(StrEnum):
    """How a change signal may arrive."""

    UNSOLICITED = "unsolicited"
    SUBSCRIPTION = "subscription"


class ErrorMeaning(StrEnum):
    """What an error code means on a revision that defines it."""

    PARSE_ERROR = "ParseError"
    INVALID_REQUEST = "InvalidRequest"
    METHOD_NOT_FOUND = "MethodNotFound"
    INVALID_PARAMS = "InvalidParams"
    INTERNAL_ERROR = "InternalError"
    RESOURCE_NOT_FOUND = "ResourceNotFound"
    HEADER_MISMATCH = "HeaderMismatch"
    MISSING_REQUIRED_CLIENT_CAPABILITY = "MissingRequiredClientCapability"
    UNSUPPORTED_PROTOCOL_VERSION = "UnsupportedProtocolVersion"
    URL_ELICITATION_REQUIRED = "UrlElicitationRequired"


CODE_PARSE_ERROR: Final = -32700
CODE_INVALID_REQUEST: Final = -32600
CODE_METHOD_NOT_FOUND: Final = -32601
CODE_INVALID_PARAMS: Final = -32602
CODE_INTERNAL_ERROR: Final = -32603
CODE_RESOURCE_NOT_FOUND: Final = -32002
CODE_HEADER_MISMATCH: Final = -32020
CODE_MISSING_REQUIRED_CLIENT_CAPABILITY: Final = -32021
CODE_UNSUPPORTED_PROTOCOL_VERSION: Final = -32022
CODE_URL_ELICITATION_REQUIRED: Final = -32042

_JSON_RPC_CODES: Final = {
    CODE_PARSE_ERROR: ErrorMeaning.PARSE_ERROR,
    CODE_INVALID_REQUEST: ErrorMeaning.INVALID_REQUEST,
    CODE_METHOD_NOT_FOUND: ErrorMeaning.METHOD_NOT_FOUND,
    CODE_INVALID_PARAMS: ErrorMeaning.INVALID_PARAMS,
    CODE_INTERNAL_ERROR: ErrorMeaning.INTERNAL_ERROR,
}
_LEGACY_CODES: Final = {**_JSON_RPC_CODES, CODE_RESOURCE_NOT_FOUND: ErrorMeaning.RESOURCE_NOT_FOUND}


class Revision(msgspec.Struct, frozen=True, kw_only=True):
    """One revision of the protocol; every member is what its specification says, not what SDKs do."""

    version: str
    era: Era
    # basic/lifecycle (to 2025-11-25): initialize, its result, notifications/initialized. Removed in 2026-07-28.
    session_by_handshake: bool
    # 2026-07-28 basic: protocolVersion and clientCapabilities in each request's `_meta`.
    per_request_meta: bool
    # basic of 2025-03-26: receivers MUST take batches. Removed by 2025-06-18; 2024-11-05 says nothing.
    batches_allowed: bool
    # basic: to 2025-11-25 an id is never used again in its session; 2026-07-28: not while it is in flight.
    id_reuse_after_response: bool
    # To 2025-11-25 a server may ask its client (sampling, roots, elicitation, ping); 2026-07-28: never.
    server_requests: bool
    # server/tools: 2025-03-26 annotations; 2025-06-18 title, outputSchema, _meta; 2025-11-25 icons, execution.
    tool_annotations: bool
    output_schema: bool
    output_schema_must_be_object: bool
    structured_content: StructuredContent
    # 2026-07-28: each result MUST say complete, input_required or an extension's value; absent on older servers means complete.
    result_type_required: bool
    input_required: bool
    task_dialect: TaskDialect
    # basic/utilities/progress
    progress_direction: ProgressDirection
    # 2025-11-25 tasks: a token stays valid until its task is terminal, so progress may follow the first answer.
    progress_after_task_handle: bool
    # basic/utilities/cancellation
    http_cancel: HttpCancel
    # 2025-03-26: Streamable HTTP with Mcp-Session-Id; removed in 2026-07-28.
    http_session_id: bool
    # basic/transports: MCP-Protocol-Version from 2025-06-18; Mcp-Method and Mcp-Name in 2026-07-28.
    http_version_header: bool
    http_method_headers: bool
    # server/utilities/caching: ttlMs and cacheScope on list results.
    ttl_hints: bool
    # server/utilities/pagination: only 2026-07-28 says that the empty string is a cursor; earlier ones are silent.
    empty_cursor_explicit: bool
    list_changed_delivery: ListChangedDelivery
    discover: bool
    error_codes: MappingProxyType[int, ErrorMeaning]


_2024_11_05: Final = Revision(
    version="2024-11-05",
    era=Era.LEGACY,
    session_by_handshake=True,
    per_request_meta=False,
    batches_allowed=False,
    id_reuse_after_response=False,
    server_requests=True,
    tool_annotations=False,
    output_schema=False,
    output_schema_must_be_object=False,
    structured_content=StructuredContent.UNKNOWN,
    result_type_required=False,
    input_required=False,
    task_dialect=TaskDialect.NONE,
    progress_direction=ProgressDirection.EITHER,
    progress_after_task_handle=False,
    http_cancel=HttpCancel.NOTIFICATION,
    http_session_id=False,
    http_version_header=False,
    http_method_headers=False,
    ttl_hints=False,
    empty_cursor_explicit=False,
    list_changed_delivery=ListChangedDelivery.UNSOLICITED,
    discover=False,
    error_codes=MappingProxyType(_LEGACY_CODES),
)
_2025_03_26: Final = msgspec.structs.replace(
    _2024_11_05, version="2025-03-26", batches_allowed=True, tool_annotations=True, http_session_id=True
)
_2025_06_18: Final = msgspec.structs.replace(
    _2025_03_26,
    version="2025-06-18",
    batches_allowed=False,
    output_schema=True,
    output_schema_must_be_object=True,
    structured_content=StructuredContent.OBJECT,
    http_version_header=True,
)
_2025_11_25: Final = msgspec.structs.replace(
    _2025_06_18,
    version="2025-11-25",
    task_dialect=TaskDialect.CORE,
    progress_after_task_handle=True,
    error_codes=MappingProxyType({**_LEGACY_CODES, CODE_URL_ELICITATION_REQUIRED: ErrorMeaning.URL_ELICITATION_REQUIRED}),
)
_2026_07_28: Final = Revision(
    version="2026-07-28",
    era=Era.MODERN,
    session_by_handshake=False,
    per_request_meta=True,
    batches_allowed=False,
    id_reuse_after_response=True,
    server_requests=False,
    tool_annotations=True,
    output_schema=True,
    output_schema_must_be_object=False,
    structured_content=StructuredContent.ANY,
    result_type_required=True,
    input_required=True,
    task_dialect=TaskDialect.EXTENSION,
    progress_direction=ProgressDirection.SERVER_TO_CLIENT,
    progress_after_task_handle=False,
    http_cancel=HttpCancel.DISCONNECT,
    http_session_id=False,
    http_version_header=True,
    http_method_headers=True,
    ttl_hints=True,
    empty_cursor_explicit=True,
    list_changed_delivery=ListChangedDelivery.SUBSCRIPTION,
    discover=True,
    error_codes=MappingProxyType(
        {
            **_JSON_RPC_CODES,
            CODE_HEADER_MISMATCH: ErrorMeaning.HEADER_MISMATCH,
            CODE_MISSING_REQUIRED_CLIENT_CAPABILITY: ErrorMeaning.MISSING_REQUIRED_CLIENT_CAPABILITY,
            CODE_UNSUPPORTED_PROTOCOL_VERSION: ErrorMeaning.UNSUPPORTED_PROTOCOL_VERSION,
        }
    ),
)

REVISIONS: Final = MappingProxyType(
    {revision.version: revision for revision in (_2024_11_05, _2025_03_26, _2025_06_18, _2025_11_25, _2026_07_28)}
)
"""Every revision by its version, oldest first."""

LATEST_LEGACY: Final = _2025_11_25
LATEST: Final = _2026_07_28
ASSUMED_HTTP_VERSION: Final = "2025-03-26"
"""What a server is to assume over HTTP without a version header and without other knowledge (2025-06-18 basic/transports)."""

KNOWN_METHODS: Final = frozenset(
    {
        # to 2025-11-25
        "initialize",
        "notifications/initialized",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "roots/list",
        "notifications/roots/list_changed",
        "sampling/createMessage",
        "elicitation/create",
        "notifications/elicitation/complete",
        # 2026-07-28
        "server/discover",
        "subscriptions/listen",
        "notifications/subscriptions/acknowledged",
        # every revision
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
        "notifications/cancelled",
        "notifications/progress",
        "notifications/message",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
        # tasks: 2025-11-25, and the extension
        "tasks/get",
        "tasks/result",
        "tasks/list",
        "tasks/cancel",
        "tasks/update",
        "notifications/tasks/status",
        "notifications/tasks",
    }
)
"""Methods that evidence names; any other one is a peer's own word and is recorded as OTHER_METHOD."""

OTHER_METHOD: Final = "_OTHER"

_VERSION_SHAPE: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")


def lookup(version: object) -> Revision | None:
    """The record of a version exactly as it stands on the wire, or None if we know none of that name."""
    return REVISIONS.get(version) if isinstance(version, str) else None


def is_version_shaped(version: object) -> bool:
    """True if this could be a revision's version (a date, YYYY-MM-DD), known to us or not: safe to store."""
    return isinstance(version, str) and _VERSION_SHAPE.fullmatch(version) is not None


def method_name(method: str) -> str:
    """The method as evidence may name it: itself if known, else OTHER_METHOD."""
    return method if method in KNOWN_METHODS else OTHER_METHOD
