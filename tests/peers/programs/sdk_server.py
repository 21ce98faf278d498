"""A server on the official SDK, of whichever generation runs it (1.x: FastMCP, 2.x: MCPServer)."""

import importlib.metadata

GENERATION = int(importlib.metadata.version("mcp").split(".")[0])
if GENERATION == 1:
    from mcp.server.fastmcp import Context
    from mcp.server.fastmcp import FastMCP as Framework
else:
    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver import MCPServer as Framework

server = Framework("sdk-server")


@server.tool()
def echo(text: str, times: int = 1) -> str:
    """Say it again."""
    return text * times


@server.tool()
def fail() -> str:
    """Fail inside the tool."""
    raise ValueError("no")


@server.tool()
async def steps(ctx: Context) -> str:
    """Report progress three times."""
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3)
    return "done"


@server.tool()
async def grow(ctx: Context) -> str:
    """Add a tool and say so."""

    def grown(text: str) -> str:
        """A tool that was not there before."""
        return text

    server.add_tool(grown)
    if hasattr(ctx, "notify_tools_changed"):
        await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "grown"


if __name__ == "__main__":
    server.run()
