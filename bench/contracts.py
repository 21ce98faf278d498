"""Contracts: how long `witnessmark check` takes over large catalogs, with the server's start, and what a digest costs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, NamedTuple

import rfc8785

from bench.figures import Figure, at_most, figure, percentile
from bench.frames import INITIALIZED, encode
from bench.machine import ROOT
from bench.processes import Ran, run, witnessmark
from witnessmark.contract.canonical import canonical_bytes
from witnessmark.contract.digest import contract_digest
from witnessmark.contract.projection import project

PART: Final = "contracts"
CHECK_BUDGET: Final = at_most(1.0)
MEMORY_BUDGET: Final = at_most(60)
GROWTH_BUDGET: Final = at_most(6)
DIGEST_BUDGET: Final = at_most(60)
SMALL_BUDGET: Final = at_most(0.4)

PAGE_TOOLS: Final = 100
TOOL_BYTES: Final = 1_300
SERVER: Final = Path(__file__).with_name("catalog_server.py")

_INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1.0"}},
}


def a_tool(number: int) -> dict[str, Any]:
    """A tool of about 1.3 kB, unlike every other one."""
    properties: dict[str, Any] = {
        f"field_{n}": {"type": "string", "description": f"Field {n} of the record that tool {number} works on.", "maxLength": 200 + n}
        for n in range(6)
    }
    properties["limit"] = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "At most so many."}
    properties["state"] = {"type": "string", "enum": ["open", "closed", "all"], "default": "open"}
    tool = {
        "name": f"tool_{number:05d}",
        "title": f"Tool {number}",
        "description": f"Looks for records of the kind {number} and answers with those that fit.",
        "inputSchema": {"type": "object", "properties": properties, "required": ["field_0"], "additionalProperties": False},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
    tool["description"] = f"{tool['description']} " + "x" * max(0, TOOL_BYTES - len(json.dumps(tool)) - 1)
    return tool


def changed(tool: dict[str, Any]) -> dict[str, Any]:
    """The tool with one parameter renamed, which is a change to be named."""
    other = deepcopy(tool)
    properties = other["inputSchema"]["properties"]
    properties["max_results"] = properties.pop("limit")
    return other


class Catalog(NamedTuple):
    """A folder with pages, the lockfile of what they held first, and the command of their server."""

    folder: Path
    tools: list[dict[str, Any]]

    @property
    def lockfile(self) -> Path:
        return self.folder / "witnessmark.lock"

    @property
    def server(self) -> list[str]:
        return [sys.executable, str(SERVER), str(self.folder)]

    def write(self, changes: int) -> None:
        """Serve all tools, evenly `changes` of them changed."""
        step = len(self.tools) // changes if changes else 0
        served = [changed(tool) if step and n % step == 0 and n // step < changes else tool for n, tool in enumerate(self.tools)]
        pages = [served[at : at + PAGE_TOOLS] for at in range(0, len(served), PAGE_TOOLS)]
        for number, page in enumerate(pages):
            result: dict[str, Any] = {"tools": page}
            if number + 1 < len(pages):
                result["nextCursor"] = str(number + 1)
            (self.folder / f"page-{number}.json").write_bytes(encode(result))

    def says(self, command: str, *words: str) -> Ran:
        """`witnessmark COMMAND` on this server; its memory is looked at."""
        return run(
            witnessmark(command, "--lockfile", str(self.lockfile), "--server", "bench", *words, "--", *self.server),
            sampled=True,
        )


def locked(folder: Path, count: int) -> Catalog:
    """A catalog of so many tools, locked as it is."""
    folder.mkdir()
    catalog = Catalog(folder, [a_tool(number) for number in range(count)])
    catalog.write(0)
    done = catalog.says("lock")
    if done.code != 0:
        raise AssertionError(f"lock said {done.code}: {done.out[-500:]!r}")
    return catalog


def check(catalog: Catalog, changes: int) -> Ran:
    """One `check`, its answer compared with what was changed."""
    catalog.write(changes)
    done = catalog.says("check", "--format", "json")
    document = json.loads(done.out)
    named = {change["tool"] for change in document["changes"] if change["kind"].startswith("param-renamed")}
    if (done.code, document["verdict"], len(named)) != ((1, "drift", changes) if changes else (0, "same", 0)):
        raise AssertionError(f"check of {changes} changes said {done.code}, {document['verdict']}, {len(named)} renamed")
    return done


def bare_start_s(catalog: Catalog) -> float:
    """Seconds until the bare server has answered the first two requests of a client."""
    before = time.perf_counter()
    with subprocess.Popen(catalog.server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in (_INITIALIZE, INITIALIZED, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}):
            process.stdin.write(encode(message) + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        taken = time.perf_counter() - before
        process.stdin.close()
    if len(answers[1]["result"]["tools"]) != min(PAGE_TOOLS, len(catalog.tools)):
        raise AssertionError("the server did not list its tools")
    return taken


def catalog_figures(sizes: Sequence[int], rounds: int, folder: Path) -> list[Figure]:
    """`check` over catalogs of these sizes; the first is the small one, the last two are compared."""
    small, large, larger = sizes
    catalogs = {count: locked(folder / str(count), count) for count in sizes}
    wall: dict[str, list[float]] = {}
    peak: dict[str, list[float]] = {}
    beyond: list[float] = []
    growth: dict[str, list[float]] = {}
    for _ in range(rounds):
        start = bare_start_s(catalogs[small])
        beyond.append(check(catalogs[small], 0).wall_s - start)
        for what, share in (("unchanged", 0), ("one changed", -1), ("a tenth changed", 10)):
            taken = {}
            for count in (large, larger):
                done = check(catalogs[count], count // share if share > 0 else -share)
                name = f"check, {count:,} tools over {count // PAGE_TOOLS:,} pages, {what}"
                wall.setdefault(name, []).append(done.wall_s)
                peak.setdefault(name, []).append(done.peak_mib)
                taken[count] = done.wall_s
            growth.setdefault(f"check, {larger:,} tools over {large:,}, {what}", []).append(taken[larger] / taken[large])
    figures = [figure(PART, f"check, {small:,} tools unchanged, beyond the server's start", beyond, "s", budget=SMALL_BUDGET)]
    for name, values in wall.items():
        mine = f"{large:,} tools" in name
        figures.append(figure(PART, f"{name}, with the server's start", values, "s", budget=CHECK_BUDGET if mine else None))
        figures.append(figure(PART, f"{name}, peak memory", peak[name], "MiB", budget=MEMORY_BUDGET if mine else None))
    figures += [figure(PART, name, values, "times", budget=GROWTH_BUDGET) for name, values in growth.items()]
    return figures


def _median_us(work: Callable[[dict[str, Any]], object], tools: Sequence[dict[str, Any]]) -> float:
    taken = []
    for tool in tools:
        before = time.perf_counter_ns()
        work(tool)
        taken.append((time.perf_counter_ns() - before) / 1000)
    return percentile(sorted(taken), 0.5)


def digest_figures(count: int, rounds: int) -> list[Figure]:
    """The digest of a tool, and the canonical form by our fast path and by the library, in turn on the same tools."""
    tools = [a_tool(number) for number in range(count)]
    size = statistics.median(len(json.dumps(tool, separators=(",", ":"))) for tool in tools)
    if any(canonical_bytes(project(tool)) != rfc8785.dumps(project(tool)) for tool in tools[:50]):
        raise AssertionError("the fast path and the library differ")
    ways: dict[str, Callable[[dict[str, Any]], object]] = {
        "digest of a tool": contract_digest,
        "canonical form, ours": lambda tool: canonical_bytes(project(tool)),
        "canonical form, rfc8785": lambda tool: rfc8785.dumps(project(tool)),
    }
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, work in ways.items():
            taken.setdefault(name, []).append(_median_us(work, tools))
    return [
        figure(PART, f"{name}, {size:,.0f} B", values, "us", budget=DIGEST_BUDGET if name == "digest of a tool" else None)
        for name, values in taken.items()
    ]


def measure(*, sizes: Sequence[int], digests: int, rounds: int, folder: Path | None) -> list[Figure]:
    """All figures of contracts: `sizes` are a small catalog and two large ones, `digests` the tools of each round of digests."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return [*catalog_figures(sizes, rounds, Path(place)), *digest_figures(digests, rounds)]
