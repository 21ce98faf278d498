"""`witnessmark diff` compares any two contracts, wherever they are."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.contract_bench import Bench
from contract_server import tool

OLD = [tool("search", "Finds it.", query={"type": "string"}), tool("close")]
NEW = [tool("search", "Finds it.", q={"type": "string"}), tool("close")]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return Bench(tmp_path)


def shapes(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "result": {"tools": tools, "_meta": {}},
        "response": {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}},
        "object": {"server": "x", "tools": tools},
        "array": tools,
    }


@pytest.mark.parametrize("shape", shapes([]))
def test_a_catalog_in_any_shape_is_read(bench: Bench, shape: str) -> None:
    (bench.folder / "a.json").write_text(json.dumps(shapes(OLD)["array"]), encoding="utf-8")
    (bench.folder / "b.json").write_text(json.dumps(shapes(NEW)[shape]), encoding="utf-8")
    done = bench.says("diff", "a.json", "b.json", "--format", "json")
    found = json.loads(done.out)
    assert (done.code, found["witnessmark"], found["verdict"], found["preset"]) == (1, "diff/1", "drift", "strict")
    change = next(each for each in found["changes"] if each["kind"] == "param-renamed-open")
    assert (change["tool"], change["pointer"], change["old_caller"]) == ("search", "/inputSchema/properties/query", "silent")
    assert change["renamed_to"] == "q"
    assert len(change["fingerprint"]) == 32
    assert bench.says("diff", "a.json", "a.json").code == 0


def test_a_page_of_several_is_incomplete(bench: Bench) -> None:
    (bench.folder / "a.json").write_text(json.dumps({"tools": OLD, "nextCursor": "2"}), encoding="utf-8")
    done = bench.says("diff", "a.json", "a.json")
    assert done.code == 3
    assert "nextCursor" in done.out


@pytest.mark.parametrize(
    "text,said",
    [
        ("", "is empty"),
        ("{", "is cut short"),
        ("nonsense", "cannot be read"),
        ("{}", "holds no catalog"),
        ("3", "holds no catalog"),
        ('{"tools": 3}', "holds no catalog"),
        ('{"error": {"code": 1}}', "failed"),
        ('[{"name": "a", "name": "b"}]', "no single meaning"),
        ('[{"name": "a"}, {"name": "a", "title": "x"}]', "two tools are named"),
        ('<<<<<<< ours\n{"witnessmark": "lock/1"}', "conflict markers"),
    ],
)
def test_a_file_that_is_none_is_an_error(bench: Bench, text: str, said: str) -> None:
    (bench.folder / "a.json").write_text(text, encoding="utf-8")
    done = bench.says("diff", "a.json", "a.json")
    assert done.code == 2
    assert said in done.err
    assert "a.json" in done.err


def test_a_tool_without_a_name_never_passes(bench: Bench) -> None:
    (bench.folder / "a.json").write_text('[{"name": "a"}]', encoding="utf-8")
    (bench.folder / "b.json").write_text('[{"name": "a"}, {"name": 3}]', encoding="utf-8")
    done = bench.says("diff", "a.json", "b.json", "--fail-on", "lenient")
    assert done.code == 1
    assert "ambiguous-contract" in done.out


def test_lockfiles_revisions_servers_and_catalogs_compare_with_each_other(bench: Bench) -> None:
    bench.serves(*OLD)
    bench.locked()
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "-q"], ["add", "witnessmark.lock"], ["commit", "-q", "-m", "base"]):
        subprocess.run([*git, *words], cwd=bench.folder, check=True)
    bench.serves(*NEW)
    assert bench.says("approve", "--server", "tickets", "--yes").code == 0
    assert bench.says("diff", "HEAD:witnessmark.lock", "witnessmark.lock").code == 1
    assert bench.says("diff", "HEAD:witnessmark.lock", "HEAD:witnessmark.lock").code == 0
    assert bench.says("diff", "witnessmark.lock", "tickets").code == 0
    assert bench.says("diff", "witnessmark.lock", "catalog.json").code == 0
    assert bench.says("diff", "HEAD:witnessmark.lock", "catalog.json").code == 1
    assert bench.says("diff", "nowhere:witnessmark.lock", "catalog.json").code == 2
    assert bench.says("diff", "HEAD:other.lock", "catalog.json").code == 2


def test_several_servers_are_compared_by_name_and_one_is_chosen_by_option(bench: Bench) -> None:
    bench.serves(*OLD)
    bench.locked()
    (bench.folder / "one.lock").write_bytes(bench.lockfile.read_bytes())
    assert bench.says("lock", "--server", "other", *bench.dashes[2:]).code == 0
    done = bench.says("diff", "one.lock", "witnessmark.lock", "--format", "json")
    assert {each["server"]: each["verdict"] for each in json.loads(done.out)} == {"tickets": "same", "other": "drift"}
    assert bench.says("diff", "one.lock", "witnessmark.lock", "--server", "tickets").code == 0
    assert bench.says("diff", "witnessmark.lock", "catalog.json").code == 2
    assert bench.says("diff", "witnessmark.lock", "catalog.json", "--server", "other").code == 0
    assert bench.says("diff", "witnessmark.lock", "catalog.json", "--server", "nobody").code == 2


def test_a_secret_in_a_catalog_is_not_shown(bench: Bench) -> None:
    secret = "ghp_" + "a1B2" * 9
    (bench.folder / "a.json").write_text(json.dumps([tool("a", "Key.")]), encoding="utf-8")
    (bench.folder / "b.json").write_text(json.dumps([tool("a", f"Key {secret}.")]), encoding="utf-8")
    for form in ("text", "json", "sarif", "junit", "github", "markdown"):
        done = bench.says("diff", "a.json", "b.json", "--format", form)
        assert done.code == 1
        assert secret not in done.out


def test_standard_input_is_a_side_too(bench: Bench) -> None:
    (bench.folder / "a.json").write_text(json.dumps(OLD), encoding="utf-8")
    assert bench.says("diff", "a.json", "-", input_text=json.dumps(OLD)).code == 0


def test_a_server_that_nobody_knows_is_an_error(bench: Bench) -> None:
    done = bench.says("diff", "nobody", "nobody")
    assert done.code == 2
    assert "no server 'nobody'" in done.err
