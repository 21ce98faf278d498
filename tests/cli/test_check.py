"""`witnessmark check` names every change, is never green without proof, and starts nothing that nobody named."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.contract_bench import Bench
from contract_server import command, tool, write

BASE = (tool("search", "Finds at most 10.", query={"type": "string"}), tool("close"))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    bench = Bench(tmp_path)
    bench.serves(*BASE, instructions="Be kind.")
    bench.locked()
    return bench


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words], cwd=folder, check=True, capture_output=True)


def test_an_unchanged_server_is_same_and_exits_0(bench: Bench) -> None:
    done = bench.says("check", "tickets")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("same  tickets (full) against witnessmark.lock\n")


def renamed() -> dict[str, Any]:
    return {"tools": (tool("search", "Finds at most 10.", q={"type": "string"}), BASE[1])}


@pytest.mark.parametrize(
    "change,kind,grade",
    [
        (renamed(), "param-renamed-open", "silent"),
        ({"tools": BASE[:1]}, "tool-removed", "loud"),
        ({"tools": (*BASE, tool("erase"))}, "tool-added", "none"),
        ({"tools": (tool("search", "Finds at most 50.", query={"type": "string"}), BASE[1])}, "description-tool", None),
        ({"tools": BASE, "instructions": "Be cruel."}, "instructions-changed", "none"),
    ],
)
def test_drift_is_named_and_exits_1(bench: Bench, change: dict[str, Any], kind: str, grade: str | None) -> None:
    members = {"instructions": "Be kind.", **change}
    bench.serves(*members.pop("tools"), **members)
    found = bench.difference()
    assert found["verdict"] == "drift"
    assert kind in {each["kind"] for each in found["changes"]}
    if grade is not None:
        assert {each["old_caller"] for each in found["changes"] if each["kind"] == kind} == {grade}
    assert bench.says("check", "tickets").code == 1


def test_a_reverted_change_unblocks(bench: Bench) -> None:
    bench.serves(*BASE[:1], instructions="Be kind.")
    assert bench.says("check", "tickets").code == 1
    bench.serves(*BASE, instructions="Be kind.")
    assert bench.says("check", "tickets").code == 0


@pytest.mark.parametrize(
    "members",
    [
        {"tools": BASE[::-1]},
        {"tools": BASE, "page_size": 1},
        {"tools": BASE, "version": "2"},
        {"tools": tuple({**each, "_meta": {"a": 1}, "icons": []} for each in BASE)},
        {"tools": tuple(dict(reversed(each.items())) for each in BASE)},
    ],
    ids=["order of tools", "page cuts", "version", "outside the contract", "order of members"],
)
def test_what_means_the_same_is_green_at_strict(bench: Bench, members: dict[str, Any]) -> None:
    bench.serves(*members.pop("tools"), instructions="Be kind.", **members)
    assert bench.difference()["verdict"] in {"same", "cosmetic"}
    assert bench.says("check", "--fail-on", "strict", "tickets").code == 0


def test_the_changed_words_are_marked_and_hidden_characters_escaped(bench: Bench) -> None:
    bench.serves(tool("search", "Finds at most 50\u200b.", query={"type": "string"}), BASE[1], instructions="Be kind.")
    out = bench.says("check", "tickets").out
    assert "Finds at most [-10-]{+50" in out
    assert "\u200b" not in out
    assert "\\u200b" in out


def test_identical_edits_are_shown_once_with_their_count(bench: Bench) -> None:
    many = [tool(f"t{number}", "Old.", x={"type": "string", "description": "at most 10"}) for number in range(12)]
    bench.serves(*many)
    assert bench.says("lock", "--replace", *bench.dashes).code == 0
    bench.serves(*(tool(each["name"], "Old.", x={"type": "string", "description": "at most 20"}) for each in many))
    out = bench.says("check", "tickets").out
    assert out.count("at most [-10-]{+20+}") == 1
    assert "(12 tools)" in out


@pytest.mark.parametrize("members", [{"fail_page": 1, "page_size": 1}, {"endless": True}], ids=["failing page", "endless"])
def test_a_catalog_that_was_not_seen_whole_is_incomplete_and_exits_3(bench: Bench, members: dict[str, Any]) -> None:
    bench.serves(*BASE, instructions="Be kind.", **members)
    found = bench.difference()
    assert (found["verdict"], found["complete"], found["changes"]) == ("incomplete", False, [])
    assert found["reason"]
    assert bench.says("check", "tickets").code == 3


def test_a_changed_command_is_drift_too(bench: Bench) -> None:
    done = bench.says("check", "--format", "json", "--fail-on", "lenient", *bench.dashes, "--other")
    (change,) = json.loads(done.out)["changes"]
    assert (change["kind"], done.code) == ("launch-changed", 1)


def test_a_server_without_a_lock_exits_3_and_is_not_started(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARTED", str(bench.folder / "started"))
    done = bench.says("check", "--server", "other", *bench.dashes[2:])
    assert done.code == 3
    assert "unpinned" in done.out
    assert not (bench.folder / "started").exists()


def test_without_a_lockfile_nothing_is_green(bench: Bench) -> None:
    bench.lockfile.unlink()
    assert bench.says("check", *bench.dashes).code == 3
    assert bench.says("check").code == 2


def test_a_hostile_repository_starts_nothing_unasked(bench: Bench) -> None:
    wish = {"mcpServers": {"evil": {"command": "touch", "args": [str(bench.folder / "started")]}}}
    (bench.folder / ".mcp.json").write_text(json.dumps(wish), encoding="utf-8")
    (bench.folder / "witnessmark.toml").write_text(f'[servers.evil]\ncommand = ["touch", "{bench.folder}/started"]\n', encoding="utf-8")
    for words in (["check"], ["lock"], ["init"], ["approve", "--yes"]):
        done = bench.says(*words)
        assert done.code in {0, 2}, words
        assert not (bench.folder / "started").exists(), words
    assert "nobody confirmed it" in bench.says("check").err


def test_a_lockfile_is_somebody_elses_wish_until_its_server_is_named(bench: Bench) -> None:
    assert bench.says("check").code == 2
    assert bench.says("check", "tickets").code == 0
    assert bench.says("check", "--yes").code == 0


def test_several_servers_are_an_array_and_the_worst_is_the_exit_code(bench: Bench) -> None:
    other = bench.folder / "other.json"
    write(other, tool("a"))
    assert bench.says("lock", "--server", "other", "--", *command(other)).code == 0
    write(other, tool("b"))
    done = bench.says("check", "--yes", "--format", "json")
    assert {each["server"]: each["verdict"] for each in json.loads(done.out)} == {"tickets": "same", "other": "drift"}
    assert done.code == 1


def test_one_server_that_cannot_start_does_not_hide_the_others(bench: Bench) -> None:
    (bench.folder / "witnessmark.toml").write_text('[servers.gone]\ncommand = ["no-such-program-here"]\n', encoding="utf-8")
    text = bench.lockfile.read_text(encoding="utf-8")
    held = json.loads(text)
    held["servers"]["gone"] = held["servers"]["tickets"]
    bench.lockfile.write_text(json.dumps(held), encoding="utf-8")
    done = bench.says("check", "--yes")
    assert done.code == 2
    assert "no-such-program-here" in done.err
    assert "same  tickets" in done.out


def test_a_change_cannot_approve_itself(bench: Bench) -> None:
    git(bench.folder, "init", "-q")
    git(bench.folder, "add", "witnessmark.lock")
    git(bench.folder, "commit", "-q", "-m", "base")
    bench.serves(*BASE[:1], instructions="Be kind.")
    assert bench.says("approve", "--server", "tickets", "--yes").code == 0
    assert bench.says("check", "tickets").code == 0
    done = bench.says("check", "--lockfile-from", "HEAD", "tickets")
    assert done.code == 1
    assert "against HEAD:witnessmark.lock" in done.out


@pytest.mark.parametrize("revision,text", [("no-such-revision", "no git revision here"), ("--output=x", "no git revision")])
def test_a_revision_that_is_none_is_an_error(bench: Bench, revision: str, text: str) -> None:
    git(bench.folder, "init", "-q")
    done = bench.says("check", f"--lockfile-from={revision}", "tickets")
    assert done.code == 2
    assert text in done.err


def test_a_base_without_a_lockfile_is_not_proved(bench: Bench) -> None:
    git(bench.folder, "init", "-q")
    git(bench.folder, "commit", "-q", "--allow-empty", "-m", "base")
    assert bench.says("check", "--lockfile-from", "HEAD", *bench.dashes).code == 3


def test_other_redaction_rules_are_never_compared(bench: Bench) -> None:
    (bench.folder / "witnessmark.toml").write_text('redact = ["acct-[0-9]+"]\n', encoding="utf-8")
    done = bench.says("check", "tickets")
    assert done.code == 3
    assert "other redaction rules" in done.out
    assert bench.says("lock", "--replace", "tickets").code == 0
    assert bench.says("check", "tickets").code == 0


def test_a_change_behind_a_placeholder_is_still_drift(bench: Bench) -> None:
    one, other = ("ghp_" + word * 9 for word in ("a1B2", "c3D4"))
    bench.serves(tool("search", f"Key {one}."))
    assert bench.says("lock", "--replace", *bench.dashes).code == 0
    bench.serves(tool("search", f"Key {other}."))
    done = bench.says("check", "tickets")
    assert done.code == 1
    assert one not in done.out
    assert other not in done.out
