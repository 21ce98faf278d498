from __future__ import annotations

from typing import Any

import pytest

from witnessmark.wire.revisions import (
    KNOWN_METHODS,
    LATEST,
    LATEST_LEGACY,
    OTHER_METHOD,
    REVISIONS,
    Era,
    ErrorMeaning,
    HttpCancel,
    ListChangedDelivery,
    ProgressDirection,
    StructuredContent,
    TaskDialect,
    is_version_shaped,
    lookup,
    method_name,
)

# member: its value on 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
TABLE: dict[str, tuple[Any, ...]] = {
    "era": (Era.LEGACY, Era.LEGACY, Era.LEGACY, Era.LEGACY, Era.MODERN),
    "session_by_handshake": (True, True, True, True, False),
    "per_request_meta": (False, False, False, False, True),
    "batches_allowed": (False, True, False, False, False),
    "id_reuse_after_response": (False, False, False, False, True),
    "server_requests": (True, True, True, True, False),
    "tool_annotations": (False, True, True, True, True),
    "output_schema": (False, False, True, True, True),
    "output_schema_must_be_object": (False, False, True, True, False),
    "structured_content": (
        StructuredContent.UNKNOWN,
        StructuredContent.UNKNOWN,
        StructuredContent.OBJECT,
        StructuredContent.OBJECT,
        StructuredContent.ANY,
    ),
    "result_type_required": (False, False, False, False, True),
    "input_required": (False, False, False, False, True),
    "task_dialect": (TaskDialect.NONE, TaskDialect.NONE, TaskDialect.NONE, TaskDialect.CORE, TaskDialect.EXTENSION),
    "progress_direction": (*[ProgressDirection.EITHER] * 4, ProgressDirection.SERVER_TO_CLIENT),
    "progress_after_task_handle": (False, False, False, True, False),
    "http_cancel": (*[HttpCancel.NOTIFICATION] * 4, HttpCancel.DISCONNECT),
    "http_session_id": (False, True, True, True, False),
    "http_version_header": (False, False, True, True, True),
    "http_method_headers": (False, False, False, False, True),
    "ttl_hints": (False, False, False, False, True),
    "empty_cursor_explicit": (False, False, False, False, True),
    "list_changed_delivery": (*[ListChangedDelivery.UNSOLICITED] * 4, ListChangedDelivery.SUBSCRIPTION),
    "discover": (False, False, False, False, True),
}


@pytest.mark.parametrize("member", sorted(TABLE))
def test_each_revision_says_what_its_specification_says(member: str) -> None:
    assert tuple(getattr(revision, member) for revision in REVISIONS.values()) == TABLE[member]


def test_the_table_has_no_member_that_is_not_checked_here() -> None:
    assert set(LATEST.__struct_fields__) == {*TABLE, "version", "error_codes"}


@pytest.mark.parametrize(
    "code, meanings",
    [
        (-32700, [ErrorMeaning.PARSE_ERROR] * 5),
        (-32002, [ErrorMeaning.RESOURCE_NOT_FOUND] * 4 + [None]),
        (-32020, [None] * 4 + [ErrorMeaning.HEADER_MISMATCH]),
        (-32021, [None] * 4 + [ErrorMeaning.MISSING_REQUIRED_CLIENT_CAPABILITY]),
        (-32022, [None] * 4 + [ErrorMeaning.UNSUPPORTED_PROTOCOL_VERSION]),
        (-32042, [None] * 3 + [ErrorMeaning.URL_ELICITATION_REQUIRED, None]),
        (-32001, [None] * 5),
    ],
)
def test_an_error_code_means_something_only_where_it_is_defined(code: int, meanings: list[ErrorMeaning | None]) -> None:
    assert [revision.error_codes.get(code) for revision in REVISIONS.values()] == meanings


def test_a_version_is_looked_up_exactly_as_it_stands() -> None:
    assert [lookup(version) for version in REVISIONS] == list(REVISIONS.values())
    assert (LATEST_LEGACY.version, LATEST.version) == ("2025-11-25", "2026-07-28")
    assert [lookup(other) for other in ("1999-01-01", "2026-07-28 ", "draft", None, 20260728, ["2026-07-28"])] == [None] * 6


@pytest.mark.parametrize(
    "version, shaped",
    [
        ("1999-01-01", True),
        ("2026-07-28", True),
        ("2026-13-01", False),
        ("draft", False),
        (7, False),
        ("2026-07-28\n", False),
        ("٢٠٢٦-07-28", False),
    ],
)
def test_only_a_date_is_shaped_like_a_version(version: Any, shaped: bool) -> None:
    assert is_version_shaped(version) is shaped


def test_a_method_that_is_in_no_revision_is_not_named() -> None:
    assert {method_name(method) for method in KNOWN_METHODS} == KNOWN_METHODS
    assert method_name("vendor/secret") == method_name("tools/Call") == method_name("") == OTHER_METHOD
