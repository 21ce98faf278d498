"""`witnessmark init` says what is there, starts nothing unasked, and pins on confirmation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.contract_bench import Bench
from contract_server import command, tool


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    bench = Bench(tmp_path)
    bench.serves(tool("a"))
    program, *words = command(bench.catalog)
    entry = {"command": program, "args": words, "env": {"TOKEN": "canary-literal"}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"tickets": entry}}), encoding="utf-8")
    return bench


def test_without_a_word_nothing_is_started(bench: Bench) -> None:
    done = bench.says("init")
    assert done.code == 0
    assert "tickets" in done.out
    assert "witnessmark lock tickets" in done.out
    assert not (bench.folder / "started").exists()
    assert not bench.lockfile.exists()


def test_on_confirmation_it_pins_and_says_what_comes_next(bench: Bench) -> None:
    done = bench.says("init", "--yes")
    assert done.code == 0
    assert "trust on first use" in done.out
    assert "witnessmark check" in done.out
    assert list(bench.lock["servers"]) == ["tickets"]
    assert "canary-literal" not in done.out + bench.lockfile.read_text(encoding="utf-8")
    assert bench.says("check", "tickets").code == 0


def test_a_configuration_is_written_only_if_asked_and_holds_no_value(bench: Bench) -> None:
    bench.says("init")
    assert not (bench.folder / "witnessmark.toml").exists()
    bench.says("init", "--write-config")
    text = (bench.folder / "witnessmark.toml").read_text(encoding="utf-8")
    assert "canary-literal" not in text
    assert '"TOKEN" = "env:TOKEN"' in text
    (bench.folder / ".mcp.json").unlink()
    assert "tickets" in bench.says("servers").out
    before = text
    assert "is there already" in bench.says("init", "--write-config").err
    assert (bench.folder / "witnessmark.toml").read_text(encoding="utf-8") == before


def test_where_no_server_is_named_it_says_how_to_name_one(bench: Bench) -> None:
    (bench.folder / ".mcp.json").unlink()
    done = bench.says("init", "--yes")
    assert done.code == 0
    assert "witnessmark lock --server NAME --" in done.out
