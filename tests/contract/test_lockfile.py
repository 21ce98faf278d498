"""The lockfile is stable to the byte, holds any contract, and what cannot be read is an error and never an empty lock."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from witnessmark.adapters.lock_file import parse
from witnessmark.contract.approving import locked_server
from witnessmark.contract.lockfile import Approval, Lock, LockedServer, approved_capture, dump, lines_of, new_lock
from witnessmark.errors import InputError, OurError, PeerError
from witnessmark.model.capture import Capture, Launch

WHEN = Approval(when="2026-12-01T00:00:00Z", by="Ada", why="first use")


def captured(*tools: dict[str, Any], **members: Any) -> Capture:
    return Capture(server="s", complete=True, tools=tools, launch=Launch(command=("serve",)), pages=1, **members)


def locked(*tools: dict[str, Any], **members: Any) -> LockedServer:
    return locked_server(captured(*tools, **members), "sha256:0", WHEN, None)


def lock(*tools: dict[str, Any], **members: Any) -> Lock:
    held = new_lock("0" * 32)
    held.servers["s"] = {"bare": locked(*tools, **members)}
    return held


GOOD = dump(lock({"name": "a", "description": "A.", "inputSchema": {}}, {"name": "b"}))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.text(), json_values, st.text())
def test_any_contract_comes_back_as_it_went(name: str, value: Any, text: str) -> None:
    held = lock({"name": name, "description": text, "inputSchema": {"default": value}}, instructions=text)
    data = dump(held)
    again = parse(data, "x")
    assert dump(again) == data
    (tool,) = again.servers["s"]["bare"].tools.values()
    assert tool.contract == {"name": name, "description": text, "inputSchema": {"default": value}}
    assert again.servers["s"]["bare"].instructions == text


def test_a_lone_surrogate_is_kept_as_an_escape() -> None:
    data = dump(lock({"name": "a", "description": "\ud800"}))
    assert b"\\ud800" in data
    assert parse(data, "x").servers["s"]["bare"].tools["a"].contract == {"name": "a", "description": "\ud800"}


def test_what_a_reader_would_not_see_is_an_escape_and_the_rest_is_readable() -> None:
    data = dump(lock({"name": "a", "description": "gr\u00fc\u00df \u202e \u200b \U000e0041"})).decode()
    assert "gr\u00fc\u00df \\u202e \\u200b \\udb40\\udc41" in data


def test_an_approved_contract_is_a_capture_again() -> None:
    tools = ({"name": "a", "inputSchema": {}}, {"name": "b", "title": "B"})
    found = approved_capture(parse(dump(lock(*tools)), "x").servers["s"]["bare"], "s", "bare")
    assert (found.complete, found.tools, found.launch) == (True, tools, Launch(command=("serve",)))


def test_every_tool_has_its_line() -> None:
    text = GOOD.decode()
    lines = text.splitlines()
    found = lines_of(text)
    assert lines[found["s", "bare", "a"] - 1].strip() == '"a": {'
    assert lines[found["s", "bare", "b"] - 1].strip() == '"b": {'
    assert lines[found["s", "bare", ""] - 1].strip() == '"bare": {'


def edited(**members: Any) -> bytes:
    held = json.loads(GOOD)
    held.update(members)
    return json.dumps(held).encode()


def with_tool(**members: Any) -> bytes:
    held = json.loads(GOOD)
    held["servers"]["s"]["bare"]["tools"]["a"].update(members)
    return json.dumps(held).encode()


@pytest.mark.parametrize(
    "data,where,text",
    [
        (b"<<<<<<< ours\n" + GOOD, "x:1", "conflict markers"),
        (GOOD.replace(b' "servers"', b'=======\n "servers"'), "x:4", "conflict markers"),
        (GOOD[: len(GOOD) // 2], "x:", "is cut short"),
        (GOOD[:-20], "x:", "is cut short"),
        (b"", "x", "is empty"),
        (b" \n", "x", "is empty"),
        (b"{nonsense", "x:1", "cannot be read"),
        (b"\xff\xfe", "x:1", "cannot be read"),
        (b"[1]", "x", "no lockfile"),
        (b"{}", "x", "no lockfile"),
        (edited(witnessmark="lock/9"), "x", "lock/9"),
        (edited(projection=2), "x", "projection 2"),
        (edited(servers=[]), "x", "servers"),
        (edited(salt=None), "x", "salt"),
        (GOOD.replace(b'"salt"', b'"projection": 1, "salt"'), "x", "no single meaning"),
        (with_tool(digest="sha256:" + "0" * 64), "/servers/s/bare/tools/a", "edited by hand"),
        (with_tool(contract={"name": "a", "description": "B.", "inputSchema": {}}), "/servers/s/bare/tools/a", "edited by hand"),
        (with_tool(contract={"name": "b"}), "/servers/s/bare/tools/a", "edited by hand"),
        (edited(servers={"s": {"odd": json.loads(GOOD)["servers"]["s"]["bare"]}}), "/servers/s", "no profile"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_where_and_why(data: bytes, where: str, text: str) -> None:
    with pytest.raises(InputError) as failed:
        parse(data, "x")
    assert failed.value.where.startswith("x")
    assert where in failed.value.where
    assert text in failed.value.message
    assert failed.value.hint


def test_members_that_a_later_version_adds_are_ignored() -> None:
    assert parse(edited(more=1), "x").servers.keys() == {"s"}


def test_what_has_two_readings_is_never_pinned() -> None:
    with pytest.raises(PeerError, match="more than one reading"):
        locked(ambiguous=("odd",))


def test_an_incomplete_capture_is_never_pinned() -> None:
    with pytest.raises(OurError):
        locked_server(Capture(server="s"), "", WHEN, None)
