"""The host of the demo: the official SDK's client, started through the proxy, and the calls that its scripted model chooses.

This module needs the extra `demo`; nothing imports it before that was looked for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation, Tool

from witnessmark.adapters.demo.plain_log import ANSWERED
from witnessmark.adapters.demo.stage import HOST, WatchedRun

_CONNECTION_CLOSED: Final = -32000
"""What the SDK raises where the server went away (mcp.types.CONNECTION_CLOSED)."""

# The SDK logs a lost connection with its traceback; here that is the scene itself.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("mcp").propagate = False


class Host:
    """One connection: it reads the catalog as far as it is told to, and what it has read is what the model is shown."""

    def __init__(self, run: WatchedRun, server: str, client: Client) -> None:
        self._run = run
        self._client = client
        self.server = server
        self.shown: list[dict[str, Any]] = []

    @property
    def version(self) -> str:
        """The protocol version that was negotiated."""
        return self._client.protocol_version

    async def read_first_page(self) -> str | None:
        """Read one page and show it to the model; the cursor of the next page, if there is one."""
        return await self._read(None)

    async def read_catalog(self) -> None:
        """Read every page and show all to the model; then report what is shown."""
        cursor = await self._read(None)
        while cursor is not None:
            cursor = await self._read(cursor)
        self.report_shown()

    def report_shown(self) -> None:
        """Report, as the host, what the model is shown now."""
        self._run.installed(self.server, self.shown)

    async def _read(self, cursor: str | None) -> str | None:
        page = await self._client.list_tools(cursor=cursor)
        self.shown += [_as_wire(tool) for tool in page.tools]
        self._run.log.listed(len(page.tools))
        return page.next_cursor

    async def call(self, tool: str, arguments: dict[str, Any], on_progress: Any = None) -> str:
        """Call a tool and note in the plain log how it ended; the text that the model is shown, "" where there is no answer."""
        self._run.log.called()
        try:
            result = await self._client.call_tool(tool, arguments, progress_callback=on_progress)
        except MCPError as error:
            self._run.log.ended("connection closed" if error.code == _CONNECTION_CLOSED else f"error {error.code}")
            return ""
        self._run.log.ended("isError" if result.is_error else ANSWERED)
        return "".join(getattr(block, "text", "") for block in result.content)


def _as_wire(tool: Tool) -> dict[str, Any]:
    definition: dict[str, Any] = tool.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return definition


@asynccontextmanager
async def connected(run: WatchedRun, server: str, command: Sequence[str]) -> AsyncIterator[Host]:
    """A host connected to `server` through the proxy; what the server writes on standard error goes to a file in the run's folder."""
    program, *arguments = run.command(server, command)
    parameters = StdioServerParameters(command=program, args=arguments, env=run.stage.environment, cwd=run.folder)
    with (run.folder / f"{server}.stderr").open("w", encoding="utf-8") as errors:
        transport = stdio_client(parameters, errlog=errors)
        async with Client(transport, client_info=Implementation(name=HOST, version="1")) as client:
            yield Host(run, server, client)


@asynccontextmanager
async def connected_at_once(run: WatchedRun, commands: Mapping[str, Sequence[str]]) -> AsyncIterator[list[Host]]:
    """Hosts connected to several servers, in their order; the servers start side by side, since each takes a second of one core.

    Each connection is held by a task of its own: the SDK wants it closed by the task that opened it.
    """
    over = asyncio.Event()
    hosts = [asyncio.get_running_loop().create_future() for _ in commands]

    async def hold(server: str, command: Sequence[str], host: asyncio.Future[Host]) -> None:
        async with connected(run, server, command) as opened:
            host.set_result(opened)
            await over.wait()

    async with asyncio.TaskGroup() as group:
        for (server, command), host in zip(commands.items(), hosts, strict=True):
            group.create_task(hold(server, command, host))
        yield [await host for host in hosts]
        over.set()
