"""A server on the official SDK (2.x) with what the official conformance suite asks for: `conformance_server.py` writes its port.

The suite's names are its own; what they do is said in its documentation. It need not pass every scenario: the suite is run against it
directly and through the proxy, and both must say the same.
"""

import asyncio
import base64
import socket
import sys
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import AudioContent, EmbeddedResource, ImageContent, TextContent, TextResourceContents

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0").decode()

server: Any = MCPServer("conformance", version="1.0", instructions="For the conformance suite.")


def embedded(uri: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type="text/plain", text=text))


@server.tool()
def test_simple_text() -> str:
    """Answers with a text."""
    return "This is a simple text response for testing."


@server.tool()
def test_image_content() -> ImageContent:
    """Answers with an image."""
    return ImageContent(type="image", data=PIXEL, mime_type="image/png")


@server.tool()
def test_audio_content() -> AudioContent:
    """Answers with a sound."""
    return AudioContent(type="audio", data=SOUND, mime_type="audio/wav")


@server.tool()
def test_embedded_resource() -> EmbeddedResource:
    """Answers with a resource."""
    return embedded("test://embedded-resource", "This is an embedded resource content.")


@server.tool()
def test_multiple_content_types() -> list[Any]:
    """Answers with several kinds of content."""
    return [
        TextContent(type="text", text="Multiple content types test:"),
        ImageContent(type="image", data=PIXEL, mime_type="image/png"),
        embedded("test://mixed-content-resource", '{"test":"data","value":123}'),
    ]


@server.tool()
async def test_tool_with_logging(ctx: Context) -> str:
    """Logs while it works."""
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(text)
        await asyncio.sleep(0.05)
    return "done"


@server.tool()
async def test_tool_with_progress(ctx: Context) -> str:
    """Reports progress while it works."""
    for value in (0, 50, 100):
        await ctx.report_progress(value, 100)
        await asyncio.sleep(0.05)
    return "done"


@server.tool()
def test_error_handling() -> str:
    """Fails."""
    raise ValueError("This tool intentionally returns an error for testing")


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture."""
    return base64.b64decode(PIXEL)


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:  # noqa: A002 - the template's name for it
    """A record."""
    return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


@server.prompt()
def test_simple_prompt() -> str:
    """A prompt."""
    return "This is a simple prompt for testing."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.completion()
async def complete(*_: Any) -> None:
    """Nothing is completed."""


if __name__ == "__main__":
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    config = uvicorn.Config(server.streamable_http_app(), log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listening])
