"""A client on the official SDK, of whichever generation runs it: `sdk_client.py MODE COMMAND ARG...` prints what it saw.

MODE is `legacy`, `auto` or a revision; generation 1.x knows the first only.
"""

import asyncio
import importlib.metadata
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client

GENERATION = int(importlib.metadata.version("mcp").split(".")[0])
LARGE = "ü" * 150_000


async def work(client: Any, saw: list[Any]) -> None:
    async def progress(*args: Any) -> None:
        saw.append(["progress", *args[:2]])

    tools = await client.list_tools()
    saw.append([tool.name for tool in tools.tools])
    saw.append((await client.call_tool("echo", {"text": "naïve ☃ \U0001f600", "times": 2})).content[0].text)
    saw.append(len((await client.call_tool("echo", {"text": LARGE})).content[0].text))
    for name in ("fail", "nothing"):
        result = await client.call_tool(name, {})
        saw.append([name, getattr(result, "isError", None) or getattr(result, "is_error", None)])
    await client.call_tool("steps", {}, progress_callback=progress)
    await client.call_tool("grow", {})
    saw.append((await client.call_tool("grown", {"text": "new"})).content[0].text)
    saw.append([tool.name for tool in (await client.list_tools()).tools])


async def main(mode: str, command: str, *arguments: str) -> None:
    parameters = StdioServerParameters(command=command, args=list(arguments))
    saw: list[Any] = []
    if GENERATION == 1:
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            await work(session, saw)
    else:
        from mcp import Client

        async with Client(parameters, mode=mode) as client:
            await work(client, saw)
    sys.stdout.write(json.dumps(saw) + "\n")


asyncio.run(main(*sys.argv[1:]))
