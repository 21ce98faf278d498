"""What is released agrees with itself: version, change log, licence, locks, and the wheel's content."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import witnessmark
from project.repository import PACKAGE, ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
REQUIREMENT = re.compile(r"^(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^ ;\\]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def configuration() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pins(lock: Path) -> dict[str, str]:
    """Return name -> version of a lock file."""
    return {match["name"]: match["version"] for match in REQUIREMENT.finditer(lock.read_text(encoding="utf-8"))}


def names(requirements: list[str]) -> set[str]:
    """Return the names of requirements, without their versions."""
    return {re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0] for requirement in requirements}


def test_the_package_says_the_version_that_is_released(configuration: dict[str, Any]) -> None:
    assert witnessmark.__version__ == configuration["project"]["version"]


def test_the_change_log_has_an_entry_for_the_version(configuration: dict[str, Any]) -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## \[{re.escape(configuration['project']['version'])}\] - \d{{4}}-\d{{2}}-\d{{2}}\n+(?P<body>[^#\s][^#]*)"
    found = re.search(heading, text, re.MULTILINE)
    assert found, "no dated entry with a text"


def test_the_licence_is_the_one_that_is_declared(configuration: dict[str, Any]) -> None:
    assert configuration["project"]["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_every_lock_file_pins_every_file_by_hash_and_names_no_index() -> None:
    assert len(LOCKS) == 5
    for lock in LOCKS:
        text = lock.read_text(encoding="utf-8")
        blocks = [block for block in re.split(r"\n(?=[a-z0-9])", text) if REQUIREMENT.match(block)]
        assert blocks, lock.name
        assert not [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block], lock.name
        assert "://" not in text, lock.name
        assert "--index-url" not in text, lock.name


def test_the_locks_hold_what_the_project_declares(configuration: dict[str, Any]) -> None:
    project, groups = configuration["project"], configuration["dependency-groups"]
    demo = names(project["dependencies"] + project["optional-dependencies"]["demo"] + groups["build"])
    assert demo <= pins(ROOT / "requirements/demo.txt").keys()
    assert demo | names(groups["test"]) <= pins(ROOT / "requirements/test.txt").keys()
    for peer in ("mcp1", "fastmcp", "node"):
        locked = pins(ROOT / f"requirements/peer-{peer}.txt")
        assert dict(pinned.split("==") for pinned in groups[f"peer-{peer}"]).items() <= locked.items()


def test_demo_and_tests_run_the_same_versions() -> None:
    assert pins(ROOT / "requirements/demo.txt").items() <= pins(ROOT / "requirements/test.txt").items()


@pytest.mark.parametrize("project", ["npm", "npm-versions", "npm-floating", "npm-conformance"])
def test_an_npm_lock_pins_by_integrity_and_names_no_registry(project: str) -> None:
    declared = json.loads((ROOT / f"requirements/{project}/package.json").read_text(encoding="utf-8"))["dependencies"]
    lock = json.loads((ROOT / f"requirements/{project}/package-lock.json").read_text(encoding="utf-8"))
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert packages
    assert not [path for path, entry in packages.items() if "integrity" not in entry]
    assert not [path for path, entry in packages.items() if "resolved" in entry]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in declared} == {
        name: version.rsplit("@", 1)[-1] for name, version in declared.items()
    }


def test_the_wheel_carries_types_and_data_and_no_tests(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    content = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert "witnessmark/py.typed" in content
    assert shipped <= content
    assert not [name for name in content if not name.startswith(("witnessmark/", "witnessmark-"))]
