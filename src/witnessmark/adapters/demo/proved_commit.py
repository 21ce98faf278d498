"""The main job: an agent writes a file and commits it with two real servers; then everything that it claims is asked for."""

from __future__ import annotations

import secrets
import sys
from hashlib import sha256

from witnessmark.adapters.demo.destinations import KEY_TRAILER, Repository
from witnessmark.adapters.demo.host import connected_at_once
from witnessmark.adapters.demo.stage import HOST, WatchedRun

REPORT = "report.md"
PROMISED = "# Week 48\n\nAll 12 orders were delivered.\n"
READS = (("git", "git_status"), ("git", "git_log"), ("time", "get_current_time"))
WRITES = ("git_add", "git_commit")
SHOWN_DIGITS = 12
"""Enough of a digest to compare by eye."""


async def commit_and_prove(run: WatchedRun) -> None:
    """Declare, work, ask, judge."""
    repository = Repository(run.folder / "repository", run.stage.environment)
    await repository.make()
    promised = sha256(PROMISED.encode()).hexdigest()
    for server, tool in READS:
        run.declare(server, tool, "read")
    for tool in WRITES:
        run.declare("git", tool, "write")
    run.expect("report", "sha256")
    run.tell(
        "Before the first call the runner declares: git_add and git_commit may change something, the other three only read, and "
        f"{REPORT} will be committed with SHA-256 {promised[:SHOWN_DIGITS]}..."
    )

    key = f"demo-{secrets.token_hex(4)}"
    servers = {
        "git": [sys.executable, "-m", "mcp_server_git", "--repository", str(repository.folder)],
        "time": [sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"],
    }
    place = {"repo_path": str(repository.folder)}
    async with connected_at_once(run, servers) as (git, clock):
        await git.read_catalog()
        await clock.read_catalog()
        run.tell(
            f"The client speaks MCP {git.version} and reads {len(git.shown)} and {len(clock.shown)} tools, every page; its host "
            f"reports, in its own name ({HOST}), what it put before the scripted model, definition by definition."
        )
        now = await clock.call("get_current_time", {"timezone": "UTC"})
        await git.call("git_status", place)
        (repository.folder / REPORT).write_text(PROMISED, encoding="utf-8")
        await git.call("git_add", {**place, "files": [REPORT]})
        day = "dated" if "datetime" in now else "undated"
        await git.call("git_commit", {**place, "message": f"Report of week 48, {day}\n\n{KEY_TRAILER}: {key}"})
        await git.call("git_log", place)

    commits = await repository.commits_under(key)
    for server, call in run.calls("git_commit"):
        run.effect(server, call, commits)
    for server, call in run.calls("git_add"):
        run.effect(server, call, await repository.tracked(REPORT))
    run.tell(f"Then git itself is asked, not the server: commits that carry the operation key in their message: {commits}.")
    found = await repository.committed_digest(REPORT)
    run.outcome("report", passed=found == promised)
    kept = "as promised" if found == promised else "NOT as promised"
    run.tell(f"A verifier hashes the file as the commit holds it: SHA-256 {found[:SHOWN_DIGITS] or 'none'}..., {kept}.")
    run.end()
    run.judge()
