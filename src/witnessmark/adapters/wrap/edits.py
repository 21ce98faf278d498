"""The edits that put `witnessmark proxy` before an entry's command, and those that take it out again.

The command's own token is moved behind `--` as it was written, and what is put in stands right before it: taking out what stands
between the first argument and the one behind `--` gives the old characters again, whatever they were. So undoing needs no state.
An entry that had no arguments gets the member `args` from us; it says so by `--server=NAME` instead of `--server NAME`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from witnessmark.adapters.client_files_entries import COMMANDS, URLS, NamedEntry, behind_proxy
from witnessmark.adapters.client_files_places import Shape
from witnessmark.adapters.wrap.spans import Edit, Member, Node, NoSpan, blank_before, newline

ARGUMENTS: Final = "args"
_OWN_ARGUMENTS: Final = "--server="


class Ours(NamedTuple):
    """What is written into entries: the words that start this program, whole path first, and options of the proxy."""

    program: tuple[str, ...]
    options: tuple[str, ...] = ()


class Command(NamedTuple):
    """An entry's command: members that lead to the map it stands in, the member's name, all its words, and where they come from.

    `whole`: one list holds all words (OpenCode). `arguments` is False where the member `args` is missing.
    """

    way: tuple[str, ...]
    member: str
    words: tuple[Any, ...]
    whole: bool
    arguments: bool


def command_of(raw: dict[str, Any]) -> Command | str:
    """The entry's command, or why it has none that can be rewritten."""
    way: tuple[str, ...] = ()
    member: str | None = next((one for one in COMMANDS if one in raw), None)
    if member is not None and isinstance(raw[member], dict):  # Zed until 2025: command.path, command.args
        way, raw, member = (member,), raw[member], "path"
    if member is None or raw.get(member) in (None, "", []):
        return "has no command"
    command = raw[member]
    if isinstance(command, list):
        return Command(way, member, tuple(command), whole=True, arguments=True)
    arguments = raw.get(ARGUMENTS, [])
    if not isinstance(command, str) or not isinstance(arguments, list):
        return "its command or its arguments have an unknown shape"
    return Command(way, member, (command, *arguments), whole=False, arguments=ARGUMENTS in raw)


def behind(command: Command) -> int | None:
    """Of a command that goes through our proxy: the place of the first word behind it, 0 where there is none. None of any other."""
    words = tuple(word if isinstance(word, str) else str(word) for word in command.words)
    rest, watched = behind_proxy(words)
    if not watched:
        return None
    return len(words) - len(rest) if rest else 0


def is_remote(raw: dict[str, Any]) -> bool:
    """Whether the entry names a URL."""
    return any(isinstance(raw.get(member), str) and raw[member] for member in URLS)


def proxy_words(ours: Ours, name: str, command: Command) -> tuple[str, ...]:
    """The words that stand before the old command."""
    server = ("--server", name) if command.arguments else (f"{_OWN_ARGUMENTS}{name}",)
    return (*ours.program, "proxy", *server, *ours.options, "--")


def wrap_value(entry: NamedEntry, command: Command, ours: Ours) -> None:
    """The same change in the value that was read: what the edited text must say."""
    inner = _inner(entry, command)
    before = proxy_words(ours, entry.name, command)
    if command.whole:
        inner[command.member] = [*before, *command.words]
    else:
        inner[command.member] = before[0]
        inner[ARGUMENTS] = [*before[1:], *command.words]


def wrap_edits(text: str, entry: Node, command: Command, words: Sequence[str], shape: Shape) -> list[Edit]:
    """Edits that put `words` before the command. NoSpan where the text is written in a way that is not edited."""
    inner = entry.at(command.way)
    where = inner.member(command.member)
    if command.whole:
        return [_before_items(text, where.node, [_written(word) for word in words], shape)]
    if where.node.kind != "text":
        raise NoSpan("its command is written over several lines, or by reference")
    moved = text[where.node.start : where.node.end]
    first, *rest = [_written(word) for word in words]
    put = [*rest, moved]
    program = Edit(where.node.start, where.node.end, first)
    if command.arguments:
        return [program, _before_items(text, inner.member(ARGUMENTS).node, put, shape)]
    return [program, _new_arguments(text, inner, where, put, shape)]


def _written(word: str) -> str:
    # A quoted text with these escapes is the same text in JSON, TOML and YAML.
    return json.dumps(word, ensure_ascii=False)


def _before_items(text: str, node: Node, words: Sequence[str], shape: Shape) -> Edit:
    if node.kind != "list":
        raise NoSpan("its arguments are written by reference")
    if not node.items:
        return Edit(node.start + 1, node.start + 1, ", ".join(words))
    at = node.items[0].begin
    if node.block and shape == "YAML":
        indent = _indent(text, at)
        return Edit(at, at, "".join(f"- {word}{newline(text)}{indent}" for word in words))
    lead = text[node.start + 1 : at]
    gap = lead if lead and not lead.strip(" \t\r\n") else " "
    return Edit(at, at, f"{', '.join(words)},{gap}")


def _indent(text: str, at: int) -> str:
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    if indent.strip(" "):
        raise NoSpan("its arguments are written in a way that is not known here")
    return indent


def _new_arguments(text: str, inner: Node, command: Member, words: Sequence[str], shape: Shape) -> Edit:
    end = command.node.end
    listed = f"[{', '.join(words)}]"
    if not inner.block:
        key = '"args": ' if shape in ("strict JSON", "JSON with comments") else "args: " if shape == "YAML" else "args = "
        blank = blank_before(text, command.start)
        gap = blank[blank.rindex("\n") - (1 if "\r\n" in blank else 0) :] if "\n" in blank else " "
        return Edit(end, end, f",{gap}{key}{listed}")
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end - (text[line_end - 1] == "\r")
    indent = " " * (command.start - text.rfind("\n", 0, command.start) - 1)  # in YAML the first member may stand behind a dash
    if shape == "YAML":
        lines = [f"{indent}args:", *(f"{indent}  - {word}" for word in words)]
    else:
        blank = text[command.start - len(indent) : command.start]
        lines = [f"{indent if blank.strip() else blank}{command.prefix}args = {listed}"]
    return Edit(line_end, line_end, "".join(f"{newline(text)}{one}" for one in lines))


def unwrap_value(entry: NamedEntry, command: Command, at: int) -> None:
    """The same change in the value that was read."""
    inner = _inner(entry, command)
    if command.whole:
        inner[command.member] = list(command.words[at:])
        return
    inner[command.member] = command.words[at]
    if _arguments_are_ours(command, at):
        del inner[ARGUMENTS]
    else:
        inner[ARGUMENTS] = list(command.words[at + 1 :])


def unwrap_edits(text: str, entry: Node, command: Command, at: int, shape: Shape) -> list[Edit]:
    """Edits that take out everything before the word at `at`. NoSpan where the text is written in a way that is not edited."""
    inner = entry.at(command.way)
    where = inner.member(command.member)
    if command.whole:
        return [_without_items(text, where.node, at)]
    arguments = inner.member(ARGUMENTS)
    if where.node.kind != "text" or len(arguments.node.items) < at:
        raise NoSpan("its command is written over several lines, or by reference")
    moved = arguments.node.items[at - 1]
    if moved.kind != "text":
        raise NoSpan("the command behind -- is written over several lines, or by reference")
    program = Edit(where.node.start, where.node.end, text[moved.start : moved.end])
    if _arguments_are_ours(command, at):
        return [program, _without_arguments(text, inner, arguments)]
    if at == len(arguments.node.items) and arguments.node.block and shape == "YAML":
        gap = blank_before(text, arguments.node.start)
        return [program, Edit(arguments.node.start - len(gap), arguments.node.end, " []")]
    return [program, _without_items(text, arguments.node, at)]


def _arguments_are_ours(command: Command, at: int) -> bool:
    return at == len(command.words) - 1 and any(str(word).startswith(_OWN_ARGUMENTS) for word in command.words[:at])


def _without_items(text: str, node: Node, count: int) -> Edit:
    """Take out the first `count` items."""
    if node.kind != "list" or len(node.items) < count:
        raise NoSpan("its arguments are written by reference")
    start = node.items[0].begin
    if len(node.items) > count:
        return Edit(start, node.items[count].begin, "")
    end = node.items[-1].end
    rest = text[end : node.end].lstrip(" \t\r\n")
    return Edit(start, text.index(",", end) + 1 if rest.startswith(",") else end, "")


def _without_arguments(text: str, inner: Node, arguments: Member) -> Edit:
    end = arguments.node.end
    if inner.block:
        line = text.rfind("\n", 0, arguments.start)
        if line < 0 or text[line : arguments.start].strip(" \t\n"):
            raise NoSpan("its arguments are written in a way that is not known here")
        return Edit(line - (text[line - 1 : line] == "\r"), end, "")
    if inner.members.index(arguments) > 0:
        before = inner.members[inner.members.index(arguments) - 1]
        return Edit(before.node.end, end, "")
    return Edit(arguments.start, inner.members[1].start, "")


def _inner(entry: NamedEntry, command: Command) -> dict[str, Any]:
    inner = entry.raw
    for member in command.way:
        inner = inner[member]
    return inner
