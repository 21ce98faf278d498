"""`witnessmark.toml`: servers, and what is declared of tools, destinations, tasks and policy (docs/configuration.md).

Unknown members and wrong units are errors with line and pointer, and all of them are found in one reading.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

from witnessmark.adapters.configuration_servers import CLIENT, read_servers
from witnessmark.adapters.input_files import read_small_file
from witnessmark.adapters.plugin_kinds import kinds_for
from witnessmark.adapters.server_entry import ServerEntry
from witnessmark.adapters.toml_places import Places
from witnessmark.contract.redaction import rule_set
from witnessmark.errors import InputError, WitnessmarkError
from witnessmark.model.declaration import Declarations
from witnessmark.model.declaring import read_declarations
from witnessmark.model.gate import read_gate_policy
from witnessmark.model.members import Problem

__all__ = ["CLIENT", "CONFIGURATION_FILE", "TABLES", "Configuration", "ConfigurationError", "Mistake", "read_configuration"]

CONFIGURATION_FILE: Final = "witnessmark.toml"
"""Its name in the working directory, where no other file is named."""

TABLES: Final = frozenset(("servers", "tools", "destinations", "tasks", "policy", "redact", "gate"))
"""What may stand at the top of the file."""
MAX_SAID: Final = 3
"""Further mistakes that one error message names; `witnessmark config check` lists all."""


class Mistake(NamedTuple):
    """Something wrong in a file: line (0 where it has none), JSON Pointer, what, and what to do about it."""

    line: int
    pointer: str
    message: str
    hint: str


class ConfigurationError(InputError):
    """A configuration that is not what it must be. The error is its first mistake; `mistakes` are all, by line."""

    def __init__(self, path: str, mistakes: list[Mistake]) -> None:
        first, *others = mistakes
        further = "".join(f"; line {one.line}: {one.message}" for one in others[:MAX_SAID])
        more = f"; and {len(others) - MAX_SAID} more" if len(others) > MAX_SAID else ""
        where = f"{path}:{first.line}" if first.line else path
        super().__init__(f"{first.message}{further}{more}", where=where, hint=first.hint)
        self.mistakes = tuple(mistakes)


class Configuration(NamedTuple):
    """What the file says. `named`: the user named it; else it was found in the working directory, which is somebody's wish."""

    path: str
    servers: tuple[ServerEntry, ...]
    tables: dict[str, Any]
    declarations: Declarations = Declarations()
    places: Places | None = None
    named: bool = False


def read_configuration(path: str | None = None) -> Configuration:
    """The configuration in `path`; without one that of the working directory, which may be missing and then names nothing.

    InputError (file, line, member, what to do) where it is not what it must be; a ConfigurationError where it is TOML.
    """
    name = path or CONFIGURATION_FILE
    if path is None and not Path(name).exists():
        return Configuration(name, (), {})
    data = read_small_file(name, "a configuration: TOML with [servers.NAME]")
    try:
        text = data.decode("utf-8-sig")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", where=name, hint="write it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"is not TOML: {_place_of(error)}", where=name, hint="see docs/configuration.md for its shape") from error
    problems = [
        Problem((table,), "is no table of this file", f"known: {', '.join(sorted(TABLES))}") for table in document if table not in TABLES
    ]
    servers = tuple(read_servers(document.get("servers", {}), name, problems))
    declarations, wrong = read_declarations(document, kinds_for(document))
    problems += [*wrong, *_redact(document.get("redact", [])), *_gates(document)]
    places = Places(text)
    if problems:
        raise ConfigurationError(name, sorted(_mistake(problem, places) for problem in problems))
    return Configuration(name, servers, document, declarations, places, named=path is not None)


def _mistake(problem: Problem, places: Places) -> Mistake:
    place = ".".join(str(key) for key in problem.keys)
    return Mistake(places.line(problem.keys), problem.pointer, f"{place}: {problem.message}", problem.hint)


def _gates(document: dict[str, Any]) -> list[Problem]:
    """What is wrong with the gate's policies: that of the file and those of its servers."""
    servers = document.get("servers", {})
    tables: list[tuple[tuple[str, ...], Any]] = [(("gate",), document.get("gate", {}))]
    for name, server in servers.items() if isinstance(servers, dict) else ():
        if isinstance(server, dict):
            tables.append((("servers", name, "gate"), server.get("gate", {})))
    problems: list[Problem] = []
    for keys, table in tables:
        if not isinstance(table, dict):
            problems.append(Problem(keys, "must be a table", f"write [{'.'.join(keys)}]"))
            continue
        for member, value in table.items():
            try:
                read_gate_policy({member: value}, "")
            except WitnessmarkError as error:
                problems.append(Problem((*keys, member), error.message, error.hint))
    return problems


def _redact(patterns: Any) -> list[Problem]:
    hint = 'redact = ["acct-[0-9]+"]'
    if not isinstance(patterns, list):
        return [Problem(("redact",), "must be a list of regular expressions", hint)]
    problems: list[Problem] = []
    for place, pattern in enumerate(patterns):
        if not isinstance(pattern, str) or not pattern:
            problems.append(Problem(("redact", place), "must be a regular expression", hint))
            continue
        try:
            rule_set([pattern])
        except WitnessmarkError as error:
            problems.append(Problem(("redact", place), error.message, error.hint or hint))
    return problems


def _place_of(error: Exception) -> str:
    """`line 3, column 5` out of the decoder's message, without what it quotes of the file."""
    found = re.search(r"\(at ([^)]*)\)$", str(error))
    return found[1] if found is not None else "it is nested too deeply"
