"""Whatever a document tells its reader to type is typed here, or stands in a list with the reason why not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Final

import pytest

from docs.pages import PAGES, Block, blocks
from docs.walk import Walk
from project.repository import ROOT

pytestmark = pytest.mark.docs

NOT_RUN: Final = {
    ("README.md", "session -> catalog -> request -> effect -> outcome"): "a picture of the layers",
    (
        "README.md",
        "make demo",
    ): "sets up an environment from the network; tests/demo runs the demo, and this suite is what `make test` runs",
    ("CONTRIBUTING.md", "make env"): "sets up an environment from the network, and runs this suite",
    ("CONTRIBUTING.md", ".venv/bin/pytest tests/wire/test_strictjson.py"): "parts of this suite; what they name is checked below",
    ("docs/howto/first-verdict.md", "pip install ."): "needs the network; tests/project builds the wheel and looks into it",
    ("docs/performance.md", "make bench"): "takes 15 minutes and a machine without other work; tests/bench runs the benches small",
}
"""(page, how the first line begins) -> why nobody types it here."""

ELSEWHERE: Final = {
    ("docs/howto/first-verdict.md", "witnessmark runs"): "tests/demo/test_first_verdict.py",
    ("docs/howto/first-verdict.md", 'echo \'{"tool"'): "tests/demo/test_first_verdict.py",
    ("docs/howto/first-verdict.md", "witnessmark receipt installed"): "tests/demo/test_first_verdict.py",
    ("docs/howto/first-verdict.md", "witnessmark show last"): "tests/demo/test_first_verdict.py",
    ("docs/howto/first-verdict.md", "witnessmark receipt close"): "tests/demo/test_first_verdict.py",
}
"""(page, how the first line begins) -> the test that types it, in the order of the page."""

TYPED: Final = [block for page in PAGES for block in blocks(page) if block.meant_to_run]
README: Final = [block for block in TYPED if block.page == "README.md"]


def listed(block: Block) -> list[tuple[str, str]]:
    """The entries of the two tables that mean the block."""
    return [entry for entry in (*NOT_RUN, *ELSEWHERE) if entry[0] == block.page and block.first.startswith(entry[1])]


REST: Final = [block for block in TYPED if block.page != "README.md" and not listed(block)]


def test_every_entry_of_the_lists_means_one_block() -> None:
    means = {entry: [block.line for block in TYPED if entry in listed(block)] for entry in (*NOT_RUN, *ELSEWHERE)}
    assert not {entry: lines for entry, lines in means.items() if len(lines) != 1}, "stale, or not exact enough"
    assert not [block for block in TYPED if len(listed(block)) > 1]


def test_the_tests_that_type_a_block_elsewhere_are_there_and_read_its_page() -> None:
    for (page, _), test in ELSEWHERE.items():
        assert f'"{page}"' in (ROOT / test).read_text(encoding="utf-8"), test


@pytest.mark.parametrize(
    "text,found",
    [
        ("a\n\n    witnessmark runs\n\nb\n", [(3, "", "witnessmark runs\n", True)]),
        ("a\n\n    one\n\n    two\nb\n", [(3, "", "one\n\ntwo\n", False)]),
        ("```sh\nmake x\n```\n", [(2, "sh", "make x\n", True)]),
        ("```\nmake x\n```\n", [(2, "text", "make x\n", False)]),
        ("```json\n{}\n```\n", [(2, "json", "{}\n", False)]),
        ("a\n\n    witnessmark judge FILE... [--cut]\n", [(3, "", "witnessmark judge FILE... [--cut]\n", False)]),
        ("a\n    continued\n", []),
    ],
)
def test_blocks_are_found_where_a_reader_sees_them(text: str, found: list[tuple[int, str, str, bool]]) -> None:
    assert [(block.line, block.language, block.text, block.meant_to_run) for block in blocks("docs/x.md", text)] == found


def test_of_a_console_block_only_what_follows_the_prompt_is_typed() -> None:
    assert Block("x", 1, "console", "$ echo a\na\n$ echo b\nb\n").script == "echo a\necho b\n"


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    """A reader who has the server, the transcript and the file that the pages speak of."""
    walk = Walk(tmp_path)
    walk.writes_a_server("server.py", "write_report")
    copyfile(ROOT / "tests/cases/field/healthy/stdio.jsonl", tmp_path / "run.jsonl")
    yield walk
    if walk.client is not None:
        walk.client.__exit__(None, None, None)


@pytest.mark.parametrize("block", REST, ids=lambda block: f"{block.page}:{block.line}")
def test_what_a_page_tells_to_type_works(walk: Walk, block: Block) -> None:
    for done in walk.says_each(block.script):
        assert done.returncode == 0, done.args


class Readme:
    """The blocks of the README, handed out by how they begin; what was not handed out is left over."""

    def __init__(self) -> None:
        self.left = [block for block in README if not listed(block)]

    def block(self, begins: str) -> str:
        (found,) = [block for block in self.left if block.first.startswith(begins)]
        self.left.remove(found)
        return found.script


def test_the_readme_done_from_top_to_bottom(walk: Walk) -> None:
    readme = Readme()
    path, doctor = readme.block("export PATH").splitlines()
    assert path == 'export PATH="$PWD/.venv/bin:$PATH"', "the folder that the Makefile calls BIN"
    assert re.search(r"^VENV := \.venv$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert "store" in walk.says(doctor).stdout

    walk.starts(["sh", "-c", "exec " + readme.block("witnessmark proxy")])
    walk.connects()
    for done in walk.says_each(readme.block('echo \'{"tool"')):
        assert (done.returncode, done.stdout.count(" kept as ")) == (0, 1)
    walk.asks("tools/call", {"name": "write_report", "arguments": {"text": "5"}}, 3)
    runs, shown, judged = walk.says_each(readme.block("witnessmark runs"))
    assert "live" in runs.stdout
    assert re.search(r"^  3 +write_report +files ", shown.stdout, re.MULTILINE), "the id that the README names"
    assert (shown.returncode, judged.returncode) == (0, 3)
    assert judged.stdout.startswith("unproven  run ")
    for wanted in ("installed", "effect", "outcome"):
        assert f"`witnessmark receipt {wanted}`" in judged.stdout.split("\nMissing\n")[1], "what is missing names its command"
    for done in walk.says_each(readme.block('echo \'{"call"')):
        assert (done.returncode, done.stdout.count(" kept as ")) == (0, 1)
    left = walk.says("witnessmark judge --run last").stdout
    assert "[+] effect -> [+] outcome" in left
    assert "`witnessmark receipt installed`" in left.split("\nMissing\n")[1]

    locked, checked = walk.says_each(readme.block("witnessmark lock"))
    assert (locked.returncode, "trust on first use" in locked.stdout) == (0, True)
    assert (checked.returncode, checked.stdout.startswith("same  files")) == (0, True)
    walk.writes_a_server("server.py", "write_reports")
    assert walk.says("witnessmark check --server files -- python server.py").returncode == 1

    (walk.folder / "notebook.py").write_text(readme.block("import witnessmark"), encoding="utf-8")
    assert walk.says("python notebook.py").stdout == "healthy | continue\n"
    assert not readme.left, "a block of the README that nobody types"


def test_the_json_of_the_readme_says_the_same_as_its_command() -> None:
    import json

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (inline,) = re.findall(r'`("command": .*)`', text)
    configured = json.loads("{" + inline + "}")
    assert f"    {configured['command']} {' '.join(configured['args'])}\n" in text
