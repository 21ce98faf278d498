"""`witnessmark demo` around its scenes: what it says when one of them does not end as it must, and when it cannot run at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner, Result

from witnessmark.cli.main import cli

Demo = Callable[..., Result]


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    def run(*words: str) -> Result:
        return CliRunner(env={"TMPDIR": str(tmp_path)}).invoke(cli, ["demo", *words])

    return run


@pytest.fixture
def scenes(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the demo play only the named scene, which needs the SDK and no real server, with what is changed in it."""
    scenes = pytest.importorskip(
        "witnessmark.adapters.demo.scenes", reason="NOT RUN: the demo's scenes (mcp is not installed)", exc_type=ImportError
    )
    hollow = next(scene for scene in scenes.SCENES if scene.name == "false-success")

    def only(**changed: object) -> None:
        monkeypatch.setattr(scenes, "SCENES", (hollow._replace(**changed),))

    return only


@pytest.mark.peers
def test_the_json_document_holds_every_verdict_with_what_the_plain_log_said(demo: Demo, scenes: Callable[..., None]) -> None:
    scenes()
    done = demo("--format", "json")
    document = json.loads(done.stdout)
    assert (done.exit_code, document["witnessmark"], document["as_expected"]) == (0, "demo/1", True)
    (scenario,) = document["scenarios"]
    (said,) = scenario["verdicts"]
    assert (scenario["name"], said["plain_log"]) == ("false-success", "1 tool listed; 1 call, answered, no error")
    assert (said["expected"], said["verdict"]["state"], said["verdict"]["witnessmark"]) == ("false_success", "false_success", "verdict/1")


@pytest.mark.peers
def test_a_verdict_that_is_not_the_expected_one_fails_the_demo(demo: Demo, scenes: Callable[..., None]) -> None:
    from witnessmark.adapters.demo.scenes import Expected

    scenes(expected=(Expected("healthy"),))
    done = demo()
    assert done.exit_code == 1
    assert "NOT AS EXPECTED: healthy should have come here, and it is false_success (effect_absent," in " ".join(done.stdout.split())
    assert "1 of 1 scenarios did NOT end as they must: false-success" in done.stdout


@pytest.mark.peers
def test_the_right_state_for_another_reason_fails_the_demo(demo: Demo, scenes: Callable[..., None]) -> None:
    from witnessmark.adapters.demo.scenes import Expected

    scenes(expected=(Expected("false_success", "duplicate_effect"),))
    assert demo().exit_code == 1


@pytest.mark.peers
def test_a_scene_that_breaks_off_fails_the_demo_and_names_no_content(demo: Demo, scenes: Callable[..., None]) -> None:
    async def broken(run: object) -> NoReturn:
        raise ExceptionGroup("canary-5ab1", [RuntimeError("canary-5ab1")])

    scenes(play=broken)
    done = demo()
    assert done.exit_code == 1
    assert "NOT AS EXPECTED: this scenario broke off: RuntimeError" in done.stdout
    assert "NOT AS EXPECTED: there is no verdict where false_success (effect_absent) should have come" in done.stdout
    assert "canary" not in done.stdout + done.stderr


def test_without_its_extra_the_demo_says_how_to_get_it(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> NoReturn:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    done = demo()
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "witnessmark: error: witnessmark demo: the package mcp is not installed here",
        "hint: pip install 'witnessmark[demo]', or `make demo` in a clone",
    ]


def test_another_generation_of_the_sdk_is_refused(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "1.30.0")
    done = demo()
    assert done.exit_code == 2
    assert "the demo needs mcp 2.x, and 1.30.0 is installed" in done.stderr


def test_without_git_the_demo_says_so(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "2.3.0")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    done = demo()
    assert done.exit_code == 2
    assert "git is not on PATH" in done.stderr


def test_a_folder_that_holds_something_is_not_written_to(demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "2.3.0")
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    done = demo("--keep", str(tmp_path))
    assert done.exit_code == 2
    assert "the folder is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
