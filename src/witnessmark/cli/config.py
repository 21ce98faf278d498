"""`witnessmark config`: what is wrong in the configuration, and what is in force. Starts and changes nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import click

from witnessmark.cli.options import format_option
from witnessmark.errors import InputError, UsageError

if TYPE_CHECKING:
    from witnessmark.adapters.configuration import Configuration
    from witnessmark.adapters.in_force import Told, Value

EXIT_WRONG: Final = 1
"""The file has mistakes: proved bad (docs/commands.md, exit codes)."""

config_option = click.option(
    "--config", "path", metavar="FILE", help="The configuration, and your word for it (default: witnessmark.toml here)."
)


@click.group(no_args_is_help=True)
def config() -> None:
    """Look at witnessmark.toml: servers, and what is declared of tools, destinations and tasks (docs/configuration.md)."""


@config.command()
@config_option
@format_option
@click.pass_context
def check(context: click.Context, *, path: str | None, form: str) -> None:
    """Name every mistake in the configuration with its line. Exit code 0: none; 1: some; 2: it cannot be read at all."""
    from witnessmark.adapters.configuration import CONFIGURATION_FILE, ConfigurationError
    from witnessmark.adapters.in_force import notes
    from witnessmark.render.jsonout import dumps

    name = path or CONFIGURATION_FILE
    try:
        remarks = notes(_read(path))
        mistakes: list[dict[str, Any]] = []
    except ConfigurationError as error:
        remarks = []
        mistakes = [one._asdict() for one in error.mistakes]
    if form == "json":
        click.echo(dumps({"witnessmark": "config/1", "path": name, "good": not mistakes, "mistakes": mistakes, "notes": remarks}))
    else:
        click.echo(_checked(name, mistakes, remarks))
    context.exit(EXIT_WRONG if mistakes else 0)


def _read(path: str | None) -> Configuration:
    from witnessmark.adapters.configuration import CONFIGURATION_FILE, read_configuration

    if path is None and not os.path.exists(CONFIGURATION_FILE):
        raise InputError("no such file", where=CONFIGURATION_FILE, hint="name one with --config, or let `witnessmark init` write it")
    return read_configuration(path)


def _checked(name: str, mistakes: list[dict[str, Any]], remarks: list[str]) -> str:
    from witnessmark.render.escape import line

    lines: list[str] = []
    for one in mistakes:
        place = f"{name}:{one['line']}" if one["line"] else name
        lines += [line(f"{place}: {one['message']}", 400), line(f"    {one['hint']}", 400)]
    count = len(mistakes)
    lines.append(f"{count} mistake{'s' if count > 1 else ''}" if count else line(f"{name}: no mistake", 400))
    return "\n".join([*lines, *(line(f"note: {remark}", 400) for remark in remarks)])


@config.command()
@click.argument("tool", required=False, metavar="[SERVER/TOOL]")
@config_option
@format_option
def show(*, tool: str | None, path: str | None, form: str) -> None:
    """Show what is in force for a tool, or for every declared one, and where each value comes from."""
    from witnessmark.adapters.in_force import told
    from witnessmark.render.jsonout import dumps

    configuration = _read(path)
    found = [one for one in told(configuration) if tool in (None, f"{one.server}/{one.tool}")]
    if tool is not None and not found:
        known = ", ".join(f"{one.server}/{one.tool}" for one in told(configuration)) or "none"
        raise UsageError(f"no tool {tool!a} is declared", where=configuration.path, hint=f"declared: {known}")
    click.echo(dumps(_document(configuration, found)) if form == "json" else _shown(found))


def _document(configuration: Configuration, found: list[Told]) -> dict[str, Any]:
    return {
        "witnessmark": "config/1",
        "path": configuration.path,
        "named": configuration.named,
        "tools": {f"{one.server}/{one.tool}": [value._asdict() for value in one.values] for one in found},
    }


def _shown(found: list[Told]) -> str:
    from witnessmark.render.escape import name
    from witnessmark.render.table import table

    if not found:
        return "no tool is declared here: every tool may write, under the default clocks"
    blocks = []
    for one in found:
        rows = [(value.name, _value(value), _origin(value)) for value in one.values]
        blocks.append("\n".join([f"{name(one.server)}/{name(one.tool)}", *table(("member", "in force", "from"), rows, indent="  ")]))
    return "\n\n".join(blocks)


def _value(value: Value) -> str:
    from witnessmark.render.escape import line

    if value.value is None or value.value == "":
        return "-"
    if isinstance(value.value, float):
        return f"{value.value:g} s"
    if isinstance(value.value, dict):
        return line(" ".join((value.value["kind"], value.value.get("name", ""))).strip(), 80)
    return line(str(value.value).lower() if isinstance(value.value, bool) else str(value.value), 80)


def _origin(value: Value) -> str:
    from witnessmark.render.escape import line

    return line(f"default; {value.origin} counts only with --config" if value.ignored else value.origin, 200)
