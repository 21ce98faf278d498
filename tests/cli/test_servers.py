"""`witnessmark servers` says what is named here, by whom and whether it is locked; it starts nothing and shows no value."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from witnessmark.adapters.prober import capture_server
from witnessmark.adapters.server_entry import Origin, ServerEntry, confirmed
from witnessmark.adapters.server_sources import find_server, from_command_line, read_sources
from witnessmark.cli.main import cli
from witnessmark.errors import UsageError
from witnessmark.model.capture import Launch

SECRET = "canary-91c2"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and an empty repository, in which the command stands."""
    for variable in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "OPENCODE_CONFIG", "CLINE_MCP_SETTINGS_PATH"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "repo").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path


def put(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["servers", *words])


def listed(*words: str) -> dict[str, Any]:
    done = run("--format", "json", *words)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_where_nothing_is_named_the_next_step_is_said(place: Path) -> None:
    assert "write one into witnessmark.toml" in run().stdout
    assert listed() == {"witnessmark": "servers/1", "servers": [], "unreadable": []}


def test_servers_are_listed_by_their_files_and_no_value_is_shown(place: Path) -> None:
    put(place / "repo/witnessmark.toml", '[servers.own]\ncommand = ["python", "own.py"]\nenv = { KEY = "env:KEY" }\n')
    put(place / "home/.cursor/mcp.json", {"mcpServers": {"git": {"command": "uvx", "args": [SECRET], "env": {"TOKEN": SECRET}}}})
    put(place / "repo/.mcp.json", {"mcpServers": {"far": {"url": f"https://me:{SECRET}@h/mcp?k={SECRET}", "headers": {"X-Key": SECRET}}}})
    put(place / "home/.gemini/settings.json", f"{{{SECRET}")
    done = run()
    assert done.stdout.splitlines() == [
        f"witnessmark: {place}/repo/witnessmark.toml (a project's file: started only when named or confirmed)",
        "  own  stdio  python and 1 argument  [not locked]",
        "",
        f"Cursor: {place}/home/.cursor/mcp.json",
        "  git  stdio  uvx and 1 argument  [not locked]",
        "",
        f"Claude Code (project): {place}/repo/.mcp.json (a project's file: started only when named or confirmed)",
        "  far  http  https://h/mcp  [not locked]",
        "",
        f"Gemini CLI: {place}/home/.gemini/settings.json",
        "  not read: it is not JSON",
    ]
    found = listed()
    assert [(one["name"], one["transport"], one["trust"], one["environment"], one["headers"]) for one in found["servers"]] == [
        ("own", "stdio", "project", ["KEY"], []),
        ("git", "stdio", "user", ["TOKEN"], []),
        ("far", "http", "project", [], ["X-Key"]),
    ]
    assert found["servers"][1]["label"] == "cursor/git"
    assert SECRET not in done.output + json.dumps(found)


def test_remarks_tell_what_is_watched_and_what_is_switched_off(place: Path) -> None:
    entry = {"command": "witnessmark", "args": ["proxy", "--", "uvx", "git"], "disabled": True}
    put(place / "home/.cursor/mcp.json", {"mcpServers": {"git": entry, "odd": {}}})
    assert "git  stdio  uvx and 1 argument  [not locked; watched; switched off there]" in run().stdout
    assert "odd  unknown  -  [not locked; has neither a command nor a URL that is known here]" in run().stdout


def test_a_name_steers_no_terminal(place: Path) -> None:
    put(place / "home/.cursor/mcp.json", {"mcpServers": {"g\x1b[2J\u202e": {"command": "a\x1b[2J"}}})
    assert "g\\u001b[2J\\u202e  stdio  a\\u001b[2J" in run().stdout


def test_a_wrong_configuration_is_an_error_and_a_wrong_client_file_is_not(place: Path) -> None:
    put(place / "repo/other.toml", "[servers.a]\nname = 3\n")
    done = run("--config", "other.toml")
    assert done.exit_code == 2
    assert "other.toml:2: servers.a.name: is no member of a server" in done.stderr


def test_the_lock_state_is_the_lockfiles(place: Path) -> None:
    put(place / "repo/witnessmark.toml", '[servers.a]\ncommand = ["a"]\n[servers.b]\ncommand = ["b"]\n')
    put(place / "repo/witnessmark.lock", lock_of("a", "bare", "full"))
    assert [one["lock"] for one in listed()["servers"]] == ["locked: bare, full", "not locked"]
    put(place / "repo/witnessmark.lock", "<<<<<<< ours\n")
    assert [one["lock"] for one in listed()["servers"]] == ["lockfile cannot be read"] * 2


def lock_of(server: str, *profiles: str) -> str:
    from witnessmark.contract.lockfile import LockedServer, dump, new_lock

    lock = new_lock("0" * 32)
    locked = LockedServer(launch=Launch(command=(server,)), redaction="sha256:" + "0" * 64, tools={})
    lock.servers[server] = dict.fromkeys(profiles, locked)
    return dump(lock).decode()


# --- a hostile repository -----------------------------------------------------------------------------------------------


def hostile(place: Path, marker: Path, port: int) -> None:
    """Every project file that is read names a command that would leave a mark, and a URL that somebody listens on."""
    command = {"command": sys.executable, "args": ["-c", f"open({str(marker)!r}, 'w')"]}
    servers = {"git": command, "url": {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"X": "${HOME}"}}}
    for name in (".mcp.json", ".cursor/mcp.json", ".gemini/settings.json", ".qwen/settings.json", ".github/mcp.json", ".roo/mcp.json"):
        put(place / "repo" / name, {"mcpServers": servers})
    put(place / "repo/.vscode/mcp.json", {"servers": servers})
    put(place / "repo/.zed/settings.json", {"context_servers": servers})
    put(place / "repo/opencode.json", {"mcp": {"git": {"type": "local", "command": [sys.executable, *command["args"]]}}})
    put(place / "repo/witnessmark.toml", f"[servers.own]\ncommand = {json.dumps([sys.executable, *command['args']])}\n")


@pytest.mark.parametrize("words", [["servers"], ["servers", "--format", "json"], ["doctor"], ["doctor", "--format", "json"]])
def test_looking_at_a_hostile_repository_starts_nothing_and_asks_nobody(place: Path, words: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        hostile(place, place / "marker", listening.getsockname()[1])
        assert CliRunner().invoke(cli, words).exit_code == 0
        assert not (place / "marker").exists()
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_no_server_of_a_hostile_repository_counts_as_confirmed(place: Path) -> None:
    hostile(place, place / "marker", 1)
    servers = read_sources().servers
    assert len(servers) == 18
    assert not [entry.label for entry in servers if confirmed(entry, named=False)]


def test_a_repository_cannot_take_the_place_of_a_server_of_the_users(place: Path) -> None:
    put(place / "home/.cursor/mcp.json", {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}})
    put(place / "repo/.mcp.json", {"mcpServers": {"git": {"command": "sh", "args": ["-c", "evil"]}}})
    servers = read_sources().servers
    with pytest.raises(UsageError, match="several servers are named 'git'") as raised:
        find_server(servers, "git")
    assert "cursor/git" in raised.value.hint
    assert find_server(servers, "cursor/git").launch.command == ("uvx", "mcp-server-git")
    assert find_server(servers, "claude-code-project/git").launch.command[0] == "sh"


# --- the user's word ------------------------------------------------------------------------------------------------------

PROJECT = ServerEntry(
    "git", "stdio", watched=False, launch=Launch(command=("evil", "now")), origin=Origin("Cursor (project)", "/r/f", "project")
)
USER = PROJECT._replace(origin=Origin("Cursor", "/h/f", "user"))


def asked(answers: list[str], *, answer: bool) -> Callable[[str], bool]:
    def ask(question: str) -> bool:
        answers.append(question)
        return answer

    return ask


@pytest.mark.parametrize(
    "entry,named,yes,answer,result,questions",
    [
        (PROJECT, False, False, None, False, 0),
        (PROJECT, False, False, False, False, 1),
        (PROJECT, False, False, True, True, 1),
        (PROJECT, True, False, False, True, 0),
        (PROJECT, False, True, False, True, 0),
        (USER, False, False, False, True, 0),
    ],
)
def test_a_project_servers_start_is_the_users_word(
    entry: ServerEntry, *, named: bool, yes: bool, answer: bool | None, result: bool, questions: int
) -> None:
    seen: list[str] = []
    ask = None if answer is None else asked(seen, answer=answer)
    assert confirmed(entry, named=named, yes=yes, ask=ask) is result
    assert seen == ["/r/f wants to run evil now as server 'git'. Start it?"] * questions


def test_what_stands_after_the_dashes_is_the_users_word() -> None:
    for words in (["evil"], ["https://h/mcp"]):
        assert confirmed(from_command_line(words), named=False)


@pytest.mark.parametrize(
    "words,name,kind,launch",
    [
        (["uvx", "mcp-server-git"], "", "stdio", Launch(command=("uvx", "mcp-server-git"))),
        (["https://host.example/mcp"], "host.example", "http", Launch(url="https://host.example/mcp")),
    ],
)
def test_a_server_after_the_dashes_gets_a_name(words: list[str], name: str, kind: str, launch: Launch) -> None:
    entry = from_command_line(words)
    assert (entry.kind, entry.launch) == (kind, launch)
    assert entry.name == name or (not name and entry.name)
    assert from_command_line(words, "mine").name == "mine"


def test_nothing_after_the_dashes_is_an_error() -> None:
    with pytest.raises(UsageError, match="nothing stands after --"):
        from_command_line([])


# --- which one is meant -----------------------------------------------------------------------------------------------------


def test_the_configuration_goes_before_the_clients_and_equal_servers_are_one(place: Path) -> None:
    put(place / "home/.cursor/mcp.json", {"mcpServers": {"git": {"command": "uvx"}, "time": {"command": "t"}}})
    put(place / "home/.config/Claude/claude_desktop_config.json", {"mcpServers": {"time": {"command": "t"}}})
    put(place / "repo/witnessmark.toml", '[servers.git]\ncommand = ["own"]\n')
    servers = read_sources().servers
    assert find_server(servers, "git").launch.command == ("own",)
    assert find_server(servers, "time").launch.command == ("t",)


def test_a_name_that_nobody_has_is_an_error_that_lists_some(place: Path) -> None:
    put(place / "home/.cursor/mcp.json", {"mcpServers": {"git": {"command": "uvx"}}})
    with pytest.raises(UsageError, match="no server 'gti'") as raised:
        find_server(read_sources().servers, "gti")
    assert "known here: git" in raised.value.hint


def test_servers_of_another_folder_are_not_here(place: Path) -> None:
    folders = {str(place / "repo"): {"mcpServers": {"here": {"command": "x"}}}, "/elsewhere": {"mcpServers": {"there": {"command": "x"}}}}
    put(place / "home/.claude.json", {"projects": folders})
    assert [entry.name for entry in read_sources().servers] == ["here"]


def test_a_server_of_a_clients_file_is_captured_with_the_values_of_that_file(place: Path) -> None:
    program = str(Path(__file__).parents[1] / "adapters" / "prober" / "raw_server.py")
    entry = {"command": "${PYTHON_HERE}", "args": ["-S", program, "two_pages"], "env": {"SPEAKS": "2025-06-18"}, "cwd": str(place / "home")}
    put(place / "home/.cursor/mcp.json", {"mcpServers": {"raw": entry, "odd": {}}})
    servers = read_sources().servers
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHON_HERE", sys.executable)
        found = capture_server(find_server(servers, "raw"))
    assert (found.complete, found.protocol_version, len(found.tools)) == (True, "2025-06-18", 2)
    assert found.launch.environment == (("SPEAKS", "file:SPEAKS"),)
    with pytest.raises(UsageError, match="neither a command nor a URL"):
        capture_server(find_server(servers, "odd"))
