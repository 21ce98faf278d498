"""Where effects land, asked directly: git, a file, a ledger. None of them knows MCP, and none takes the agent's word."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from witnessmark.errors import WorldError

KEY_TRAILER = "Operation-Key"
"""The trailer of a commit message that carries the operation key: it makes "is it there, and once?" a question for git."""


class Repository:
    """A git repository that is asked by git itself."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = {**os.environ, **environment}

    async def make(self) -> None:
        """Make it, with one commit, so that there is something that must not be counted."""
        self.folder.mkdir()
        await self._git("init", "--quiet")
        for name, value in (("user.name", "demo"), ("user.email", "demo@example.invalid"), ("commit.gpgsign", "false")):
            await self._git("config", name, value)
        await self._git("commit", "--quiet", "--allow-empty", "--message", "An empty beginning")

    async def commits_under(self, key: str) -> int:
        """How many commits of any branch carry the operation key in their message."""
        keys = await self._git("log", "--all", f"--format=%(trailers:key={KEY_TRAILER},valueonly)")
        return keys.decode().split().count(key)

    async def tracked(self, path: str) -> int:
        """1 if the path is in the index, else 0."""
        return int(bool(await self._git("ls-files", "--", path)))

    async def committed_digest(self, path: str) -> str:
        """SHA-256 of the file as the newest commit holds it, "" if it does not."""
        if not await self._git("ls-tree", "HEAD", "--", path):
            return ""
        return sha256(await self._git("cat-file", "blob", f"HEAD:{path}")).hexdigest()

    async def _git(self, *words: str) -> bytes:
        process = await asyncio.create_subprocess_exec(
            "git", "-C", str(self.folder), *words, env=self._environment,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        out, _ = await process.communicate()
        if process.returncode:
            raise WorldError(
                f"git {words[0]} ended with {process.returncode}", where=str(self.folder), hint="the demo needs git 2.22 or newer"
            )
        return out


def file_exists(path: Path) -> int:
    """1 if the file is there, else 0."""
    return int(path.is_file())


def ledger_lines(ledger: Path, key: str) -> int:
    """How many lines of the ledger carry the operation key."""
    if not ledger.is_file():
        return 0
    return sum(1 for line in ledger.read_text(encoding="utf-8").splitlines() if line.split(" ", 1)[0] == key)
