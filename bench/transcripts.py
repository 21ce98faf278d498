"""Transcripts of any length, written as a recorder writes them, with the verdict that they must get."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bench.frames import INITIALIZE, INITIALIZED, encode, initialize_result, tool

Kind = Literal["mixed", "undeclared"]

_STEP_US = 2_000
"""Time between two frames: 500 frames a second, a busy session."""

TOOLS = (
    tool("read_file", read_only=True, members=("path", "encoding")),
    tool("search", read_only=True, members=("query", "folder")),
    tool("run_query", read_only=True, members=("statement", "database")),
    tool("write_report", read_only=False, members=("slug", "key", "text")),
)
READS = ("read_file", "search", "run_query")
CALLS_A_TURN = 64
"""Calls between two changes of the catalog; every one is a signal, two pages and an installed report."""
PROGRESS = 3


class Expected(NamedTuple):
    """What `witnessmark judge` must say about the transcript."""

    frames: int
    calls: int
    state: str


class Writer:
    """Numbers frames and requests while lines are made."""

    def __init__(self) -> None:
        self.frames = 0
        self.calls = 0
        self.request = 0

    def line(self, sender: str, member: str, value: Any) -> bytes:
        self.frames += 1
        return b'{"at":%.3f,"from":"%b","%b":%b}\n' % (self.frames * _STEP_US / 1e6, sender.encode(), member.encode(), encode(value))

    def message(self, sender: str, **members: Any) -> bytes:
        return self.line(sender, "message", {"jsonrpc": "2.0", **members})

    def next_id(self) -> int:
        self.request += 1
        return self.request

    # --- what an agent does ---

    def opening(self, kind: Kind) -> Iterator[bytes]:
        yield self.line("client", "message", INITIALIZE)
        yield self.line("server", "message", initialize_result("files"))
        yield self.line("client", "message", INITIALIZED)
        yield from self.listing()
        if kind == "mixed":
            for name in READS:
                yield self.line("operator", "declare", {"tool": name, "effect": "read", "inactivity": 30, "absolute": 600})
            declared = {"tool": "write_report", "effect": "write", "operation_key": "/key", "inactivity": 30, "absolute": 600}
            yield self.line("operator", "declare", declared)
            yield self.line("operator", "expect", {"outcome": "report", "verifier": {"kind": "file"}})

    def listing(self) -> Iterator[bytes]:
        first, second = self.next_id(), self.next_id()
        yield self.message("client", id=first, method="tools/list", params={})
        yield self.message("server", id=first, result={"tools": TOOLS[:2], "nextCursor": f"page-{first}"})
        yield self.message("client", id=second, method="tools/list", params={"cursor": f"page-{first}"})
        yield self.message("server", id=second, result={"tools": TOOLS[2:]})
        yield self.line("host", "installed", {"source": "bench", "tools": TOOLS, "mapping": "exact"})

    def signal(self) -> Iterator[bytes]:
        yield self.message("server", method="notifications/tools/list_changed")
        yield from self.listing()

    def ping(self) -> Iterator[bytes]:
        number = self.next_id()
        yield self.message("client", id=number, method="ping")
        yield self.message("server", id=number, result={})

    def read(self, *, progress: int = 0, fails: bool = False) -> Iterator[bytes]:
        number = self.next_id()
        self.calls += 1
        arguments = {"path": f"reports/w48/part-{number:09d}.txt", "encoding": "utf-8"}
        params = {"name": READS[number % len(READS)], "arguments": arguments, "_meta": {"progressToken": number}}
        yield self.message("client", id=number, method="tools/call", params=params)
        for step in range(progress):
            report = {"progressToken": number, "progress": step + 1, "total": progress, "message": f"part {step} of {number}"}
            yield self.message("server", method="notifications/progress", params=report)
        text = f"no such file: part-{number:09d}" if fails else f"part {number:09d}: " + "words of a report, " * 5
        yield self.message("server", id=number, result={"content": [{"type": "text", "text": text}], "isError": fails})

    def write(self, *, receipt: bool) -> Iterator[bytes]:
        number = self.next_id()
        self.calls += 1
        key = f"op-{number:09d}"
        arguments = {"slug": f"w48-{number}", "key": key, "text": "a line of the report " * 3}
        yield self.message("client", id=number, method="tools/call", params={"name": "write_report", "arguments": arguments})
        yield self.message("server", id=number, result={"content": [{"type": "text", "text": f"written: {key}"}], "isError": False})
        if receipt:
            yield self.line("destination", "effect", {"operation_key": key, "status": "applied", "method": "query", "count": 1})

    def turn(self, kind: Kind) -> Iterator[bytes]:
        """Calls as an agent makes them: seven reads to one write, one read in eight slow, one in 64 fails and is left behind."""
        for number in range(CALLS_A_TURN):
            if number % 8 == 0:
                yield from self.write(receipt=kind == "mixed")
            elif kind == "mixed" and number % 8 == 3:
                yield from self.read(progress=PROGRESS)
            else:
                yield from self.read(fails=kind == "mixed" and number == 13)
        if kind == "mixed":
            yield from self.ping()
            yield from self.signal()

    def ending(self, kind: Kind) -> Iterator[bytes]:
        if kind == "mixed":
            yield self.line("verifier", "outcome", {"outcome": "report", "status": "passed", "strength": "deterministic"})
        yield self.line("tap", "closed", {"by": "client", "exit": 0})
        yield self.line("operator", "close", value=True)


HEADER = b'{"witnessmark": "transcript/1", "transport": "stdio", "server": "files", "client": "bench"}\n'


def lines(frames: int, kind: Kind, writer: Writer | None = None) -> Iterator[bytes]:
    """The lines of a transcript of at least `frames` frames (whole turns), its header first."""
    made = writer or Writer()
    yield HEADER
    yield from made.opening(kind)
    while made.frames < frames:
        yield from made.turn(kind)
    yield from made.ending(kind)


def write_transcript(path: Path, frames: int, kind: Kind) -> Expected:
    """Write a transcript of at least `frames` frames; what must be said about it."""
    writer = Writer()
    with path.open("wb") as file:
        file.writelines(lines(frames, kind, writer))
    return Expected(writer.frames, writer.calls, "healthy" if kind == "mixed" else "unproven")
