"""A large answer is skimmed only where nothing that decides could be read in two ways."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.wire.skim import skim_answer
from witnessmark.wire.strictjson import decode


def answer(result: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 7, "result": result, **more}, ensure_ascii=False).encode()


TEXT = {"type": "text", "text": "long " * 100}
SKIMMED: dict[str, tuple[bytes, dict[str, Any]]] = {
    "content alone": (answer({"content": [TEXT]}), {"content": [{"type": "text"}]}),
    "an error of the tool": (answer({"content": [TEXT], "isError": True}), {"content": [{"type": "text"}], "isError": True}),
    "structured content": (
        answer({"content": [TEXT], "structuredContent": {"rows": [1, 2]}}),
        {"content": [{"type": "text"}], "structuredContent": {}},
    ),
    "structured content that is no object": (
        answer({"content": [TEXT], "structuredContent": [1, 2]}),
        {"content": [{"type": "text"}], "structuredContent": None},
    ),
    "a complete result of 2026-07-28": (
        answer({"resultType": "complete", "content": [TEXT]}),
        {"content": [{"type": "text"}], "resultType": "complete"},
    ),
    "text beyond ASCII": (answer({"content": [{"type": "text", "text": "é🎉"}]}), {"content": [{"type": "text"}]}),
}
LEFT: dict[str, bytes] = {
    "an error": b'{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}',
    "result and error": answer({"content": [TEXT]}, error={"code": 1, "message": "x"}),
    "isError twice": answer({"content": [TEXT], "isError": False}).replace(b'"isError": false', b'"isError": false, "isError": true'),
    "two ids": answer({"content": [TEXT]}).replace(b'"id": 7', b'"id": 7, "id": 8'),
    "two results": answer({"content": [TEXT]}).replace(b'"result"', b'"result": {}, "result"'),
    "input required": answer({"resultType": "input_required", "content": [TEXT]}),
    "a task": answer({"content": [TEXT], "task": {"taskId": "t"}}),
    "no content": answer({"structuredContent": {}}),
    "a block without a type": answer({"content": [{"text": "x"}]}),
    "a page of tools": answer({"tools": [{"name": "x"}]}),
    "a request": b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
    "bytes that are not UTF-8": answer({"content": [TEXT]}).replace(b"long", b"\xff\xfe", 1),
    "a cut text": answer({"content": [TEXT]})[:-1],
    "two texts": answer({"content": [TEXT]}) * 2,
    "NaN": answer({"content": [TEXT], "structuredContent": {}}).replace(b"{}", b'{"n": NaN}'),
    "nothing": b"",
}


@pytest.mark.parametrize("what", SKIMMED)
def test_a_plain_answer_is_skimmed(what: str) -> None:
    data, result = SKIMMED[what]
    assert skim_answer(data) == {"jsonrpc": "2.0", "id": 7, "result": result}


@pytest.mark.parametrize("what", LEFT)
def test_anything_else_is_left_to_the_whole_decode(what: str) -> None:
    assert skim_answer(LEFT[what]) is None


@given(st.binary(max_size=200), st.integers(0, 400))
def test_a_damaged_answer_is_never_read_otherwise_than_whole(noise: bytes, at: int) -> None:
    data = SKIMMED["an error of the tool"][0]
    damaged = data[:at] + noise + data[at:]
    skimmed = skim_answer(damaged)
    if skimmed is not None:
        whole = decode(damaged)
        assert whole.has_value
        assert not whole.ambiguous
        assert whole.value["id"] == skimmed["id"]
        assert whole.value["result"].get("isError") == skimmed["result"].get("isError")
        assert [block["type"] for block in whole.value["result"]["content"]] == [b["type"] for b in skimmed["result"]["content"]]
