"""`witnessmark wrap` shows, asks, keeps the old bytes and writes; `unwrap` gives them back. Nothing is lost, and no value is shown."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mcp import Client, StdioServerParameters

from docs.walk import SERVER
from witnessmark.adapters.wrap import files
from witnessmark.adapters.wrap.program import program_words
from witnessmark.cli.main import cli
from witnessmark.errors import UsageError

SECRET = "canary-c0de"
CURSOR = json.dumps(
    {
        "mcpServers": {
            "git": {"command": "uvx", "args": ["mcp-server-git", "--api-key", SECRET], "env": {"TOKEN": SECRET}, "headers": {"A": SECRET}},
            "docs": {"url": f"https://docs.example/mcp?key={SECRET}", "headers": {"Authorization": SECRET}},
            "off": {"command": "x", "disabled": True},
        }
    },
    indent=2,
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and an empty repository, in which the command stands."""
    for variable in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "OPENCODE_CONFIG", "CLINE_MCP_SETTINGS_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("WITNESSMARK_STORE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "home").mkdir()
    (tmp_path / "repo").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def backups(place: Path) -> list[Path]:
    return sorted((place / "state").rglob("client-files/*"))


def test_it_shows_what_it_would_do_and_writes_nothing_unasked(place: Path) -> None:
    file = put(place / "home/.cursor/mcp.json", CURSOR)
    for words, code in ((("wrap", "--dry-run"), 0), (("wrap",), 2)):
        done = run(*words)
        assert done.exit_code == code
        assert '+      "command": "' in done.stdout
        assert '-      "command": "uvx",' in done.stdout
        assert '"--server", "git", "--", "uvx",' in done.stdout
        assert "left alone: docs: is reached over HTTP" in done.stdout
        assert "left alone: off: is switched off" in done.stdout
        assert SECRET not in done.output
        assert file.read_text(encoding="utf-8") == CURSOR
    assert "--yes" in run("wrap").stderr
    assert backups(place) == []


def test_it_writes_keeps_the_old_bytes_and_gives_them_back(place: Path) -> None:
    file = put(place / "home/.cursor/mcp.json", CURSOR)
    file.chmod(0o640)
    done = run("wrap", "--yes")
    assert (done.exit_code, done.stderr) == (0, "")
    wrapped = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["git"]
    assert os.path.isabs(wrapped["command"])
    assert wrapped["args"] == ["proxy", "--server", "git", "--", "uvx", "mcp-server-git", "--api-key", SECRET]
    assert (wrapped["env"], stat.S_IMODE(file.stat().st_mode)) == ({"TOKEN": SECRET}, 0o640)
    (backup,) = backups(place)
    assert str(backup) in done.stdout
    assert (backup.read_text(encoding="utf-8"), stat.S_IMODE(backup.stat().st_mode)) == (CURSOR, 0o600)
    assert "git  stdio  uvx and 3 arguments  [not locked; watched]" in run("servers").stdout

    before = file.stat()
    again = run("wrap", "--yes")
    assert "already goes through witnessmark proxy" in again.stdout
    assert "nothing to change" in again.stdout
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    assert run("unwrap", "--yes").exit_code == 0
    assert file.read_text(encoding="utf-8") == CURSOR
    assert "nothing to change" in run("unwrap", "--yes").stdout
    assert SECRET not in done.output + again.output


def test_a_client_is_named_as_servers_shows_it_or_by_its_file(place: Path) -> None:
    cursor = put(place / "home/.cursor/mcp.json", CURSOR)
    codex = put(place / "home/.codex/config.toml", '[mcp_servers.s]\ncommand = "srv"\n')
    for word in ("Codex", "codex", str(codex)):
        assert run("wrap", word, "--yes").exit_code == 0
        assert '["proxy", "--server=s", "--", "srv"]' in codex.read_text(encoding="utf-8")
        assert run("unwrap", word, "--yes").exit_code == 0
    assert cursor.read_text(encoding="utf-8") == CURSOR
    unknown = run("wrap", "kursor", "--yes")
    assert (unknown.exit_code, "one of: cursor, codex" in unknown.stderr) == (2, True)
    assert "no configuration file here" in run("wrap", "zed", "--yes").stderr


def test_a_projects_file_is_rewritten_only_when_it_is_named(place: Path) -> None:
    text = '{"mcpServers": {"s": {"command": "srv", "args": []}}}'
    file = put(place / "repo/.mcp.json", text)
    done = run("wrap", "--yes")
    assert "name it: witnessmark wrap claude-code-project" in done.stdout
    assert file.read_text(encoding="utf-8") == text
    assert run("wrap", ".mcp.json", "--yes").exit_code == 0
    assert file.read_text(encoding="utf-8") != text
    assert run("unwrap", "claude-code-project", "--yes").exit_code == 0
    assert file.read_text(encoding="utf-8") == text


def test_in_the_home_directory_a_file_is_the_users_own_and_is_shown_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(place / "home/.cursor/mcp.json", CURSOR)
    monkeypatch.chdir(place / "home")
    done = run("wrap", "--yes")
    assert (done.exit_code, done.stdout.count("mcp.json: "), done.stdout.count("Cursor")) == (0, 0, 2)
    assert "name it" not in done.stdout


def test_where_the_old_bytes_cannot_be_kept_nothing_is_written(place: Path) -> None:
    file = put(place / "home/.cursor/mcp.json", CURSOR)
    put(place / "state", "no directory")
    done = run("wrap", "--yes")
    assert (done.exit_code, "the old file could not be kept" in done.stderr) == (2, True)
    assert file.read_text(encoding="utf-8") == CURSOR


def test_of_a_symbolic_link_the_target_is_written(place: Path) -> None:
    target = put(place / "dotfiles/cursor.json", CURSOR)
    link = place / "home/.cursor/mcp.json"
    link.parent.mkdir()
    link.symlink_to(target)
    assert run("wrap", "--yes").exit_code == 0
    assert link.is_symlink()
    assert "proxy" in target.read_text(encoding="utf-8")


def test_a_file_that_another_program_changed_between_showing_and_writing_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(place / "home/.cursor/mcp.json", CURSOR)
    other = '{"mcpServers": {}, "theirs": true}'
    plan = files.plan

    def planned(*words: Any) -> Any:
        found = plan(*words)
        file.write_text(other, encoding="utf-8")
        return found

    monkeypatch.setattr(files, "plan", planned)
    done = run("wrap", "--yes")
    assert (done.exit_code, "changed by another program meanwhile" in done.stderr) == (2, True)
    assert file.read_text(encoding="utf-8") == other


@pytest.mark.parametrize(
    "content,problem",
    [
        ('<<<<<<< HEAD\n{"mcpServers": {}}\n=======\n', "is not JSON"),
        ('{"mcpServers": {"s": {"command": "' + SECRET, "is not JSON"),
        ("\ud800", "is not UTF-8"),
        (" " * ((16 << 20) + 1), "is larger than 16 MiB"),
    ],
)
def test_a_broken_file_is_named_and_keeps_no_other_from_being_wrapped(place: Path, content: str, problem: str) -> None:
    broken = place / "home/.cursor/mcp.json"
    broken.parent.mkdir()
    broken.write_bytes(content.encode("utf-8", "surrogatepass"))
    codex = put(place / "home/.codex/config.toml", '[mcp_servers.s]\ncommand = "srv"\n')
    done = run("wrap", "--yes")
    assert (done.exit_code, f"mcp.json: {problem}; it is as it was" in done.stderr) == (2, True)
    assert "proxy" in codex.read_text(encoding="utf-8")
    assert broken.read_bytes() == content.encode("utf-8", "surrogatepass")
    assert SECRET not in done.output
    assert "Traceback" not in done.output


def test_a_read_only_file_is_not_replaced_and_a_directory_is_no_file(place: Path) -> None:
    file = put(place / "home/.cursor/mcp.json", CURSOR)
    file.chmod(0o444)
    (place / "home/.codex/config.toml").mkdir(parents=True)
    done = run("wrap", "--yes")
    assert (done.exit_code, "is read-only; it is as it was" in done.stderr) == (2, True)
    assert file.read_text(encoding="utf-8") == CURSOR
    assert backups(place) == []


def test_where_there_is_no_file_that_is_said(place: Path) -> None:
    assert "no configuration file of a client was found" in run("wrap").stdout


def test_a_store_is_written_into_the_entry_and_a_password_is_not(place: Path) -> None:
    file = put(place / "home/.codex/config.toml", '[mcp_servers.s]\ncommand = "srv"\n')
    done = run("wrap", "--yes", "--store", f"postgresql://me:{SECRET}@h/db")
    assert (done.exit_code, SECRET in done.output) == (2, False)
    assert run("wrap", "--yes", "--store", "evidence.sqlite").exit_code == 0
    assert f'"--store", "{place}/repo/evidence.sqlite"' in file.read_text(encoding="utf-8")
    assert run("unwrap", "--yes").exit_code == 0
    assert file.read_text(encoding="utf-8") == '[mcp_servers.s]\ncommand = "srv"\n'


def test_an_environment_that_is_cleared_away_is_not_written_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = put(tmp_path / "uv/archive-v0/x/bin/witnessmark", "")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program.parent / "python"))
    with pytest.raises(UsageError, match="cleared away"):
        program_words()


def test_a_wrapped_entry_is_started_by_a_real_client_and_its_run_is_stored(place: Path) -> None:
    server = put(place / "repo/server.py", SERVER.replace("TOOL", "write_note").replace("SERVER", "notes"))
    put(place / "repo/.mcp.json", json.dumps({"mcpServers": {"notes": {"command": sys.executable, "args": [str(server)], "env": {}}}}))
    assert run("wrap", "claude-code-project", "--yes").exit_code == 0
    entry = json.loads((place / "repo/.mcp.json").read_text(encoding="utf-8"))["mcpServers"]["notes"]
    environment = {"HOME": str(place / "home"), "XDG_STATE_HOME": str(place / "state")}

    async def work() -> list[str]:
        async with Client(StdioServerParameters(command=entry["command"], args=entry["args"], env=environment, cwd=place)) as client:
            tools = await client.list_tools()
            await client.call_tool("write_note", {"text": "5"})
            return [tool.name for tool in tools.tools]

    assert asyncio.run(work()) == ["write_note"]
    assert (place / "note.md").read_text(encoding="utf-8") == "5"
    runs = run("runs")
    assert (runs.exit_code, "notes" in runs.stdout) == (0, True)
    assert "write_note" in run("show", "last").stdout
