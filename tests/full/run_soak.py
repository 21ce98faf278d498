"""Soak: many calls through the real proxy with a real store; every answer checked, memory flat, the log whole.

    tests/full/run_soak.py [CALLS]      (200,000 unless told; `bench` measures a million)

Exits 1, naming what broke, if an answer is wrong, the proxy's memory grows, or the evidence is not what happened.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CALLS: Final = 200_000
IN_FLIGHT: Final = 16
GROWTH_KIB: Final = 2_048
"""What the proxy's memory may differ between a tenth of the way and its end: SQLite's page cache fills meanwhile."""

ECHO: Final = r"""
import sys
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    message = __import__("json").loads(line)
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "echo", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}]}
    elif message["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}
    else:
        continue
    out.write(__import__("json").dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode() + b"\n")
    out.flush()
"""


def _resident_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1])


def _frame(number: int, method: str, params: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def _talk(process: subprocess.Popen[bytes], calls: int) -> Iterator[int]:
    """Keeps IN_FLIGHT calls on the way and yields the number of answers after each; raises ValueError for a wrong one."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_frame(0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak"}}))
    process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n' + _frame(1, "tools/list", {}))
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.readline()
    sent = answered = 0
    while answered < calls:
        while sent < calls and sent - answered < IN_FLIGHT:
            process.stdin.write(_frame(2 + sent, "tools/call", {"name": "echo", "arguments": {"text": f"text {sent}"}}))
            sent += 1
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        number = answer["id"] - 2
        if answer["result"]["content"][0]["text"] != f"text {number}":
            raise ValueError(f"call {number} got another call's answer")
        answered += 1
        yield answered


def soak(calls: int, folder: Path) -> list[str]:
    """What broke, in words; empty if nothing did."""
    store = folder / "evidence.sqlite"
    witnessmark = [sys.executable, "-m", "witnessmark"]
    command = [*witnessmark, "proxy", "--server", "echo", "--store", str(store), "--", sys.executable, "-c", ECHO]
    early = late = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for answered in _talk(process, calls):
            if answered == calls // 10:
                early = _resident_kib(process.pid)
        late = _resident_kib(process.pid)
        assert process.stdin is not None
        process.stdin.close()
    broken = []
    if process.returncode != 0:
        broken.append(f"the proxy ended with {process.returncode}")
    if late - early > GROWTH_KIB:
        broken.append(f"memory grew from {early} KiB after {calls // 10} calls to {late} KiB after {calls}")
    log = folder / "log.jsonl"
    with log.open("wb") as file:
        subprocess.run([*witnessmark, "export", "last", "--store", str(store)], stdout=file, check=True)
    with log.open("rb") as file:
        answers = sum(b'"witnessmark.call.answered"' in line for line in file)
    if answers != calls:
        broken.append(f"{answers} of {calls} answers are in the evidence")
    verified = subprocess.run([*witnessmark, "verify", str(log)], capture_output=True, text=True, check=False)
    if verified.returncode != 0:
        broken.append(f"the log does not verify: {verified.stdout[-500:]}")
    size = store.stat().st_size / calls
    sys.stdout.write(f"{calls} calls, {IN_FLIGHT} in flight; {early} KiB after a tenth, {late} KiB at the end; {size:.0f} bytes a call\n")
    return broken


def main() -> int:
    """The exit code: 0 if nothing broke."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    if not Path("/proc/self/status").exists():
        sys.stderr.write("NOT RUN: the soak reads memory from /proc, which this system lacks\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        broken = soak(calls, Path(folder))
    for line in broken:
        sys.stderr.write(f"soak: {line}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
