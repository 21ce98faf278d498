"""A raw MCP server with a large catalog: pages are ready on disk, so that a list costs it next to nothing.

python bench/catalog_server.py FOLDER      (FOLDER holds page-0.json ... with the results of tools/list)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

INITIALIZE = json.dumps(
    {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bench-catalog", "version": "1.0"}}
).encode()


def main(folder: Path) -> None:
    """Serve until end of file, one line at a time."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" not in request:
            continue
        method = request.get("method")
        if method == "initialize":
            body = b'"result":' + INITIALIZE
        elif method == "tools/list":
            cursor = (request.get("params") or {}).get("cursor", "0")
            body = b'"result":' + (folder / f"page-{int(cursor)}.json").read_bytes()
        else:
            body = b'"error":{"code":-32601,"message":"no such method"}'
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":' + json.dumps(request["id"]).encode() + b"," + body + b"}\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
