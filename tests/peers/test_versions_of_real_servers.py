"""Real servers at two versions: locked at one, checked at the other.

What must come out was read off the two catalogs (and off the servers' sources where a default or a swallowed name decides).
The command stays the same: it runs through a link that is pointed elsewhere, as an upgrade in place does it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.contract_bench import Bench

pytestmark = pytest.mark.peers

ROOT = Path(__file__).parents[2]
VERSIONS = ROOT / ".peers" / "npm-versions" / "node_modules"
FLOATING = ROOT / ".peers" / "npm-floating" / "node_modules" / "@modelcontextprotocol" / "server-filesystem"
OLD_PYTHON = ROOT / ".venv-mcp1" / "bin" / "python"

Grade = tuple[str, str]
SILENT: set[Grade] = {("silent", "changed")}


class Upgrade(NamedTuple):
    """An upgrade of a server, what it must be found to hold ((tool, kind) with the grades), and the whole verdict by preset."""

    old: str
    new: str
    holds: dict[tuple[str, str], Grade]
    exits: tuple[int, int, int]
    """Exit codes at strict, balanced, lenient."""
    not_held: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


UPGRADES = [
    # researchMode leaves while the schema takes undeclared names since 2.2.0: who still sends it is not told.
    Upgrade("context7-2.2.0", "context7-3.0.0", {("query-docs", "param-removed-open"): ("silent", "changed")}, (1, 1, 1)),
    # The same release drops additionalProperties: false (harmless by itself, and the reason why the next one is not) and adds a switch.
    Upgrade(
        "context7-2.1.0",
        "context7-2.2.0",
        {
            ("query-docs", "additional-properties-opened"): ("none", "same"),
            ("query-docs", "param-added-optional"): ("none", "changed"),
            ("resolve-library-id", "description-removed"): ("silent", "changed"),
            ("", "instructions-changed"): ("none", "escalated"),
        },
        (1, 1, 1),
    ),
    # By hand: every object is closed. Who sends nothing undeclared fares as before.
    Upgrade("memory-2025.8.4", "memory-2025.9.25", {("create_entities", "additional-properties-closed"): ("none", "changed")}, (1, 0, 0)),
    # A rewrite on a newer SDK: dialect, titles, output schemas. No tool's input means another thing.
    Upgrade(
        "memory-2025.9.25",
        "memory-2025.11.25",
        {
            ("read_graph", "output-schema-added"): ("none", "changed"),
            ("read_graph", "dialect-declared"): ("none", "same"),
            ("search_nodes", "execution-explicit-default"): ("none", "same"),
        },
        (1, 0, 0),
        not_held=("param-removed-open", "param-removed-closed", "tool-removed"),
    ),
    # readOnlyHint and destructiveHint are set to what the tools do: the claims are safer, in their own lane.
    Upgrade("memory-2025.11.25", "memory-2026.7.4", {("read_graph", "annotation-relaxed"): ("none", "changed")}, (1, 0, 0)),
    # The media tool answers in a shape that the old output schema refuses.
    Upgrade(
        "filesystem-2026.1.14",
        "filesystem-2026.7.10",
        {("read_media_file", "output-widened"): ("loud", "changed")},
        (1, 1, 1),
        arguments=("{folder}",),
    ),
    # Ten tools change their names: an agent that holds the old list is refused by name.
    Upgrade("everything-2025.11.25", "everything-2026.1.14", {("echo", "title-added"): ("none", "changed")}, (1, 1, 1)),
]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return Bench(tmp_path)


def upgraded(bench: Bench, old: Path, new: Path, *arguments: str) -> list[str]:
    """Lock the server of `old`, then put `new` in its place; the words that name it."""
    place = bench.folder / "server"
    place.symlink_to(old)
    server = ["--server", "real", "--", "node", "server/dist/index.js", *(word.format(folder=bench.folder) for word in arguments)]
    assert bench.says("lock", *server).code == 0
    assert bench.says("check", *server).code == 0
    place.unlink()
    place.symlink_to(new)
    return server


def npm(not_run: Callable[[str], None], *places: Path) -> None:
    if shutil.which("node") is None or not all(place.exists() for place in places):
        not_run("npm servers at several versions (make peers, Node.js)")


def changes(document: dict[str, Any]) -> dict[tuple[str, str], set[Grade]]:
    """The grades of each (tool, kind): a tool may change in one kind at several places."""
    found: dict[tuple[str, str], set[Grade]] = {}
    for each in document["changes"]:
        found.setdefault((each.get("tool") or "", each["kind"]), set()).add((each["old_caller"], each["model_told"]))
    return found


@pytest.mark.parametrize("upgrade", UPGRADES, ids=lambda upgrade: f"{upgrade.old}..{upgrade.new.rsplit('-', 1)[1]}")
def test_an_upgrade_of_a_real_server_is_graded_as_read(bench: Bench, not_run: Callable[[str], None], upgrade: Upgrade) -> None:
    old, new = VERSIONS / upgrade.old, VERSIONS / upgrade.new
    npm(not_run, old, new)
    server = upgraded(bench, old, new, *upgrade.arguments)
    found = [bench.says("check", "--format", "json", "--fail-on", preset, *server) for preset in ("strict", "balanced", "lenient")]
    assert tuple(done.code for done in found) == upgrade.exits
    held = changes(json.loads(found[0].out))
    assert {key for key, grade in upgrade.holds.items() if grade not in held.get(key, ())} == set()
    assert not {kind for _, kind in held} & {*upgrade.not_held, "launch-changed"}


def test_a_swallowed_argument_is_named_in_words(bench: Bench, not_run: Callable[[str], None]) -> None:
    old, new = VERSIONS / "context7-2.2.0", VERSIONS / "context7-3.0.0"
    npm(not_run, old, new)
    done = bench.says("check", *upgraded(bench, old, new))
    assert "an agent that still sends `researchMode` is accepted and the value is swallowed" in done.out


def test_renamed_tools_of_a_real_server_are_paired(bench: Bench, not_run: Callable[[str], None]) -> None:
    old, new = VERSIONS / "everything-2025.11.25", VERSIONS / "everything-2026.1.14"
    npm(not_run, old, new)
    done = bench.says("check", "--format", "json", *upgraded(bench, old, new))
    pairs = {each["tool"]: each.get("renamed_to") for each in json.loads(done.out)["changes"] if each["kind"] == "tool-renamed"}
    assert pairs.get("printEnv") == "get-env"
    assert pairs.get("longRunningOperation") == "trigger-long-running-operation"


def test_an_unchanged_archive_whose_dependencies_float_is_drift(bench: Bench, not_run: Callable[[str], None]) -> None:
    old = VERSIONS / "filesystem-2025.8.21"
    npm(not_run, old, FLOATING)
    # The package is one and the same, to the byte; only what it pulls in differs.
    own = ("package.json", "dist/index.js")
    assert [(old / name).read_bytes() for name in own] == [(FLOATING / name).read_bytes() for name in own]
    assert locked_archive("npm-versions", "node_modules/filesystem-2025.8.21") == locked_archive(
        "npm-floating", "node_modules/@modelcontextprotocol/server-filesystem"
    )
    done = bench.says("check", "--format", "json", *upgraded(bench, old, FLOATING, "{folder}"))
    assert done.code == 1
    emptied = {tool for (tool, kind), grades in changes(json.loads(done.out)).items() if (kind, grades) == ("schema-emptied", SILENT)}
    assert len(emptied) == 13  # all but list_allowed_directories, which never took an argument
    assert "write_file" in emptied


def locked_archive(project: str, package: str) -> tuple[str, str]:
    lock = json.loads((ROOT / "requirements" / project / "package-lock.json").read_text(encoding="utf-8"))["packages"][package]
    return lock["version"], lock["integrity"]


@pytest.mark.parametrize(
    "module,expected",
    [
        # git_init is gone, and git_add refuses the empty list that it took before.
        (
            "mcp_server_git",
            {
                ("git_init", "tool-removed"): ("loud", "changed"),
                ("git_add", "length-tightened"): ("loud", "changed"),
                ("git_log", "param-added-optional"): ("none", "changed"),
                ("git_status", "annotation-relaxed"): ("none", "changed"),
            },
        ),
        # Arguments and their meaning stayed; annotations and an output schema came.
        ("mcp_server_time", {("convert_time", "output-schema-added"): ("none", "changed")}),
    ],
)
def test_a_server_of_last_year_is_compared_with_the_one_of_today(
    bench: Bench, not_run: Callable[[str], None], module: str, expected: dict[tuple[str, str], Grade]
) -> None:
    if not OLD_PYTHON.exists():
        not_run("PyPI servers of an older version (make peers)")
    program = bench.folder / "server"
    program.write_text(f'#!/bin/sh\nexec {OLD_PYTHON} -m {module} "$@"\n')
    program.chmod(0o755)
    server = ["--server", "real", "--", "./server"]
    assert bench.says("lock", *server).code == 0
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
    done = bench.says("check", "--format", "json", *server)
    assert done.code == 1
    held = changes(json.loads(done.out))
    assert {key for key, grade in expected.items() if grade not in held.get(key, ())} == set()
    assert bool([1 for grades in held.values() if "loud" in {old for old, _ in grades}]) == (module == "mcp_server_git")
