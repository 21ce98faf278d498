"""Where each known MCP client keeps its configuration, per platform, and which of them lie in a repository.

Sources: the clients' own documentation, checked 2026-11 and 2026-12 (docs/howto/servers.md lists which were run). JetBrains AI
Assistant keeps its servers in the IDE's settings store and has no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple

from witnessmark.adapters.server_entry import Trust

Shape = Literal["strict JSON", "JSON with comments", "TOML", "YAML"]

STRICT: Final[Shape] = "strict JSON"
COMMENTS: Final[Shape] = "JSON with comments"


class Place(NamedTuple):
    """One file that is looked at. `key` is the path of members to its servers, joined by dots."""

    client: str
    path: Path
    key: str
    shape: Shape = COMMENTS
    trust: Trust = "user"


def _application_data(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    """Where desktop programs keep their settings: per platform convention."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def _dot_config(home: Path, environment: Mapping[str, str], data: Path, platform: str) -> Path:
    """Where command line programs keep theirs: `.config` on macOS too."""
    return data if platform == "win32" else Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def places(home: Path, work: Path, environment: Mapping[str, str], platform: str) -> list[Place]:
    """Every file that is looked at, of a user whose home is `home` and who works in `work`."""
    data = _application_data(home, environment, platform)
    config = _dot_config(home, environment, data, platform)
    return [*_of_user(home, environment, platform, data, config), *_of_project(work)]


def _of_user(home: Path, environment: Mapping[str, str], platform: str, data: Path, config: Path) -> list[Place]:
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    claude = Path(environment["CLAUDE_CONFIG_DIR"]) if environment.get("CLAUDE_CONFIG_DIR") else home
    code = data / "Code" / "User"
    storage = code / "globalStorage"
    cline = environment.get("CLINE_MCP_SETTINGS_PATH") or home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    goose = data / "Block" / "goose" / "config" if platform == "win32" else config / "goose"
    local = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") if platform == "win32" else config
    gemini_system = {"darwin": "/Library/Application Support/GeminiCli", "win32": r"C:\ProgramData\gemini-cli"}
    found = [
        Place("Claude Desktop", data / "Claude" / "claude_desktop_config.json", "mcpServers", STRICT),
        *_packaged_claude(environment, platform),
        Place("Claude Code", claude / ".claude.json", "mcpServers", STRICT),
        Place("Cursor", home / ".cursor" / "mcp.json", "mcpServers"),
        Place("VS Code", code / "mcp.json", "servers"),
        *(Place("VS Code (profile)", path, "servers") for path in _globbed(code, "profiles/*/mcp.json")),
        Place("VS Code Insiders", data / "Code - Insiders" / "User" / "mcp.json", "servers"),
        Place("Windsurf", home / ".codeium" / "windsurf" / "mcp_config.json", "mcpServers"),
        Place("Codex", codex / "config.toml", "mcp_servers", "TOML"),
        Place("Gemini CLI", home / ".gemini" / "settings.json", "mcpServers"),
        Place("Gemini CLI (system)", Path(gemini_system.get(platform, "/etc/gemini-cli")) / "settings.json", "mcpServers"),
        Place("Qwen Code", home / ".qwen" / "settings.json", "mcpServers"),
        Place("Copilot CLI", Path(environment.get("COPILOT_HOME") or home / ".copilot") / "mcp-config.json", "mcpServers"),
        Place("Cline", Path(cline), "mcpServers", STRICT),
        Place("Cline (VS Code)", storage / "saoudrizwan.claude-dev" / "settings" / "cline_mcp_settings.json", "mcpServers", STRICT),
        Place("Roo Code", storage / "rooveterinaryinc.roo-cline" / "settings" / "mcp_settings.json", "mcpServers", STRICT),
        Place("Goose", goose / "config.yaml", "extensions", "YAML"),
        Place("Zed", (data / "Zed" if platform == "win32" else config / "zed") / "settings.json", "context_servers"),
        *_opencode(config / "opencode", "OpenCode", "user"),
        Place("Continue", home / ".continue" / "config.yaml", "mcpServers", "YAML"),
        *_continue(home, "Continue", "user"),
        Place("JetBrains Junie", home / ".junie" / "mcp" / "mcp.json", "mcpServers"),
        Place("JetBrains Copilot", local / "github-copilot" / "intellij" / "mcp.json", "servers"),
    ]
    if environment.get("OPENCODE_CONFIG"):
        found.append(Place("OpenCode", Path(environment["OPENCODE_CONFIG"]), "mcp"))
    return found


def _of_project(work: Path) -> list[Place]:
    return [
        Place("Claude Code (project)", work / ".mcp.json", "mcpServers", STRICT, "project"),
        Place("Cursor (project)", work / ".cursor" / "mcp.json", "mcpServers", COMMENTS, "project"),
        Place("VS Code (project)", work / ".vscode" / "mcp.json", "servers", COMMENTS, "project"),
        Place("Codex (project)", work / ".codex" / "config.toml", "mcp_servers", "TOML", "project"),
        Place("Gemini CLI (project)", work / ".gemini" / "settings.json", "mcpServers", COMMENTS, "project"),
        Place("Qwen Code (project)", work / ".qwen" / "settings.json", "mcpServers", COMMENTS, "project"),
        Place("Copilot CLI (project)", work / ".github" / "mcp.json", "mcpServers", COMMENTS, "project"),
        Place("Roo Code (project)", work / ".roo" / "mcp.json", "mcpServers", STRICT, "project"),
        Place("Zed (project)", work / ".zed" / "settings.json", "context_servers", COMMENTS, "project"),
        *_opencode(work, "OpenCode (project)", "project"),
        *_opencode(work / ".opencode", "OpenCode (project)", "project"),
        Place("LibreChat", work / "librechat.yaml", "mcpServers", "YAML", "project"),
        *_continue(work, "Continue (project)", "project"),
        Place("JetBrains Junie (project)", work / ".junie" / "mcp" / "mcp.json", "mcpServers", COMMENTS, "project"),
    ]


def _opencode(folder: Path, client: str, trust: Trust) -> list[Place]:
    return [Place(client, folder / name, "mcp", COMMENTS, trust) for name in ("opencode.json", "opencode.jsonc")]


def _continue(folder: Path, client: str, trust: Trust) -> list[Place]:
    servers = folder / ".continue"
    return [
        *(Place(client, path, "mcpServers", "YAML", trust) for path in _globbed(servers, "mcpServers/*.y*ml")),
        *(Place(client, path, "mcpServers", COMMENTS, trust) for path in _globbed(servers, "mcpServers/*.json")),
    ]


def _packaged_claude(environment: Mapping[str, str], platform: str) -> list[Place]:
    """Since February 2026 the desktop program is installed as a package on Windows, with its own copy of the roaming folder."""
    if platform != "win32" or not environment.get("LOCALAPPDATA"):
        return []
    packages = Path(environment["LOCALAPPDATA"]) / "Packages"
    return [
        Place("Claude Desktop", package / "LocalCache" / "Roaming" / "Claude" / "claude_desktop_config.json", "mcpServers", STRICT)
        for package in _globbed(packages, "Claude_*")
    ]


def _globbed(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []
