"""The wrapper stands in front of every agent start: what its import loads is a list, checked by name and number, not by a clock."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from typing import Final

import pytest

from project.repository import ROOT

# What each would cost at import stands in docs/adr/; each is loaded by the command that needs it.
HEAVY: Final = frozenset(
    {
        "anyio",
        "argparse",
        "asyncio",
        "concurrent",
        "ctypes",
        "email",
        "ftplib",
        "html",
        "http",
        "httpx",
        "jsonschema",
        "jsonschema_rs",
        "logging",
        "mcp",
        "multiprocessing",
        "pydantic",
        "rich",
        "socketserver",
        "ssl",
        "tomllib",
        "unittest",
        "urllib.request",
        "xml",
        "zipfile",
    }
)
BASE_DISTRIBUTIONS: Final = frozenset({"click", "msgspec", "rfc8785", "typing_extensions", "witnessmark"})
MAX_MODULES: Final = 220
"""msgspec, rfc8785, click and what they load are 112; the rest is ours and what we chose to load."""


@pytest.fixture(scope="module")
def loaded() -> dict[str, int]:
    """Module -> microseconds of its own import, for everything that `import witnessmark.cli.main` loads in an empty interpreter.

    `-S` keeps out what the environment's .pth files load into every interpreter (coverage, setuptools): that is not ours.
    """
    paths = [str(ROOT / "src"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    program = f"import sys; sys.path[:0] = {paths!r}; sys.stderr.write('START\\n'); import witnessmark.cli.main"
    done = subprocess.run([sys.executable, "-S", "-E", "-X", "importtime", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", "importing the command line prints"
    rows = (
        line.removeprefix("import time:").split("|")
        for line in done.stderr.split("START\n", 1)[1].splitlines()
        if line.startswith("import time:")
    )
    return {name.strip(): int(own) for own, _, name in rows}


def slowest(loaded: dict[str, int]) -> str:
    """Return the ten slowest imports, for whoever has to mend a failure."""
    rows = sorted(loaded.items(), key=lambda row: -row[1])[:10]
    return "slowest: " + ", ".join(f"{name} {own} us" for name, own in rows)


def test_the_command_line_loads_nothing_heavy(loaded: dict[str, int]) -> None:
    heavy = [name for name in loaded if name in HEAVY or name.split(".")[0] in HEAVY]
    assert not heavy, slowest(loaded)


def test_the_command_line_loads_only_the_base_distributions(loaded: dict[str, int]) -> None:
    roots = {name.split(".")[0] for name in loaded}
    assert "click" in roots
    assert not roots - BASE_DISTRIBUTIONS - sys.stdlib_module_names, slowest(loaded)


def test_the_command_line_loads_a_bounded_number_of_modules(loaded: dict[str, int]) -> None:
    assert len(loaded) <= MAX_MODULES, slowest(loaded)
