"""docs/howto/first-verdict.md, done as it is written: its configuration starts the proxy, its commands bring the receipts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from docs.pages import blocks, read
from docs.walk import Walk

pytestmark = pytest.mark.docs

PAGE = "docs/howto/first-verdict.md"
NOTE = "milk, bread"


def of_step(step: int, language: str) -> list[str]:
    """The fenced blocks of one language under the heading of a step."""
    section = read(PAGE).split(f"\n## {step}. ")[1].split("\n## ")[0]
    return [block.text for block in blocks(PAGE, section) if block.language == language]


def calls(walk: Walk) -> None:
    walk.asks("tools/call", {"name": "write_note", "arguments": {"text": NOTE}}, 3)


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    walk = Walk(tmp_path)
    walk.writes_a_server("notes_server.py", "write_note")
    (tmp_path / "installed.json").write_text(of_step(4, "json")[0], encoding="utf-8")
    (tmp_path / "promised.sha256").write_text(f"{sha256(NOTE.encode()).hexdigest()}  note.md\n", encoding="utf-8")
    configured = json.loads(of_step(2, "json")[1])["mcpServers"]["notes"]
    with walk.starts([walk.names / configured["command"], *configured["args"]]):
        walk.connects()
        yield walk


def test_the_steps_of_the_page_end_in_healthy_with_exit_code_0(walk: Walk) -> None:
    assert "live" in walk.says(of_step(2, "sh")[0]).stdout
    for step in (3, 4):
        assert walk.says(of_step(step, "sh")[0]).returncode == 0
    calls(walk)
    asked = walk.says(of_step(5, "sh")[0])
    assert re.search(r"^  3 +write_note +notes ", asked.stdout, re.MULTILINE), "the id that the page names"
    assert asked.returncode == 0
    done = walk.says(of_step(6, "sh")[0])
    assert done.returncode == 0
    assert "\nhealthy  run " in f"\n{done.stdout}"


def test_without_the_steps_between_it_is_unproven_for_the_reasons_of_the_table(walk: Walk) -> None:
    calls(walk)
    done = walk.says(of_step(6, "sh")[0].strip() + " --format json | tee verdict.json")
    verdict = json.loads((walk.folder / "verdict.json").read_text(encoding="utf-8"))
    table = set(re.findall(r"^\| `(\w+)` \|", read(PAGE), re.MULTILINE))
    codes = {reason["code"] for reason in verdict["reasons"]} | set(verdict["catalogs"]["notes"]["reasons"])
    assert (done.returncode, verdict["state"], verdict["exit"]) == (0, "unproven", 3)
    assert table == codes & table == {"effect_unproved", "verifier_not_declared", "install_unobserved"}


def test_a_receipt_after_the_client_has_ended_names_its_run(walk: Walk) -> None:
    calls(walk)
    assert walk.client is not None
    assert walk.client.finish() == 0
    assert walk.says(of_step(6, "sh")[0].splitlines()[0] + " --run last").returncode == 0
