"""What of a configuration is in force, and where each value comes from."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from witnessmark.adapters.configuration import Configuration
from witnessmark.model.declaration import Declarations, DestinationDeclaration, RunDeclaration, ToolDeclaration
from witnessmark.model.declaration_tables import TOOL
from witnessmark.model.policy import Policy
from witnessmark.model.users_word import without_the_users_word

CLOCKS: Final = ("inactivity", "absolute")
"""Members of a tool that the policy stands in for."""


class Value(NamedTuple):
    """A member of a tool: what is in force, where it comes from, and what the file says where that does not count."""

    name: str
    value: Any
    origin: str
    ignored: bool = False


class Told(NamedTuple):
    """A tool with every member that is in force for it."""

    server: str
    tool: str
    values: tuple[Value, ...]


def in_force(configuration: Configuration) -> tuple[Declarations, dict[str, tuple[str, ...]]]:
    """The declarations that count, and for each `server/tool` the members that do not, because nobody named the file."""
    declared = configuration.declarations
    if configuration.named:
        return declared, {}
    held = [without_the_users_word(tool) for tool in declared.tools]
    ignored = {f"{tool.server}/{tool.tool}": members for tool, members in held if members}
    return Declarations(tools=tuple(tool for tool, _ in held)), ignored


def run_declaration(configuration: Configuration, server: str, task: str | None = None) -> RunDeclaration:
    """What counts for a run of `task` with that server. KeyError for a task that is not declared, or does not count."""
    declarations, _ = in_force(configuration)
    return declarations.for_run(task).of_server(server)


def told(configuration: Configuration) -> list[Told]:
    """Every declared tool with what is in force for it, in the order of the file."""
    declarations, ignored = in_force(configuration)
    return [
        Told(
            tool.server, tool.tool, tuple(_values(configuration, tool, declarations.policy, ignored.get(f"{tool.server}/{tool.tool}", ())))
        )
        for tool in declarations.tools
    ]


def _values(configuration: Configuration, tool: ToolDeclaration, policy: Policy, ignored: tuple[str, ...]) -> list[Value]:
    keys = ("tools", f"{tool.server}/{tool.tool}")
    written = configuration.tables["tools"][keys[1]]
    values: list[Value] = []
    for name in TOOL:
        field = f"{name}_s" if hasattr(tool, f"{name}_s") else name
        value = _plain(getattr(tool, field))
        origin = "default"
        if name in written:
            origin = _place(configuration, (*keys, name))
        elif name in CLOCKS:
            value = getattr(policy, field)
            origin = _place(configuration, ("policy", name)) if _sets(configuration, name) else "default"
        if name in ignored:
            value = getattr(policy, field) if name in CLOCKS else value
        values.append(Value(name, value, origin, ignored=name in ignored))
    return values


def _sets(configuration: Configuration, name: str) -> bool:
    policy = configuration.tables.get("policy", {})
    return configuration.named and (name in policy or f"{name}_s" in policy)


def _plain(value: object) -> Any:
    if isinstance(value, DestinationDeclaration):
        return msgspec.to_builtins(value)
    return value


def _place(configuration: Configuration, keys: tuple[str, ...]) -> str:
    line = configuration.places.line(keys) if configuration.places is not None else 0
    return f"{configuration.path}:{line}" if line else configuration.path


def notes(configuration: Configuration) -> list[str]:
    """What is no mistake and may not be meant: tools of servers that the file does not name, and what does not count."""
    named = {entry.name for entry in configuration.servers}
    _, ignored = in_force(configuration)
    strange = sorted({tool.server for tool in configuration.declarations.tools} - named)
    found = [f"no [servers.{server}] in this file: its tools are declared for a server of that name from elsewhere" for server in strange]
    found += [f"tools.{tool}: {', '.join(members)} counts only if you name the file (--config)" for tool, members in ignored.items()]
    tables = [name for name in ("policy", "tasks") if configuration.tables.get(name)]
    if tables and not configuration.named:
        found.append(f"{' and '.join(tables)} count only if you name the file (--config)")
    return found
