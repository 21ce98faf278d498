"""A client on the official SDK over HTTP, of whichever generation runs it: `sdk_http_client.py MODE URL` prints what it saw.

MODE is `streamable` or `sse` (generation 1), `legacy`, `auto` or a revision (generation 2), or `list`: only the tools.
"""

import asyncio
import importlib.metadata
import json
import sys
from typing import Any

GENERATION = int(importlib.metadata.version("mcp").split(".")[0])
LARGE = "ü" * 150_000


async def work(client: Any, saw: list[Any]) -> None:
    async def progress(*args: Any) -> None:
        saw.append(["progress", *args[:2]])

    saw.append(sorted(tool.name for tool in (await client.list_tools()).tools))
    saw.append((await client.call_tool("echo", {"text": "naïve ☃ \U0001f600", "times": 2})).content[0].text)
    saw.append(len((await client.call_tool("echo", {"text": LARGE})).content[0].text))
    result = await client.call_tool("fail", {})
    saw.append(["fail", getattr(result, "isError", None) or getattr(result, "is_error", None)])
    await client.call_tool("steps", {}, progress_callback=progress)


async def listed(client: Any, saw: list[Any]) -> None:
    saw.append(sorted(tool.name for tool in (await client.list_tools()).tools))


async def main(mode: str, url: str) -> None:
    saw: list[Any] = []
    task = listed if mode == "list" else work
    if GENERATION == 1:
        from mcp import ClientSession

        if mode == "sse":
            from mcp.client.sse import sse_client

            async with sse_client(url) as (read, write), ClientSession(read, write) as session:
                await session.initialize()
                await task(session, saw)
        else:
            from mcp.client.streamable_http import streamablehttp_client

            async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
                await session.initialize()
                await task(session, saw)
    else:
        from mcp import Client

        async with Client(url, mode="auto" if mode == "list" else mode) as client:
            await task(client, saw)
    sys.stdout.write(json.dumps(saw) + "\n")


asyncio.run(main(*sys.argv[1:]))
