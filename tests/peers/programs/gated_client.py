"""A client on the official SDK, of whichever generation runs it, whose server changes between two calls.

`gated_client.py MODE CATALOG CHANGED COMMAND ARG...`: lists, calls `search`, puts the file CHANGED in the place of CATALOG, calls
again, and prints what came back.
"""

import asyncio
import importlib.metadata
import json
import shutil
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client

GENERATION = int(importlib.metadata.version("mcp").split(".")[0])


async def called(client: Any) -> list[Any]:
    try:
        result = await client.call_tool("search", {"query": "x"})
    except Exception as error:  # noqa: BLE001 - each generation has a class of its own for an error of the protocol
        told = getattr(error, "error", error)
        return ["error", getattr(told, "code", None), (getattr(told, "data", None) or {}).get("reason")]
    return ["result", result.content[0].text]


async def work(client: Any, catalog: str, changed: str) -> None:
    saw = [[tool.name for tool in (await client.list_tools()).tools], await called(client)]
    shutil.copy(changed, catalog)
    saw.append(await called(client))
    saw.append([sorted(tool.model_dump(by_alias=True)["inputSchema"]["properties"]) for tool in (await client.list_tools()).tools])
    sys.stdout.write(json.dumps(saw) + "\n")


async def main(mode: str, catalog: str, changed: str, command: str, *arguments: str) -> None:
    parameters = StdioServerParameters(command=command, args=list(arguments))
    if GENERATION == 1:
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            await work(session, catalog, changed)
    else:
        from mcp import Client

        async with Client(parameters, mode=mode) as client:
            await work(client, catalog, changed)


asyncio.run(main(*sys.argv[1:]))
