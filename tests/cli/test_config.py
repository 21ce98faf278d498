"""`config check` names every mistake by its line; `config show` says what is in force and where it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from witnessmark.cli.main import cli

GOOD = """
[servers.files]
command = ["python", "server.py"]

[tools."files/read"]
effect = "read"

[tools."files/write"]
effect = "destructive"
operation_key = "/key"
inactivity = "10s"
absolute = "2h"
destination = "shelf"

[destinations.shelf]
kind = "file"
path = "out/{slug}.txt"

[policy]
inactivity = "45s"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["config", *words])


def written(folder: Path, text: str, name: str = "witnessmark.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def shown(*words: str) -> dict[str, dict[str, tuple[object, str, bool]]]:
    document = json.loads(run("show", "--format", "json", *words).stdout)
    return {
        tool: {one["name"]: (one["value"], one["origin"], one["ignored"]) for one in values} for tool, values in document["tools"].items()
    }


def test_a_good_file_is_said_to_be_good(folder: Path) -> None:
    written(folder, GOOD)
    done = run("check", "--config", "witnessmark.toml")
    assert (done.exit_code, done.stdout) == (0, "witnessmark.toml: no mistake\n")


def test_every_mistake_is_named_by_line_and_the_exit_code_is_1(folder: Path) -> None:
    written(folder, GOOD.replace('"destructive"', '"destroys"').replace('"10s"', '"10 sec"') + "\n[x]\n")
    done = run("check")
    assert done.exit_code == 1
    assert [one for one in done.stdout.splitlines() if not one.startswith(" ")] == [
        "witnessmark.toml:9: tools.files/write.effect: is none of its words",
        "witnessmark.toml:11: tools.files/write.inactivity: must be a duration above zero",
        "witnessmark.toml:22: x: is no table of this file",
        "3 mistakes",
    ]
    document = json.loads(run("check", "--format", "json").stdout)
    assert (document["good"], [(one["line"], one["pointer"]) for one in document["mistakes"]]) == (
        False,
        [(9, "/tools/files~1write/effect"), (11, "/tools/files~1write/inactivity"), (22, "/x")],
    )


@pytest.mark.parametrize("text,words", [("[a\n", "is not TOML: line 1"), (None, "no such file")])
def test_what_cannot_be_read_at_all_is_exit_code_2(folder: Path, text: str | None, words: str) -> None:
    if text is not None:
        written(folder, text)
    done = run("check")
    assert (done.exit_code, words in done.stderr, done.stdout) == (2, True, "")


def test_a_tool_of_a_server_that_the_file_does_not_name_is_noted(folder: Path) -> None:
    written(folder, '[tools."flies/x"]\neffect = "write"\n')
    done = run("check")
    assert (done.exit_code, "note: no [servers.flies] in this file" in done.stdout) == (0, True)


def test_what_is_in_force_is_shown_with_the_line_that_it_comes_from(folder: Path) -> None:
    written(folder, GOOD)
    found = shown("--config", "witnessmark.toml")
    assert found["files/write"] == {
        "effect": ("destructive", "witnessmark.toml:9", False),
        "operation_key": ("/key", "witnessmark.toml:10", False),
        "key_lifetime": (None, "default", False),
        "inactivity": (10.0, "witnessmark.toml:11", False),
        "absolute": (7200.0, "witnessmark.toml:12", False),
        "trust_hints": (False, "default", False),
        "verify": ("", "default", False),
        "destination": ({"kind": "file", "settings": {"path": "out/{slug}.txt"}, "name": "shelf"}, "witnessmark.toml:13", False),
    }
    assert found["files/read"]["effect"] == ("read", "witnessmark.toml:6", False)
    assert found["files/read"]["inactivity"] == (45.0, "witnessmark.toml:20", False)
    assert found["files/read"]["absolute"] == (600.0, "default", False)


def test_a_file_that_nobody_named_loosens_nothing_and_is_shown_not_to(folder: Path) -> None:
    written(folder, GOOD)
    found = shown()
    assert found["files/read"]["effect"] == ("write", "witnessmark.toml:6", True)
    assert found["files/read"]["inactivity"] == (60.0, "default", False)
    assert {name: one[:1] + one[2:] for name, one in found["files/write"].items() if name != "verify"} == {
        "effect": ("destructive", False),
        "operation_key": (None, True),
        "key_lifetime": (None, False),
        "inactivity": (10.0, False),
        "absolute": (600.0, True),
        "trust_hints": (False, False),
        "destination": (None, True),
    }
    text = run("show", "files/read").stdout
    assert "default; witnessmark.toml:6 counts only with --config" in text
    noted = run("check").stdout
    assert "note: tools.files/read: effect counts only if you name the file (--config)" in noted
    assert "note: policy count" in noted


def test_a_tool_that_is_not_declared_is_an_error_that_lists_the_others(folder: Path) -> None:
    written(folder, GOOD)
    done = run("show", "files/delete")
    assert (done.exit_code, "declared: files/read, files/write" in done.stderr) == (2, True)
