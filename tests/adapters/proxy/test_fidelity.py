"""Every column of the fidelity matrix: what a client and a server see through the proxy is, byte for byte, what they see without.

The columns are those by which fourteen proxies were compared: pages, unknown members, exact numbers, errors with data, vendor
`_meta`, progress, cancellation, list_changed, a new tool before a new list, and a death in mid-call.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from peers.raw_client import RawClient

FIDELITY = Path(__file__).parents[2] / "peers" / "servers" / "fidelity.py"
PROXY = Path(sys.executable).with_name("witnessmark")
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}


class Seen(NamedTuple):
    """One session as its two ends saw it."""

    heard: list[bytes]
    """Lines that the client read."""
    read: bytes
    """Bytes that the server read."""
    executed: list[str]
    exit_code: int
    rest: bytes

    def message(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        messages = [json.loads(line) for line in self.heard if line.startswith(b"{") and line.endswith(b"}\n")]
        return next(message for message in messages if wanted(message))

    def answer(self, request_id: object) -> dict[str, Any]:
        return self.message(lambda message: message.get("id") == request_id and "method" not in message)

    def lines_with(self, text: bytes) -> list[bytes]:
        return [line for line in self.heard if text in line]


class Script:
    """The client's side: it waits for what it must have seen before it goes on, and changes nothing with the route."""

    def __init__(self, client: RawClient, meta: dict[str, Any]) -> None:
        self.client = client
        self.meta = meta
        self.heard: list[bytes] = []

    def request(self, request_id: object, method: str, *, meta: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
        members = {**self.meta, **(meta or {})}
        text = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**params, "_meta": members} if members else params}
        self.client.send(json.dumps(text, ensure_ascii=False).encode() + b"\r\n")
        return text

    def until(self, text: bytes) -> bytes:
        while line := self.client.line():
            self.heard.append(line)
            if text in line:
                return line
        raise AssertionError(f"ended before {text!r}: {self.heard[-3:]}")

    def work(self) -> None:
        cursor: dict[str, Any] = {}
        for number in range(10, 20):
            self.request(number, "tools/list", **cursor)
            page = json.loads(self.until(b'"x-page"'))["result"]
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        exact = {"text": "naïve ☃", "big": 2**53 + 1, "one": 1.0}
        self.request("str-20", "tools/call", name="echo", arguments=exact, meta={"com.example/trace": {"k": [1, 1.0]}})
        self.until(b'"str-20"')
        self.request(21, "tools/call", name="fail", arguments={})
        self.until(b"-32050")
        self.request(22, "tools/call", name="steps", arguments={}, meta={"progressToken": "tok-1"})
        self.until(b'"id": 22')
        self.request(23, "tools/call", name="sleep", arguments={})
        self.client.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 23, "reason": "tired"}})
        self.until(b"cancelled")
        self.request(24, "tools/call", name="grow", arguments={})
        self.until(b'"id": 24')
        self.request(25, "tools/call", name="grown", arguments={"text": "before any new list"})
        self.until(b'"id": 25')
        self.request(26, "tools/call", name="die", arguments={})


def legacy(client: RawClient) -> Script:
    script = Script(client, {})
    info = {"name": "raw", "version": "1"}
    script.request(1, "initialize", protocolVersion="2025-06-18", capabilities={"x": {}}, clientInfo=info)
    script.until(b"serverInfo")
    client.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return script


def modern(client: RawClient) -> Script:
    script = Script(client, MODERN)
    script.request(1, "server/discover")
    script.until(b"supportedVersions")
    script.request("listen", "subscriptions/listen", notifications={"toolsListChanged": True})
    script.until(b"acknowledged")
    return script


def session(command: list[str | Path], directory: Path, opening: Callable[[RawClient], Script]) -> Seen:
    directory.mkdir()
    with RawClient([*command, sys.executable, FIDELITY, directory]) as client:
        script = opening(client)
        script.work()
        code = client.finish(close=False)
        heard = b"".join(script.heard)
        assert bytes(client.out[: len(heard)]) == heard
        return Seen(
            script.heard,
            (directory / "read").read_bytes(),
            (directory / "executed").read_text().split(),
            code,
            bytes(client.out[len(heard) :]),
        )


Pair = tuple[Seen, Seen]


@pytest.fixture(scope="module", params=[legacy, modern], ids=["legacy", "modern"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Return one session without and one through the proxy."""
    directory = tmp_path_factory.mktemp("fidelity")
    direct = session([], directory / "direct", request.param)
    proxied = session([PROXY, "proxy", "--store", directory / "evidence.db", "--"], directory / "proxied", request.param)
    return direct, proxied


def test_both_ends_see_the_same_bytes(pair: Pair) -> None:
    direct, proxied = pair
    assert proxied == direct


def test_seven_tools_in_three_pages_keep_unknown_members_and_annotations(pair: Pair) -> None:
    pages = [json.loads(line)["result"] for line in pair[1].lines_with(b'"x-page"')]
    tools = [tool for page in pages for tool in page["tools"]]
    assert (len(pages), len(tools)) == (3, 7)
    assert all(tool["x-unknown"] == {"big": 2**53 + 1, "one": 1.0} and "x-vendor-hint" in tool["annotations"] for tool in tools)


def test_numbers_keep_their_digits(pair: Pair) -> None:
    (line,) = pair[1].lines_with(b'"str-20"')
    assert b'"big": 9007199254740993' in line
    assert b'"one": 1.0' in line
    assert b'"big": 9007199254740993, "one": 1.0' in pair[1].read


def test_an_error_keeps_its_code_and_data(pair: Pair) -> None:
    assert pair[1].answer(21)["error"] == {"code": -32050, "message": "no", "data": {"why": "test", "big": 2**53 + 1, "one": 1.0}}


def test_a_vendors_meta_arrives_and_nothing_is_added(pair: Pair) -> None:
    meta = pair[1].answer("str-20")["result"]["_meta"]
    assert {name: value for name, value in meta.items() if name not in MODERN} == {"com.example/trace": {"k": [1, 1.0]}}


def test_three_progress_notifications_come_before_the_answer(pair: Pair) -> None:
    heard = [json.loads(line) for line in pair[1].heard if line.startswith(b"{")]
    places = [index for index, message in enumerate(heard) if message.get("method") == "notifications/progress"]
    answer = next(index for index, message in enumerate(heard) if message.get("id") == 22)
    assert [heard[index]["params"]["progress"] for index in places] == [1, 2.5, 3]
    assert {heard[index]["params"]["progressToken"] for index in places} == {"tok-1"}
    assert max(places) < answer


def test_a_cancellation_reaches_the_server_with_its_id_and_reason(pair: Pair) -> None:
    assert pair[1].message(lambda message: message.get("method") == "notifications/message")["params"]["data"] == {"cancelled": 23}
    assert b'"requestId":23,"reason":"tired"' in pair[1].read


def test_a_changed_list_is_announced_and_the_new_tool_answers_before_it_is_listed(pair: Pair) -> None:
    assert len(pair[1].lines_with(b"notifications/tools/list_changed")) == 1
    assert "result" in pair[1].answer(25)


def test_junk_between_messages_passes(pair: Pair) -> None:
    assert b"a line of junk, as servers print\n" in pair[1].heard


def test_a_death_in_mid_call_is_seen_as_it_is_and_nothing_is_retried(pair: Pair) -> None:
    assert pair[1].rest.endswith(b'{"jsonrpc": "2.0", "id": ')
    assert pair[1].exit_code == 9
    assert pair[1].executed.count("die") == 1
