"""What a client's file says becomes one shape: how a server is started or reached; values are held and never shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from witnessmark.adapters.client_files import ClientFile, client_files
from witnessmark.adapters.client_files_text import MAX_YAML_BYTES
from witnessmark.adapters.server_entry import ServerEntry
from witnessmark.errors import UsageError
from witnessmark.model.capture import Launch

SECRET = "canary-7f3a"


def found(tmp_path: Path, place: str, content: object, platform: str = "linux", **environment: str) -> ClientFile:
    """The one file that is found when `content` lies at `place` below home or work."""
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    files = client_files(tmp_path / "home", tmp_path / "work", environment, platform)
    files = [file for file in files if tmp_path in file.path.parents]  # not the machine's own
    assert len(files) == 1
    return files[0]


def only(file: ClientFile) -> ServerEntry:
    assert (file.problem, len(file.servers)) == ("", 1)
    return file.servers[0]


STDIO = {"command": "npx", "args": ["-y", "srv"], "env": {"TOKEN": SECRET}}
COMMAND = Launch(command=("npx", "-y", "srv"), environment=(("TOKEN", "file:TOKEN"),))
REMOTE = Launch(url="https://h/mcp", headers=(("Authorization", "file:Authorization"),))
HEADERS = {"Authorization": SECRET}

GOOSE = """
extensions:
  s:
    enabled: true
    type: stdio
    name: s
    cmd: npx
    args: [-y, srv]
    envs: {TOKEN: canary-7f3a}
  developer: {type: builtin, enabled: true, name: developer}
"""
GOOSE_URL = "extensions:\n  s: {type: streamable_http, uri: 'https://h/mcp', headers: {Authorization: canary-7f3a}}\n"
CONTINUE = "name: mine\nmcpServers:\n  - name: s\n    command: npx\n    args: [-y, srv]\n    env: {TOKEN: canary-7f3a}\n"
CONTINUE_URL = """
mcpServers:
  - name: s
    type: streamable-http
    url: https://h/mcp
    requestOptions: {headers: {Authorization: canary-7f3a}}
"""
CODEX = '[mcp_servers.s]\ncommand = "npx"\nargs = ["-y", "srv"]\n[mcp_servers.s.env]\nTOKEN = "canary-7f3a"\n'
LIBRECHAT = "version: 1.2.1\nmcpServers:\n  s:\n    type: stdio\n    command: npx\n    args: [-y, srv]\n    env: {TOKEN: canary-7f3a}\n"


@pytest.mark.parametrize(
    "place,client,content,launch",
    [
        ("home/.config/Claude/claude_desktop_config.json", "Claude Desktop", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("home/.claude.json", "Claude Code", {"mcpServers": {"s": {"type": "stdio", **STDIO}}}, COMMAND),
        ("home/.claude.json", "Claude Code", {"mcpServers": {"s": {"type": "http", "url": "https://h/mcp", "headers": HEADERS}}}, REMOTE),
        ("work/.mcp.json", "Claude Code (project)", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("home/.cursor/mcp.json", "Cursor", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("work/.cursor/mcp.json", "Cursor (project)", {"mcpServers": {"s": {"url": "https://h/mcp", "headers": HEADERS}}}, REMOTE),
        ("home/.config/Code/User/mcp.json", "VS Code", {"servers": {"s": STDIO}, "inputs": []}, COMMAND),
        ("home/.config/Code/User/profiles/p1/mcp.json", "VS Code (profile)", {"servers": {"s": STDIO}}, COMMAND),
        (
            "work/.vscode/mcp.json",
            "VS Code (project)",
            {"servers": {"s": {"type": "http", "url": "https://h/mcp", "headers": HEADERS}}},
            REMOTE,
        ),
        (
            "home/.codeium/windsurf/mcp_config.json",
            "Windsurf",
            {"mcpServers": {"s": {"serverUrl": "https://h/mcp", "headers": HEADERS}}},
            REMOTE,
        ),
        ("home/.codex/config.toml", "Codex", CODEX, COMMAND),
        ("work/.codex/config.toml", "Codex (project)", CODEX, COMMAND),
        (
            "home/.codex/config.toml",
            "Codex",
            '[mcp_servers.s]\nurl = "https://h/mcp"\nbearer_token_env_var = "T"\nenv_http_headers = { X-Team = "TEAM" }\n',
            Launch(url="https://h/mcp", headers=(("X-Team", "env:TEAM"), ("Authorization", "Bearer env:T"))),
        ),
        (
            "home/.codex/config.toml",
            "Codex",
            '[mcp_servers.s]\ncommand = "srv"\nenv_vars = ["KEY"]\n',
            Launch(command=("srv",), environment=(("KEY", "env:KEY"),)),
        ),
        ("home/.gemini/settings.json", "Gemini CLI", {"mcpServers": {"s": {"httpUrl": "https://h/mcp", "headers": HEADERS}}}, REMOTE),
        ("work/.gemini/settings.json", "Gemini CLI (project)", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("home/.qwen/settings.json", "Qwen Code", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("home/.copilot/mcp-config.json", "Copilot CLI", {"mcpServers": {"s": {"type": "local", "tools": ["*"], **STDIO}}}, COMMAND),
        ("home/.cline/data/settings/cline_mcp_settings.json", "Cline", {"mcpServers": {"s": STDIO}}, COMMAND),
        (
            "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "Cline (VS Code)",
            {"mcpServers": {"s": STDIO}},
            COMMAND,
        ),
        (
            "home/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            "Roo Code",
            {"mcpServers": {"s": {"type": "streamable-http", "url": "https://h/mcp", "headers": HEADERS}}},
            REMOTE,
        ),
        ("work/.roo/mcp.json", "Roo Code (project)", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("home/.config/goose/config.yaml", "Goose", GOOSE, COMMAND),
        ("home/.config/goose/config.yaml", "Goose", GOOSE_URL, REMOTE),
        ("home/.config/zed/settings.json", "Zed", {"context_servers": {"s": STDIO}}, COMMAND),
        (
            "home/.config/zed/settings.json",
            "Zed",
            {"context_servers": {"s": {"source": "custom", "command": {"path": "npx", "args": ["-y", "srv"], "env": {"TOKEN": SECRET}}}}},
            COMMAND,
        ),
        ("work/.zed/settings.json", "Zed (project)", {"context_servers": {"s": STDIO}}, COMMAND),
        (
            "home/.config/opencode/opencode.json",
            "OpenCode",
            {"mcp": {"s": {"type": "local", "command": ["npx", "-y", "srv"], "environment": {"TOKEN": SECRET}, "enabled": True}}},
            COMMAND,
        ),
        (
            "work/opencode.jsonc",
            "OpenCode (project)",
            {"mcp": {"servers": {"s": {"type": "remote", "url": "https://h/mcp", "headers": HEADERS}}}},
            REMOTE,
        ),
        ("work/librechat.yaml", "LibreChat", LIBRECHAT, COMMAND),
        ("home/.continue/config.yaml", "Continue", CONTINUE, COMMAND),
        ("home/.continue/config.yaml", "Continue", CONTINUE_URL, REMOTE),
        ("work/.continue/mcpServers/one.yaml", "Continue (project)", CONTINUE, COMMAND),
        ("home/.continue/mcpServers/one.json", "Continue", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("home/.junie/mcp/mcp.json", "JetBrains Junie", {"mcpServers": {"s": STDIO}}, COMMAND),
        ("home/.config/github-copilot/intellij/mcp.json", "JetBrains Copilot", {"servers": {"s": STDIO}}, COMMAND),
    ],
)
def test_every_client_is_read_in_its_own_shape(tmp_path: Path, place: str, client: str, content: object, launch: Launch) -> None:
    file = found(tmp_path, place, content)
    entry = only(file)
    assert (file.client, entry.name, entry.launch, entry.watched, entry.enabled, entry.problem) == (client, "s", launch, False, True, "")
    assert entry.origin == (client, str(tmp_path / place), "project" if place.startswith("work/") else "user")
    assert entry.kind == ("http" if launch.url else "stdio")
    assert SECRET not in repr(file)
    references = launch.environment or launch.headers
    if ("TOKEN", "file:TOKEN") in references or ("Authorization", "file:Authorization") in references:
        assert entry.held.resolve(references, "s") == {name: SECRET for name, _ in references}


@pytest.mark.parametrize(
    "platform,place",
    [
        ("darwin", "home/Library/Application Support/Code/User/mcp.json"),
        ("win32", "home/AppData/Roaming/Code/User/mcp.json"),
    ],
)
def test_each_platform_has_its_places(tmp_path: Path, platform: str, place: str) -> None:
    assert only(found(tmp_path, place, {"servers": {"s": STDIO}}, platform)).launch == COMMAND


def test_the_packaged_desktop_program_of_windows_has_its_own_copy(tmp_path: Path) -> None:
    place = "local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"
    assert only(found(tmp_path, place, {"mcpServers": {"s": STDIO}}, "win32", LOCALAPPDATA=str(tmp_path / "local"))).launch == COMMAND


@pytest.mark.parametrize(
    "place,content",
    [("windows/Block/goose/config/config.yaml", GOOSE), ("windows/Zed/settings.json", {"context_servers": {"s": STDIO}})],
)
def test_windows_keeps_other_files_in_its_roaming_folder(tmp_path: Path, place: str, content: object) -> None:
    assert only(found(tmp_path, place, content, "win32", APPDATA=str(tmp_path / "windows"))).launch == COMMAND


@pytest.mark.parametrize(
    "variable,place,content",
    [
        ("CLINE_MCP_SETTINGS_PATH", "elsewhere/cline.json", {"mcpServers": {"s": STDIO}}),
        ("OPENCODE_CONFIG", "elsewhere/opencode.json", {"mcp": {"s": {"command": ["npx", "-y", "srv"], "environment": {"TOKEN": SECRET}}}}),
    ],
)
def test_a_variable_moves_a_file(tmp_path: Path, variable: str, place: str, content: object) -> None:
    assert only(found(tmp_path, place, content, **{variable: str(tmp_path / place)})).launch == COMMAND


# --- entries ----------------------------------------------------------------------------------------------------------------


def entry_of(tmp_path: Path, raw: dict[str, Any]) -> ServerEntry:
    return only(found(tmp_path, "home/.cursor/mcp.json", {"mcpServers": {"s": raw}}))


@pytest.mark.parametrize(
    "words,launch",
    [
        (["witnessmark", "proxy", "--server", "s", "--", "npx", "srv"], Launch(command=("npx", "srv"))),
        (["/opt/bin/witnessmark", "proxy", "--", "npx"], Launch(command=("npx",))),
        ([r"C:\Tools\witnessmark.exe", "proxy", "--", "npx"], Launch(command=("npx",))),
        (["python", "-m", "witnessmark", "proxy", "--", "npx"], Launch(command=("npx",))),
        (["witnessmark", "proxy", "--redact", "--server", "s", "--mode=observe", "npx", "srv"], Launch(command=("npx", "srv"))),
        (["witnessmark", "proxy", "--", "witnessmark", "proxy", "--", "npx"], Launch(command=("npx",))),
        (["witnessmark", "proxy", "--", "npx", "--", "x"], Launch(command=("npx", "--", "x"))),
        (["witnessmark", "proxy", "--server", "s", "--", "https://h/mcp"], Launch(url="https://h/mcp")),
    ],
)
def test_a_server_behind_the_proxy_is_taken_for_itself(tmp_path: Path, words: list[str], launch: Launch) -> None:
    entry = entry_of(tmp_path, {"command": words[0], "args": words[1:]})
    assert (entry.watched, entry.launch, entry.problem) == (True, launch, "")


def test_a_proxy_that_takes_its_command_from_the_configuration_is_no_command(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, {"command": "witnessmark", "args": ["proxy", "--server", "s"]})
    assert (entry.watched, entry.kind, entry.launch) == (True, "stdio", Launch())
    assert "takes it from witnessmark.toml" in entry.problem


@pytest.mark.parametrize("words", [["mcp-proxy", "x"], ["npx", "proxy"], ["proxy", "witnessmark"]])
def test_another_program_of_that_name_is_not_unwrapped(tmp_path: Path, words: list[str]) -> None:
    entry = entry_of(tmp_path, {"command": words[0], "args": words[1:]})
    assert (entry.watched, entry.launch.command) == (False, tuple(words))


@pytest.mark.parametrize("raw", [{"disabled": True}, {"enabled": False}])
def test_a_server_that_is_switched_off_says_so(tmp_path: Path, raw: dict[str, bool]) -> None:
    assert entry_of(tmp_path, {**STDIO, **raw}).enabled is False


def test_a_server_without_a_way_to_it_says_so(tmp_path: Path) -> None:
    entry = entry_of(tmp_path, {"type": "ws"})
    assert (entry.kind, entry.problem) == ("unknown", "has neither a command nor a URL that is known here")


@pytest.mark.parametrize(
    "value,reference,resolved",
    [
        ("${WM_TEST_KEY}", "env:WM_TEST_KEY", "from-here"),
        ("${env:WM_TEST_KEY}", "env:WM_TEST_KEY", "from-here"),
        ("Bearer ${WM_TEST_KEY}", "file:X", "Bearer from-here"),
        ("${WM_TEST_UNSET:-other}", "file:X", "other"),
        ("${workspaceFolder}/data", "file:X", "WORK/data"),
        (8080, "file:X", "8080"),
        (True, "file:X", "true"),
    ],
)
def test_what_a_client_fills_in_is_filled_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: object, reference: str, resolved: str
) -> None:
    monkeypatch.setenv("WM_TEST_KEY", "from-here")
    entry = entry_of(tmp_path, {"command": "${WM_TEST_KEY}", "env": {"X": value}})
    assert entry.launch.environment == (("X", reference),)
    assert entry.held.resolve(entry.launch.environment, "s") == {"X": resolved.replace("WORK", str(tmp_path / "work"))}
    assert entry.held.filled(entry.launch.command[0], "s") == "from-here"


@pytest.mark.parametrize("value", ["${input:token}", "${command:extension.run}", "x${WM_TEST_UNSET}"])
def test_what_only_a_client_can_fill_in_is_an_error_that_shows_nothing(tmp_path: Path, value: str) -> None:
    entry = entry_of(tmp_path, {"command": "x", "env": {"X": f"{SECRET}{value}"}})
    with pytest.raises(UsageError) as raised:
        entry.held.resolve(entry.launch.environment, "s")
    assert SECRET not in str(raised.value)


def test_servers_of_one_folder_say_which(tmp_path: Path) -> None:
    content = {"mcpServers": {"a": STDIO}, "projects": {"/w": {"mcpServers": {"a": STDIO}}, "/v": {}, "/u": 3}}
    file = found(tmp_path, "home/.claude.json", content)
    assert [(entry.name, entry.project) for entry in file.servers] == [("a", ""), ("a", "/w")]


# --- files ------------------------------------------------------------------------------------------------------------------

COMMENTED = '{/* a */ "KEY": {"s": {"command": "x", "args": ["// no comment", "a,]"],},}, // b\n}'


@pytest.mark.parametrize(
    "place,key,read",
    [
        ("home/.config/Code/User/mcp.json", "servers", True),
        ("home/.config/zed/settings.json", "context_servers", True),
        ("home/.config/opencode/opencode.jsonc", "mcp", True),
        ("home/.gemini/settings.json", "mcpServers", True),
        ("work/.mcp.json", "mcpServers", False),
        ("home/.config/Claude/claude_desktop_config.json", "mcpServers", False),
    ],
)
def test_comments_and_last_commas_are_read_where_the_client_reads_them(tmp_path: Path, place: str, key: str, *, read: bool) -> None:
    file = found(tmp_path, place, COMMENTED.replace("KEY", key))
    if read:
        assert only(file).launch.command == ("x", "// no comment", "a,]")
    else:
        assert "comments or trailing commas" in file.problem


@pytest.mark.parametrize(
    "place,content,problem",
    [
        ("home/.cursor/mcp.json", f'{{"{SECRET}', "is not JSON"),
        ("home/.cursor/mcp.json", "[" * 100_000, "is not JSON"),
        ("home/.codex/config.toml", f"{SECRET} = ", "is not TOML"),
        ("home/.config/goose/config.yaml", f"a: [{SECRET}", "is not YAML"),
        ("home/.config/goose/config.yaml", "!!python/object/apply:os.system ['true']", "is not YAML"),
        ("home/.config/goose/config.yaml", "a: 2026-99-99", "is not YAML"),
        ("home/.config/goose/config.yaml", "#" * (MAX_YAML_BYTES + 1), "is larger than 1 MiB"),
    ],
)
def test_a_file_that_is_none_is_reported_without_its_content(tmp_path: Path, place: str, content: str, problem: str) -> None:
    file = found(tmp_path, place, content)
    assert file.problem == problem or (problem == "is not JSON" and file.problem == "is nested too deeply")
    assert file.servers == ()


def test_bytes_that_are_no_text_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"mcpServers": "\xff"}')
    assert client_files(tmp_path / "home", tmp_path / "work", {}, "linux")[0].problem == "is not UTF-8"


def test_without_the_yaml_reader_a_file_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert 'pip install "witnessmark[yaml]"' in found(tmp_path, "home/.config/goose/config.yaml", GOOSE).problem


@pytest.mark.parametrize(
    "content", ["[]", "null", "3", '{"mcpServers": [1, {"name": 2}]}', '{"mcpServers": {"a": 1}}', '{"mcpServers": "x"}', ""]
)
def test_a_file_of_another_shape_names_no_server(tmp_path: Path, content: str) -> None:
    file = found(tmp_path, "home/.cursor/mcp.json", content)
    assert (file.servers, file.problem) == ((), "")


def test_yaml_that_refers_to_itself_ends(tmp_path: Path) -> None:
    assert found(tmp_path, "home/.config/goose/config.yaml", "extensions: &a\n  s: *a\n").problem == ""


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    import os

    (tmp_path / "work").mkdir()
    os.mkfifo(tmp_path / "work" / ".mcp.json")
    assert client_files(tmp_path / "home", tmp_path / "work", {}, "linux") == []
