"""`doctor`: what it finds, what it says to do, and what it never reads out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stored_evidence import write_run
from witnessmark.adapters.client_files import client_files, places, without_comments
from witnessmark.adapters.keys import KeyFile, keys_path
from witnessmark.cli.main import cli

SECRET = "canary-51c2-token"
ENTRY = {"command": "uvx", "args": ["mcp-server-git", "--token", SECRET], "env": {"TOKEN": SECRET}}
WATCHED = {"command": "witnessmark", "args": ["proxy", "--server", "git", "--", "uvx", "mcp-server-git"]}
REMOTE = {"type": "http", "url": f"https://example.org/mcp?key={SECRET}", "headers": {"Authorization": SECRET}}


def put(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of one user on Linux, the working directory in it, and no variable that moves a client's files."""
    folder = tmp_path / "home"
    (folder / "work").mkdir(parents=True)
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.chdir(folder / "work")
    return folder


def doctor(*words: str) -> Result:
    return CliRunner().invoke(cli, ["doctor", *words])


def checks(*words: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one["area"], one["subject"]): one for one in json.loads(doctor(*words, "--format", "json").stdout)["checks"]}


def test_a_fresh_machine_is_well_and_nothing_is_made_on_it(home: Path) -> None:
    done = doctor()
    assert done.exit_code == 0, done.output
    found = checks()
    assert found["program", "witnessmark"]["status"] == "ok"
    assert found["store", "file"]["status"] == "note"
    assert found["store", "hash key"]["status"] == "note"
    assert list(home.iterdir()) == [home / "work"]


def test_a_store_is_looked_at_without_change(home: Path) -> None:
    store = home / "e.sqlite"
    write_run(store, "r")
    KeyFile(keys_path(store)).active(1)
    before = store.read_bytes()
    found = checks("--store", str(store))
    assert {subject: one["status"] for (area, subject), one in found.items() if area == "store"} == {
        "place": "ok", "mode": "ok", "writable": "ok", "schema": "ok", "durability": "ok", "hash key": "ok",
    }  # fmt: skip
    assert store.read_bytes() == before


Spoil = Callable[[Path], object]


@pytest.mark.parametrize(
    "subject,spoil,words",
    [
        ("mode", lambda store: store.chmod(0o644), "chmod 600"),
        ("readable", lambda store: store.write_bytes(b"no database"), "keep the file for inspection"),
        ("hash key", lambda store: keys_path(store).chmod(0o644), "chmod 600"),
        ("hash key", lambda store: keys_path(store).write_text("{}"), "restore it from a backup"),
    ],
)
def test_what_must_be_mended_is_named_with_what_to_do(home: Path, subject: str, spoil: Spoil, words: str) -> None:
    store = home / "e.sqlite"
    write_run(store, "r")
    KeyFile(keys_path(store)).active(1)
    spoil(store)
    done = doctor("--store", str(store))
    assert done.exit_code == 1
    found = checks("--store", str(store))["store", subject]
    assert found["status"] == "bad"
    assert words in found["hint"]
    assert f"[x] {subject}: " in done.stdout


def test_a_store_that_can_never_be_is_named(home: Path) -> None:
    blocked = home / "file"
    blocked.write_text("")
    found = checks("--store", str(blocked / "e.sqlite"))
    assert found["store", "file"]["status"] == "bad"
    assert checks("--store", "mysql://host/x")["store", "place"]["status"] == "bad"


# --- clients ---------------------------------------------------------------------------------------------------------


def test_clients_and_their_servers_are_seen_and_no_value_of_theirs_is_read_out(home: Path) -> None:
    put(home / ".config" / "Claude" / "claude_desktop_config.json", {"mcpServers": {"git": ENTRY}})
    put(
        home / ".claude.json", {"mcpServers": {"git": WATCHED}, "projects": {"/w": {"mcpServers": {"time": ENTRY}}}, "oauthAccount": SECRET}
    )
    put(home / "work" / ".mcp.json", {"mcpServers": {"docs": REMOTE}})
    put(home / ".cursor" / "mcp.json", {"mcpServers": {}})
    put(
        home / ".config" / "Code" / "User" / "mcp.json",
        '{// editors allow this\n "servers": {"a": {"command": "x", /* and this */ "args": []},},}',
    )
    put(home / ".codeium" / "windsurf" / "mcp_config.json", {"mcpServers": {"w": {"serverUrl": f"https://{SECRET}"}}})
    put(home / ".codex" / "config.toml", f'[mcp_servers.git]\ncommand = "git-server"\n[mcp_servers.git.env]\nTOKEN = "{SECRET}"\n')
    put(home / ".gemini" / "settings.json", f'{{"mcpServers": {SECRET}')
    done = doctor()
    assert done.exit_code == 0
    found = {subject: one["found"].partition(": ")[2] for (area, subject), one in checks().items() if area == "clients"}
    assert found == {
        "Claude Desktop": "stdio, not watched: git",
        "Claude Code": "watched: git; stdio, not watched: time",
        "Claude Code (project)": "not stdio: docs",
        "Cursor": "names no server",
        "VS Code": "stdio, not watched: a",
        "Windsurf": "not stdio: w",
        "Codex": "stdio, not watched: git",
        "Gemini CLI": "is not JSON",
    }
    assert SECRET not in done.output
    assert SECRET not in doctor("--format", "json").output


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        "3",
        '{"mcpServers": []}',
        '{"mcpServers": {"a": 1}}',
        '{"projects": [1], "mcpServers": {"a": {"command": 3}}}',
        "",
        "\ufeff{}",
    ],
)
def test_a_configuration_of_another_shape_does_no_harm(home: Path, text: str) -> None:
    put(home / ".claude.json", text)
    assert doctor().exit_code == 0


def test_a_server_name_steers_no_terminal(home: Path) -> None:
    put(home / ".claude.json", {"mcpServers": {"git\x1b[2J\u202e": ENTRY}})
    assert "git\\u001b[2J\\u202e" in doctor().stdout


@pytest.mark.parametrize(
    "platform,place",
    [
        ("linux", "home/.config/Claude/claude_desktop_config.json"),
        ("darwin", "home/Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "home/AppData/Roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_each_platform_has_its_place(tmp_path: Path, platform: str, place: str) -> None:
    assert places(tmp_path / "home", tmp_path, {}, platform)[0].path == tmp_path / place


def test_variables_move_the_files_of_clients(tmp_path: Path) -> None:
    put(tmp_path / "codex" / "config.toml", '[mcp_servers.git]\ncommand = "x"\n')
    put(tmp_path / "claude" / ".claude.json", {"mcpServers": {}})
    environment = {"CODEX_HOME": str(tmp_path / "codex"), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    found = client_files(tmp_path / "home", tmp_path / "work", environment, "linux")
    assert [one.client for one in found] == ["Claude Code", "Codex"]


@pytest.mark.parametrize(
    "text,plain",
    [
        ('{"a": 1}', '{"a": 1}'),
        ('{"a": "// no comment, \\" /* nor this */"}', '{"a": "// no comment, \\" /* nor this */"}'),
        ('{"a": 1, // one\n}', '{"a": 1}'),
        ("[1, /* x */ ]", "[1]"),
        ('{"a": "open', '{"a": "open'),
        ("/* open", ""),
    ],
)
def test_comments_and_last_commas_are_taken_out(text: str, plain: str) -> None:
    assert without_comments(text) == plain
