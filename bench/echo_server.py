"""A raw MCP server without an SDK: echoes a text, or answers with a text of a wanted size. Reads and writes bytes, keeps nothing.

python bench/echo_server.py
"""

from __future__ import annotations

import os

import msgspec


class _Arguments(msgspec.Struct):
    text: msgspec.Raw = msgspec.Raw(b'""')
    mark: str = ""
    size: int = 0


class _Params(msgspec.Struct):
    name: str = ""
    arguments: _Arguments | None = None


class _Request(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw(b"")
    method: str = ""
    params: _Params | None = None


_decode = msgspec.json.Decoder(_Request).decode
_encode = msgspec.json.Encoder().encode

_INITIALIZE = _encode(
    {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bench-echo", "version": "1.0"}}
)
_TEXT = {"type": "string"}
_TOOLS = _encode(
    {
        "tools": [
            {
                "name": "echo",
                "description": "Answers with the text.",
                "inputSchema": {"type": "object", "properties": {"text": _TEXT}, "required": ["text"]},
            },
            {
                "name": "sized",
                "description": "Answers with the mark and as many letters as make a text of that size.",
                "inputSchema": {"type": "object", "properties": {"mark": _TEXT, "size": {"type": "integer"}}, "required": ["mark", "size"]},
            },
        ]
    }
)
_HEAD = b'{"jsonrpc":"2.0","id":'


def _call(params: _Params) -> bytes:
    arguments = params.arguments or _Arguments()
    if params.name == "echo":
        text = bytes(arguments.text)
    else:
        text = b'"%b%b"' % (arguments.mark.encode(), b"x" * (arguments.size - len(arguments.mark)))
    return b'{"content":[{"type":"text","text":' + text + b'}],"isError":false}'


def answer(line: bytes) -> bytes:
    """The answer to one line; empty for a notification."""
    request = _decode(line)
    if not request.id:
        return b""
    match request.method:
        case "tools/call" if request.params is not None:
            result = _call(request.params)
        case "initialize":
            result = _INITIALIZE
        case "tools/list":
            result = _TOOLS
        case "ping":
            result = b"{}"
        case _:
            return _HEAD + bytes(request.id) + b',"error":{"code":-32601,"message":"no such method"}}\n'
    return _HEAD + bytes(request.id) + b',"result":' + result + b"}\n"


def main() -> None:
    """Serve until end of file. All answers to what came in one read leave in one write."""
    held: list[bytes] = []
    while data := os.read(0, 65536):
        end = data.rfind(b"\n") + 1
        if not end:
            held.append(data)
            continue
        lines = b"".join((*held, data[:end]))
        held = [data[end:]] if end < len(data) else []
        out = memoryview(b"".join([answer(line) for line in lines.split(b"\n") if line]))
        while out:
            out = out[os.write(1, out) :]


if __name__ == "__main__":
    main()
