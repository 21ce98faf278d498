"""HTTP exchanges: what a status says, and which exchange an answer belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from observe_scene import Scene, kinds, only, text
from witnessmark.model.evidence import (
    CallAnswered,
    CatalogChanged,
    Fact,
    ListFailed,
    ResponseUnpaired,
    SessionChallenged,
    SessionNegotiated,
    SessionOpened,
    SessionRefused,
    SubscriptionEnded,
)

TEXT = {"content": [{"type": "text", "text": "done"}]}
CALL = {"name": "publish", "arguments": {}}
BEARER = 'Bearer error="insufficient_scope", scope="tickets:write a%b", resource_metadata="https://tickets.example/secret/path?x=1"'


class Web(Scene):
    def __init__(self) -> None:
        super().__init__(transport="http")
        self.count = 0

    def post(self, method: str, params: Any = None, *, id_: Any = 1, session: str = "", modern: bool = False) -> str:
        """Send a request in an exchange of its own; the exchange's name."""
        self.count += 1
        channel = f"x{self.count}"
        headers = {"Mcp-Session-Id": session} if session else {}
        self.observer.http_request(channel, {"method": "POST", "path": "/mcp", "headers": headers})
        self.channel = channel
        self.ask(id_, method, params, modern=modern)
        return channel

    def respond(self, channel: str, status: int, message: Any = None, *, raw: bool = False, **headers: Any) -> list[Fact]:
        named = {name.replace("_", "-"): value for name, value in headers.items() if value}
        facts = self.observer.http_response(channel, {"status": status, "headers": named}, body=message is not None, not_json=raw)
        if message is not None:
            facts += self.observer.message(channel, "server", text(message))
            self.observer.http_done(channel)
        return facts

    def initialize_over_http(self, session: str = "s-1") -> None:
        channel = self.post("initialize", {"protocolVersion": "2025-06-18"}, id_=0)
        result = {"protocolVersion": "2025-06-18", "capabilities": {}}
        self.facts += self.respond(channel, 200, {"jsonrpc": "2.0", "id": 0, "result": result}, mcp_session_id=session)


def test_the_session_is_known_by_the_hash_of_its_id() -> None:
    web = Web()
    web.initialize_over_http("secret-session")
    negotiated = only(web.facts, SessionNegotiated)
    assert negotiated.peer == web.redact.hashed("session_id", "secret-session")
    channel = web.post("tools/call", CALL, session="secret-session")
    answered = only(web.respond(channel, 200, {"jsonrpc": "2.0", "id": 1, "result": TEXT}), CallAnswered)
    assert (answered.peer, answered.channel, answered.status) == (negotiated.peer, channel, None)


def test_a_call_is_under_the_version_of_its_session_or_its_header() -> None:
    web = Web()
    web.initialize_over_http("s-1")
    web.post("tools/call", CALL, session="s-1")
    assert web.facts[-1].version == "2025-06-18"  # type: ignore[attr-defined]  # a CallStarted
    web.observer.http_request("x9", {"method": "POST", "headers": {"MCP-Protocol-Version": "2025-03-26"}})
    web.channel = "x9"
    web.call(5)
    assert web.facts[-1].version == "2025-03-26"  # type: ignore[attr-defined]  # a CallStarted


@pytest.mark.parametrize("header,scheme", [('Bearer scope="tickets:read"', "Bearer"), ("", "")])
def test_401_challenges_with_or_without_a_header(header: str, scheme: str) -> None:
    web = Web()
    channel = web.post("tools/call", CALL)
    facts = web.respond(channel, 401, WWW_Authenticate=header or None)
    challenged = only(facts, SessionChallenged)
    assert (challenged.status, challenged.scheme, challenged.method, challenged.tool) == (401, scheme, "tools/call", "publish")
    answered = only(facts, CallAnswered)
    assert (answered.outcome, answered.status, answered.code) == ("error", 401, None)


def test_403_for_a_scope_challenges_and_names_no_address() -> None:
    web = Web()
    challenged = only(web.respond(web.post("tools/list"), 403, WWW_Authenticate=BEARER), SessionChallenged)
    assert (challenged.error, challenged.resource) == ("insufficient_scope", "https://tickets.example")
    assert challenged.scopes == ("tickets:write",)


@pytest.mark.parametrize(
    "method,status,content,reason",
    [
        ("tools/list", 403, "application/json", "http"),
        ("initialize", 404, "", "http"),
        ("initialize", 405, "text/html", "not_mcp"),
        ("initialize", 200, "text/html", "not_mcp"),
        ("initialize", 502, "text/html", "not_mcp"),
        ("server/discover", 500, "", "http"),
    ],
)
def test_a_refused_or_foreign_exchange_refuses_the_session(method: str, status: int, content: str, reason: str) -> None:
    web = Web()
    facts = web.respond(web.post(method, modern=method == "server/discover"), status, content_type=content or None)
    refused = only(facts, SessionRefused)
    assert (refused.reason, refused.status, refused.method) == (reason, status, method)


def test_404_on_a_session_is_its_loss() -> None:
    web = Web()
    facts = web.respond(web.post("tools/call", CALL, session="s-1"), 404)
    assert only(facts, SessionRefused).reason == "lost"
    assert only(facts, CallAnswered).status == 404
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Session not found"}}
    facts = web.respond(web.post("tools/call", CALL, session="s-1"), 404, body)
    assert only(facts, SessionRefused).reason == "lost"
    assert not [fact for fact in facts if isinstance(fact, ResponseUnpaired)]


def test_400_is_a_lost_session_only_if_it_speaks_of_one() -> None:
    web = Web()
    for words, lost in (("Bad Request: no valid Session ID", True), ("Bad Request", False)):
        body = {"jsonrpc": "2.0", "error": {"code": -32600, "message": words}}
        facts = web.respond(web.post("tools/list", session="s-1"), 400, body)
        assert ("session.refused" in kinds(facts)) is lost
        assert only(facts, ListFailed).code == -32600


def test_404_on_a_modern_request_is_an_ordinary_error() -> None:
    web = Web()
    body = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}
    facts = web.respond(web.post("tools/call", CALL, modern=True, session="s-1"), 404, body)
    assert kinds(facts) == ["call.answered"]
    assert (only(facts, CallAnswered).code, only(facts, CallAnswered).status) == (-32601, 404)


@pytest.mark.parametrize("status,outcome", [(400, "error"), (429, "error"), (500, "lost"), (503, "lost")])
def test_a_status_without_a_body_ends_a_call(status: int, outcome: str) -> None:
    web = Web()
    answered = only(web.respond(web.post("tools/call", CALL), status), CallAnswered)
    assert (answered.outcome, answered.status) == (outcome, status)


def test_an_error_body_is_known_by_its_exchange_whatever_its_id() -> None:
    web = Web()
    for id_ in (None, "server-error", 1):
        body = {"jsonrpc": "2.0", "id": id_, "error": {"code": -32600, "message": "no"}}
        facts = web.respond(web.post("tools/call", CALL), 400, body)
        assert kinds(facts) == ["call.answered"]
        assert not only(facts, CallAnswered).probable


def test_a_page_instead_of_an_answer_is_none() -> None:
    web = Web()
    answered = only(web.respond(web.post("tools/call", CALL), 200, content_type="text/html"), CallAnswered)
    assert (answered.outcome, answered.violation) == ("invalid", "HttpBodyNotJson")
    assert only(web.respond(web.post("tools/list"), 200, raw=True), ListFailed).reason == "unreadable"


def test_an_answer_on_another_stream_belongs_to_the_request_of_its_session() -> None:
    web = Web()
    one = web.post("tools/call", CALL, id_=7, session="s-1")
    web.post("tools/call", CALL, id_=7, session="s-2")
    web.observer.http_request("stream", {"method": "GET", "headers": {"mcp-session-id": "s-1", "last-event-id": "3"}})
    opened = web.respond("stream", 200, content_type="text/event-stream")
    assert only(opened, SessionOpened).listening
    answered = only(web.server({"jsonrpc": "2.0", "id": 7, "result": TEXT}, "stream"), CallAnswered)
    assert answered.channel == one
    assert only(web.server({"jsonrpc": "2.0", "id": 8, "result": TEXT}, "stream"), ResponseUnpaired).reason == "nobody"


def test_an_answer_that_two_requests_could_wait_for_is_for_nobody() -> None:
    web = Web()
    web.post("tools/call", CALL, id_=7, session="s-1")
    web.post("tools/call", CALL, id_=7, session="s-1")
    assert only(web.server({"jsonrpc": "2.0", "id": 7, "result": TEXT}, "elsewhere"), ResponseUnpaired).reason == "nobody"


def test_a_signal_on_a_stream_belongs_to_its_session() -> None:
    web = Web()
    web.observer.http_request("stream", {"method": "GET", "headers": {"mcp-session-id": "s-1"}})
    web.respond("stream", 200, content_type="text/event-stream")
    facts = web.server({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, "stream")
    assert only(facts, CatalogChanged).peer == web.redact.hashed("session_id", "s-1")


def test_a_subscription_drops_with_its_exchange() -> None:
    web = Web()
    channel = web.post("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, modern=True)
    web.respond(channel, 200, content_type="text/event-stream")
    assert only(web.observer.closed(channel, "server"), SubscriptionEnded).how == "dropped"


def test_exchanges_that_are_over_are_forgotten() -> None:
    web = Web()
    for number in range(50):
        channel = web.post("tools/call", CALL, id_=number)
        web.respond(channel, 200, {"jsonrpc": "2.0", "id": number, "result": TEXT})
        assert not web.observer.is_open(channel)


def test_a_stream_that_the_server_does_not_offer_is_no_refusal() -> None:
    web = Web()
    web.observer.http_request("g", {"method": "GET", "headers": {"mcp-session-id": "s-1"}})
    assert web.respond("g", 405) == []
