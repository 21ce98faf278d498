"""The proxy of FastMCP in front of a stdio server, as its documentation shows it: fastmcp_proxy.py COMMAND [ARG]..."""

from __future__ import annotations

import logging
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

logging.disable(logging.CRITICAL)
create_proxy(StdioTransport(command=sys.argv[1], args=sys.argv[2:]), name="fastmcp-proxy").run(transport="stdio", show_banner=False)
