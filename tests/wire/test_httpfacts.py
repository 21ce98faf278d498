from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import hostile_json
from witnessmark.wire.challenge import Challenge
from witnessmark.wire.httpfacts import (
    MAX_SESSION_ID_CHARS,
    OTHER_HTTP_METHOD,
    ContentKind,
    RequestFacts,
    ResponseFacts,
    VersionHeader,
    is_http_request,
    request_facts,
    response_facts,
)
from witnessmark.wire.revisions import OTHER_METHOD


def test_a_request_says_what_may_be_kept_in_any_case_of_its_names() -> None:
    facts = request_facts(
        {
            "method": "post",
            "path": "/mcp?key=SECRET",
            "headers": {
                "MCP-Session-Id": "s-1",
                "mcp-protocol-version": "2026-07-28",
                "Mcp-Method": "tools/call",
                "MCP-NAME": "SECRET",
                "Mcp-Param-Account": "SECRET",
                "Authorization": "Bearer SECRET",
                "Cookie": "SECRET",
                "Content-Type": "application/json; charset=SECRET",
            },
        }
    )

    assert facts == RequestFacts(
        method="POST",
        session_id="s-1",
        protocol_version="2026-07-28",
        version_header=VersionHeader.ONE,
        mcp_method="tools/call",
        has_mcp_name=True,
        has_last_event_id=False,
        has_authorization=True,
        content=ContentKind.JSON,
    )
    assert "SECRET" not in repr(facts)


@pytest.mark.parametrize(
    "value, version, how",
    [
        ("2025-06-18", "2025-06-18", VersionHeader.ONE),
        (["2025-06-18", "2025-06-18"], "2025-06-18", VersionHeader.ONE),
        (["2025-06-18", "2026-07-28"], None, VersionHeader.SEVERAL),
        ("2025-06-18, 2026-07-28", None, VersionHeader.MALFORMED),
        ("SECRET", None, VersionHeader.MALFORMED),
        ([], None, VersionHeader.ABSENT),
    ],
)
def test_a_version_header_is_one_version_or_says_how_it_failed(value: Any, version: str | None, how: VersionHeader) -> None:
    facts = request_facts({"method": "POST", "headers": {"MCP-Protocol-Version": value}})

    assert (facts.protocol_version, facts.version_header) == (version, how)


def test_unknown_methods_are_not_named() -> None:
    facts = request_facts({"method": "SECRET", "headers": {"Mcp-Method": "SECRET"}})

    assert (facts.method, facts.mcp_method) == (OTHER_HTTP_METHOD, OTHER_METHOD)


@pytest.mark.parametrize(
    "value, kind",
    [
        ("application/json", ContentKind.JSON),
        ("application/problem+json", ContentKind.JSON),
        ("Text/Event-Stream;charset=utf-8", ContentKind.SSE),
        ("text/html", ContentKind.HTML),
        ("text/plain", ContentKind.OTHER),
        (None, ContentKind.NONE),
    ],
)
def test_a_body_is_of_one_of_few_kinds(value: str | None, kind: ContentKind) -> None:
    assert response_facts({"status": 200, "headers": {} if value is None else {"content-type": value}}).content is kind


def test_a_challenge_over_several_fields_is_read_as_one_list() -> None:
    facts = response_facts(
        {"status": 401, "headers": [["WWW-Authenticate", 'Basic realm="SECRET"'], ["www-authenticate", 'Bearer error="invalid_token"']]}
    )

    assert facts == ResponseFacts(
        status=401, session_id=None, content=ContentKind.NONE, challenges=(Challenge("Basic"), Challenge("Bearer", "invalid_token"))
    )


@pytest.mark.parametrize("status", [None, True, "401", 99, 600, 401.0])
def test_what_is_no_status_is_none(status: Any) -> None:
    assert response_facts({"status": status}).status is None


def test_a_session_id_is_bounded() -> None:
    assert response_facts({"headers": {"Mcp-Session-Id": "x" * 5000}}).session_id == "x" * MAX_SESSION_ID_CHARS


def test_requests_and_responses_are_told_apart_by_the_method() -> None:
    assert is_http_request({"method": "GET"})
    assert not is_http_request({"status": 200})


@given(hostile_json.values, hostile_json.values)
def test_headers_of_any_shape_are_read_and_nothing_is_raised(headers: Any, other: Any) -> None:
    request_facts({"method": other, "headers": headers})
    response_facts({"status": other, "headers": {"www-authenticate": headers, "content-type": other, "mcp-session-id": headers}})
