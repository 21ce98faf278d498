"""A catalog over HTTP is captured whole, or the capture says why it is not; credentials go to the named origin only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adapters.prober.raw_http import Exchange, RawServer, serving
from witnessmark.adapters.held_values import HeldValues
from witnessmark.adapters.prober import ProbeLimits, capture
from witnessmark.errors import UsageError
from witnessmark.model.capture import Capture, Launch

TOOL = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}}
OTHER = {**TOOL, "name": "other"}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
SHORT = ProbeLimits(answer_s=0.3, discover_s=0.3, start_s=0.3)
SECRET = "Bearer s3cr3t-value"

Act = Callable[[Exchange], None]


def probed(server: RawServer, limits: ProbeLimits | None = None, url: str = "") -> Capture:
    launch = Launch(url=url or server.url, headers=(("Authorization", "file:Authorization"),))
    return capture(launch, "raw", "bare", limits or ProbeLimits(), held=HeldValues({"file:Authorization": SECRET}))


def initialized(one: Exchange, version: str = "2025-11-25", **headers: str) -> None:
    one.result({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "raw", "version": "1"}}, **headers)


def legacy(one: Exchange) -> None:
    """A server with sessions and no stream of its own."""
    method = one.asked.method
    if one.asked.verb != "POST":
        one.status(405)
    elif method == "initialize":
        initialized(one, Mcp_Session_Id="the-session")
    elif method == "notifications/initialized":
        one.status(202)
    elif method == "tools/list":
        page = one.asked.message["params"].get("cursor")
        one.result({"tools": [OTHER]} if page == "2" else {"tools": [TOOL], "nextCursor": "2"})
    else:
        one.error(-32600, 400, "server-error")


def modern(one: Exchange) -> None:
    if one.asked.method == "server/discover":
        one.result({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"})
    elif one.asked.method == "tools/list":
        one.result({"tools": [TOOL], "resultType": "complete"})
    else:
        one.error(-32601, 404)


def names(found: Capture) -> list[str]:
    return [tool["name"] for tool in found.tools]


def test_a_session_of_the_old_era_is_opened_used_and_ended() -> None:
    with serving(legacy) as server:
        found = probed(server)
    assert (found.complete, found.reason, names(found), found.pages) == (True, "", ["echo", "other"], 2)
    assert [(one.verb, one.method) for one in server.asked] == [
        ("POST", "server/discover"),
        ("POST", "initialize"),
        ("GET", ""),
        ("POST", "notifications/initialized"),
        ("POST", "tools/list"),
        ("POST", "tools/list"),
        ("DELETE", ""),
    ]
    for one in server.asked[2:]:
        assert one.headers["mcp-session-id"] == "the-session"
        assert one.headers["mcp-protocol-version"] == "2025-11-25"
    assert "mcp-session-id" not in server.asked[1].headers


def test_the_version_is_said_in_a_header_only_where_the_revision_has_it() -> None:
    def act(one: Exchange) -> None:
        if one.asked.method == "initialize":
            initialized(one, "2025-03-26")
        else:
            legacy(one)

    with serving(act) as server:
        assert probed(server).protocol_version == "2025-03-26"
    assert all("mcp-protocol-version" not in one.headers for one in server.asked[1:])


def test_every_request_of_the_modern_era_says_its_version_and_method() -> None:
    with serving(modern) as server:
        found = probed(server)
    assert (found.complete, names(found), found.protocol_version) == (True, ["echo"], "2026-07-28")
    for one in server.asked:
        assert one.headers["mcp-protocol-version"] == "2026-07-28"
        assert one.headers["mcp-method"] == one.method
        assert "mcp-session-id" not in one.headers


def test_a_header_by_reference_goes_with_every_request() -> None:
    with serving(legacy) as server:
        probed(server)
    assert {one.headers["authorization"] for one in server.asked} == {SECRET}


def test_pages_share_a_connection() -> None:
    def act(one: Exchange) -> None:
        if one.asked.method == "tools/list":
            page = int(one.asked.message["params"].get("cursor", "0"))
            one.result({"tools": [{**TOOL, "name": f"t{page}"}], **({"nextCursor": str(page + 1)} if page < 19 else {})})
        else:
            legacy(one)

    with serving(act) as server:
        assert len(probed(server).tools) == 20
    assert server.connections <= 3  # the era's probe, the session's own stream, the pages


def test_a_connection_that_was_closed_while_it_lay_idle_is_opened_anew() -> None:
    def act(one: Exchange) -> None:
        legacy(one)
        one.close_connection = True

    with serving(act) as server:
        assert names(probed(server)) == ["echo", "other"]


# --- streams -----------------------------------------------------------------------------------------------------------


def answer_by_events(one: Exchange) -> None:
    if one.asked.method != "tools/list":
        modern(one)
        return
    one.events()
    one.wfile.write(b": keep-alive\n\n")
    one.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
    one.event({"jsonrpc": "2.0", "id": one.asked.message["id"], "result": {"tools": [TOOL]}})


def answer_taken_up_again(one: Exchange) -> None:
    """2025-11-25: the server hangs up after a priming event and goes on where the client comes back."""
    if one.asked.headers.get("last-event-id") == "e1":
        one.events()
        one.event({"jsonrpc": "2.0", "id": one.server.asked[-2].message["id"], "result": {"tools": [TOOL]}}, id="e2")
    elif one.asked.method == "tools/list":
        one.events()
        one.event("", id="e1", retry="1")
    else:
        legacy(one)


@pytest.mark.parametrize("act", [answer_by_events, answer_taken_up_again])
def test_an_answer_may_come_by_events(act: Act) -> None:
    with serving(act) as server:
        found = probed(server)
    assert (found.reason, names(found)) == ("", ["echo"])


def test_a_signal_on_the_stream_beside_it_tears_a_walk() -> None:
    torn: list[int] = []

    def act(one: Exchange) -> None:
        if one.asked.verb == "GET":
            one.events()
            one.server.open.wait(20)
            return
        if one.asked.method == "tools/list":
            torn.append(1)
            one.events()
            one.event(CHANGED)
            one.event({"jsonrpc": "2.0", "id": one.asked.message["id"], "result": {"tools": [TOOL]}})
            return
        legacy(one)

    with serving(act) as server:
        found = probed(server)
    assert found.reason.startswith("torn: ")
    assert len(torn) == 3


def test_a_signal_on_the_sessions_own_stream_is_heard() -> None:
    listed: list[Exchange] = []

    def act(one: Exchange) -> None:
        if one.asked.verb == "GET":
            one.events()
            listed.append(one)
            one.server.open.wait(20)
        elif one.asked.method == "tools/list" and len(listed) == 1:
            # The signal is said and read before this page's answer is: the reply to a ping proves it.
            stream = listed[0]
            listed.append(one)
            stream.event(CHANGED)
            stream.event({"jsonrpc": "2.0", "id": "p", "method": "ping"})
            pinged.wait(20)
            legacy(one)
        elif one.asked.message.get("id") == "p":
            one.status(202)
            pinged.set()
        else:
            legacy(one)

    import threading

    pinged = threading.Event()
    with serving(act) as server:
        found = probed(server)
    assert (found.reason, names(found)) == ("", ["echo", "other"])
    assert [one.method for one in server.asked].count("tools/list") == 3


def legacy_sse(endpoint: str = "/messages?session=1") -> tuple[Act, list[Exchange]]:
    streams: list[Exchange] = []

    def act(one: Exchange) -> None:
        if one.asked.verb == "GET":
            one.events()
            streams.append(one)
            one.event(endpoint, "endpoint")
            one.server.open.wait(20)
        elif not one.asked.path.startswith("/messages"):
            one.status(405)
        else:
            one.status(202)
            message = one.asked.message
            if message.get("method") == "initialize":
                result: dict[str, Any] = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {}}
            else:
                result = {"tools": [TOOL]}
            if "id" in message:
                streams[0].event({"jsonrpc": "2.0", "id": message["id"], "result": result}, "message")

    return act, streams


def test_a_server_of_the_first_revision_is_reached_by_its_stream() -> None:
    act, _ = legacy_sse()
    with serving(act) as server:
        found = probed(server)
    assert (found.reason, names(found), found.protocol_version) == ("", ["echo"], "2024-11-05")
    assert [one.verb for one in server.asked] == ["POST", "POST", "GET", "POST", "POST", "POST"]


def test_an_endpoint_on_another_origin_is_not_followed() -> None:
    with serving(modern) as elsewhere:
        act, _ = legacy_sse(elsewhere.url)
        with serving(act) as server:
            found = probed(server)
    assert "another origin" in found.reason
    assert elsewhere.asked == []


# --- redirects, refusals, limits ----------------------------------------------------------------------------------------


def test_a_redirect_on_the_same_origin_is_followed() -> None:
    def act(one: Exchange) -> None:
        if one.asked.path == "/mcp":
            one.status(307, Location="/mcp/")
        else:
            modern(one)

    with serving(act) as server:
        assert probed(server).complete


def test_a_redirect_to_another_origin_gets_no_credentials() -> None:
    with serving(modern) as elsewhere, serving(lambda one: one.status(307, Location=elsewhere.url)) as server:
        found = probed(server)
    assert found.reason.startswith("unreachable: ")
    assert "another origin" in found.reason
    assert elsewhere.asked == []


def test_a_redirect_in_a_circle_ends() -> None:
    with serving(lambda one: one.status(307, Location="/mcp")) as server:
        assert "redirects more than 3 times" in probed(server).reason


def refuse(status: int, **headers: str) -> Act:
    return lambda one: one.status(status, b"<html>secret words</html>", Content_Type="text/html", **headers)


def later_404(one: Exchange) -> None:
    if one.asked.method == "tools/list":
        one.status(404)
    else:
        legacy(one)


def hang(one: Exchange) -> None:
    one.server.open.wait(20)
    one.close_connection = True


def hang_up(one: Exchange) -> None:
    one.close_connection = True


def hang_in_the_body(one: Exchange) -> None:
    one.send_response(200)
    one.send_header("Content-Type", "application/json")
    one.send_header("Content-Length", "1000")
    one.end_headers()
    one.wfile.write(b'{"jsonrpc"')
    hang(one)


def drip_in_the_head(one: Exchange) -> None:
    one.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not one.server.open.wait(0.05):
        one.wfile.write(b"a")


def drip_events(one: Exchange) -> None:
    one.events()
    while not one.server.open.wait(0.02):
        one.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})


def pour(one: Exchange) -> None:
    one.send_response(200)
    one.send_header("Content-Type", "application/json")
    one.send_header("Connection", "close")
    one.end_headers()
    while not one.server.open.is_set():
        one.wfile.write(b"x" * 65536)


def pour_events(one: Exchange) -> None:
    one.events()
    one.wfile.write(b"data: ")
    while not one.server.open.is_set():
        one.wfile.write(b"x" * 65536)


def compressed(one: Exchange) -> None:
    one.status(200, b"\x1f\x8b", Content_Type="application/json", Content_Encoding="gzip")


def no_http(one: Exchange) -> None:
    one.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
    one.close_connection = True


@pytest.mark.parametrize(
    "act,limits,code,words",
    [
        (refuse(401, WWW_Authenticate='Bearer realm="secret-realm", scope="read"'), None, "authorization", "HTTP status 401 (Bearer)"),
        (refuse(403), None, "authorization", "HTTP status 403"),
        (refuse(404), None, "not-mcp", "answers GET with HTTP status 404"),
        (refuse(500), None, "not-mcp", "answers initialize with HTTP status 500"),
        (refuse(200), None, "not-mcp", "no JSON-RPC answer"),
        (later_404, None, "not-mcp", "answers tools/list with HTTP status 404"),
        (compressed, None, "not-mcp", "compresses"),
        (no_http, None, "not-mcp", "does not answer in HTTP"),
        (hang_up, None, "server-ended", "hung up"),
        (hang, SHORT, "time-limit", "within 0.3 s"),
        (hang_in_the_body, SHORT, "time-limit", "no answer to initialize within 0.3 s"),
        (drip_events, SHORT, "time-limit", "no answer to initialize within 0.3 s"),
        (drip_in_the_head, ProbeLimits(overall_s=0.5), "time-limit", ""),
        (pour, ProbeLimits(max_answer_bytes=1 << 20), "bytes-limit", "1048576 bytes"),
        (pour_events, ProbeLimits(max_answer_bytes=1 << 20), "bytes-limit", "bytes"),
    ],
)
def test_what_is_no_answer_is_incomplete_with_its_reason(act: Act, limits: ProbeLimits | None, code: str, words: str) -> None:
    with serving(act) as server:
        found = probed(server, limits, url=f"{server.url}?key=query-secret")
    assert (found.complete, found.reason.partition(":")[0]) == (False, code)
    assert words in found.reason
    assert not [word for word in ("secret", SECRET) if word in found.reason]


def test_a_port_where_nobody_listens_is_unreachable() -> None:
    with serving(modern) as server:
        url = server.url
    assert capture(Launch(url=url), "raw").reason.endswith("the connection was refused")


def test_a_host_that_is_none_is_unreachable() -> None:
    assert "leads nowhere" in capture(Launch(url="http://no-such-host.invalid/mcp"), "raw").reason


@pytest.mark.parametrize(
    "url,words",
    [
        ("ftp://host/x", "none of http or https"),
        ("http:///x", "none of http or https"),
        ("http://user:pass@host/x", "holds credentials"),
        ("http://host:99999/x", "cannot be read"),
    ],
)
def test_a_url_that_cannot_be_asked_is_the_callers_error(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as raised:
        capture(Launch(url=url), "raw")
    assert "pass" not in str(raised.value)
