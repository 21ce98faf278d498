"""The benches run in small counts, and every answer, verdict and stored event in them is checked. No time is asserted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_bench(*words: str) -> str:
    ran = subprocess.run([sys.executable, "-m", "bench", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout


@pytest.mark.parametrize(
    "bench, figures",
    [
        ("pure", ["whole path, 300 B frame", "decide, a run of 64 calls"]),
        ("start", ["witnessmark --version, wall"]),
        ("judge", ["mixed, 1,024 frames", "undeclared, 906 frames"]),
        ("store", ["sustained, recording included, 4,000 events", "witnessmark show, run of 400 events, beyond imports"]),
        ("http", ["100 B, added p50, witnessmark", "16 in flight, witnessmark", "a decision from fresh evidence, added p50"]),
        ("contracts", ["check, 200 tools over 2 pages, a tenth changed, with the server's start", "check, 400 tools over 200, unchanged"]),
        ("proxy", ["100 B, added p50, witnessmark", "16 in flight, witnessmark", "disk for each event"]),
    ],
)
def test_a_bench_gives_its_figures_after_checking_every_answer(bench: str, figures: list[str], tmp_path: Path) -> None:
    said = run_bench(bench, "--tiny", "--dir", str(tmp_path))
    for name in figures:
        assert f"| {name} |" in said
    assert list(tmp_path.iterdir()) == [], "a bench leaves nothing behind"


def broken(program: str, old: str, new: str) -> str:
    """The text of a bench's program with one part of it exchanged."""
    text = (ROOT / "bench" / program).read_text(encoding="utf-8")
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("bytes(arguments.text)", "b'\"an answer to another call  \"'"),
        ("b'}],\"isError\":false}'", "b'}],\"isError\":true}'"),
    ],
)
def test_a_server_that_answers_anything_else_fails_the_bench(old: str, new: str, tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(broken("echo_server.py", old, new))
    call = (
        "import sys\nfrom bench.raw_client import RawClient\n"
        "with RawClient([sys.executable, sys.argv[1]]) as client:\n    client.begin()\n    client.{}\n"
    )
    for way in ("round_trips(3, 100, 5)", "throughput(8, 4, 100, 5)"):
        ran = subprocess.run([sys.executable, "-c", call.format(way), str(server)], cwd=ROOT, capture_output=True, text=True, check=False)
        assert "WrongAnswer" in ran.stderr
        assert ran.returncode == 1


def test_the_page_shows_the_figures_that_are_committed() -> None:
    results = sorted((ROOT / "bench" / "results").glob("bench-*.json"))
    if not results:
        pytest.skip("no results are committed yet")
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    for path in results:
        machine = msgspec.json.decode(path.read_bytes())["machine"]
        assert {"cores", "model", "kernel", "python", "load_before", "load_after", "date", "revision"} <= set(machine)
        assert path.with_suffix(".md").exists()
    assert run_bench("page").rstrip("\n") in page, "run `python -m bench page --write`"
