"""A folder with a changing server and a lockfile, and the command line at work in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

import contract_server
from witnessmark.cli.main import cli


class Said(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


class Bench:
    """`server` is named tickets; every command runs in the folder, without a terminal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalog = folder / "catalog.json"
        self.lockfile = folder / "witnessmark.lock"

    def serves(self, *tools: dict[str, Any], **members: Any) -> None:
        """From now on the server says this."""
        contract_server.write(self.catalog, *tools, **members)

    @property
    def dashes(self) -> list[str]:
        """The server after `--`."""
        return ["--server", "tickets", "--", *contract_server.command(self.catalog)]

    def says(self, *words: str, input_text: str | None = None) -> Said:
        """What `witnessmark WORDS` says."""
        done = CliRunner().invoke(cli, list(words), input=input_text)
        return Said(done.exit_code, done.stdout, done.stderr)

    def locked(self, *words: str) -> None:
        """Lock the server as it is."""
        done = self.says("lock", *words, *self.dashes)
        assert done.code == 0, done

    def difference(self, *words: str) -> dict[str, Any]:
        """What `check --format json` says of the server."""
        found: dict[str, Any] = json.loads(self.says("check", "--format", "json", *words, "tickets").out)
        return found

    @property
    def lock(self) -> dict[str, Any]:
        """The lockfile as JSON."""
        held: dict[str, Any] = json.loads(self.lockfile.read_text(encoding="utf-8"))
        return held
