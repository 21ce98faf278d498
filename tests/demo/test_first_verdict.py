"""docs/howto/first-verdict.md, done as it is written: its configuration starts the proxy, its commands bring the receipts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from peers.raw_client import RawClient

pytestmark = pytest.mark.docs

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "first-verdict.md").read_text(encoding="utf-8")
SERVER = """
from witnessmark.adapters.demo.servers.pipe import Pipe, text, tool

def called(pipe, params):
    with open("note.md", "w") as note:
        note.write(params["arguments"]["text"])
    return text("done")

def listed(pipe, params):
    return {"tools": [tool("write_note", "Write a note", text="string")]}

Pipe("notes", {"tools/list": listed, "tools/call": called}).serve()
"""
NOTE = "milk, bread"


def blocks(step: int, language: str) -> list[str]:
    """The fenced blocks of one language under the heading of a step."""
    section = PAGE.split(f"\n## {step}. ")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


class Walk:
    """Somebody who does what the page says, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # `witnessmark` and `python` by these names, whatever is on PATH here.
        names = folder / "bin"
        names.mkdir()
        for name, command in (("python", ""), ("witnessmark", "-c 'from witnessmark.cli.main import main; main()'")):
            (names / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n', encoding="utf-8")
            (names / name).chmod(0o755)
        self.environment = {"PATH": f"{names}:{os.environ['PATH']}", "WITNESSMARK_STORE": str(folder / "evidence.sqlite")}
        (folder / "notes_server.py").write_text(SERVER, encoding="utf-8")
        (folder / "installed.json").write_text(blocks(4, "json")[0], encoding="utf-8")
        (folder / "promised.sha256").write_text(f"{sha256(NOTE.encode()).hexdigest()}  note.md\n", encoding="utf-8")
        configured = json.loads(blocks(2, "json")[1])["mcpServers"]["notes"]
        self.client = RawClient([names / configured["command"], *configured["args"]], cwd=folder, env=self.environment)

    def says(self, script: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["sh", "-c", script], capture_output=True, text=True, check=False, cwd=self.folder, env={**os.environ, **self.environment}
        )
        assert done.stderr == ""
        return done

    def asks(self, method: str, params: dict[str, Any], number: int) -> None:
        self.client.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        self.client.wait_for(b'"id": %d' % number)

    def connects(self) -> None:
        person = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "reader", "version": "1"}}
        self.asks("initialize", person, 1)
        self.client.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        self.asks("tools/list", {}, 2)

    def calls(self) -> None:
        self.asks("tools/call", {"name": "write_note", "arguments": {"text": NOTE}}, 3)


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    walk = Walk(tmp_path)
    with walk.client:
        walk.connects()
        yield walk


def test_the_steps_of_the_page_end_in_healthy_with_exit_code_0(walk: Walk) -> None:
    assert "live" in walk.says(blocks(2, "sh")[0]).stdout
    for step in (3, 4):
        assert walk.says(blocks(step, "sh")[0]).returncode == 0
    walk.calls()
    asked = walk.says(blocks(5, "sh")[0])
    assert re.search(r"^  3 +write_note +notes ", asked.stdout, re.MULTILINE), "the id that the page names"
    assert asked.returncode == 0
    done = walk.says(blocks(6, "sh")[0])
    assert done.returncode == 0
    assert "\nhealthy  run " in f"\n{done.stdout}"


def test_without_the_steps_between_it_is_unproven_for_the_reasons_of_the_table(walk: Walk) -> None:
    walk.calls()
    done = walk.says(blocks(6, "sh")[0].strip() + " --format json | tee verdict.json")
    verdict = json.loads((walk.folder / "verdict.json").read_text(encoding="utf-8"))
    table = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    codes = {reason["code"] for reason in verdict["reasons"]} | set(verdict["catalogs"]["notes"]["reasons"])
    assert (done.returncode, verdict["state"], verdict["exit"]) == (0, "unproven", 3)
    assert table == codes & table == {"effect_unproved", "verifier_not_declared", "install_unobserved"}


def test_a_receipt_after_the_client_has_ended_names_its_run(walk: Walk) -> None:
    walk.calls()
    assert walk.client.finish() == 0
    assert walk.says(blocks(6, "sh")[0].splitlines()[0] + " --run last").returncode == 0
