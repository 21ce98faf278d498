"""A client file's bytes with its servers put behind `witnessmark proxy`, or taken out again. Nothing is read or written here.

Every rewriting is proved before it is handed out: the new bytes, read again, say what the old ones said but for the entries that
were meant, and taking the proxy out again gives the old bytes. An entry for which that does not hold is left alone, with the reason.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, NamedTuple

from witnessmark.adapters.client_files_entries import NamedEntry, named_entries
from witnessmark.adapters.client_files_places import Place, Shape
from witnessmark.adapters.client_files_text import Unreadable, document_of
from witnessmark.adapters.wrap.edits import (
    Command,
    Ours,
    behind,
    command_of,
    is_remote,
    proxy_words,
    unwrap_edits,
    unwrap_value,
    wrap_edits,
    wrap_value,
)
from witnessmark.adapters.wrap.json_spans import json_spans
from witnessmark.adapters.wrap.spans import Edit, Node, NoSpan, Pointer, Wanted, edited
from witnessmark.adapters.wrap.toml_spans import toml_spans
from witnessmark.adapters.wrap.yaml_spans import yaml_spans

ALREADY: Final = "already goes through witnessmark proxy"
REMOTE: Final = (
    "is reached over HTTP: start `witnessmark proxy --listen 127.0.0.1:PORT --upstream URL` and put that address here yourself"
    " (docs/howto/http.md); a command that stands before a URL is not there yet"
)
BOTH: Final = "has a command and a URL: which of them its client takes is not known"
SWITCHED_OFF: Final = "is switched off in its client"
SHELL_LINE: Final = "its command is a line for a shell, and no program"
HOME_SIGN: Final = "its command begins with ~, which only its client fills in"
UNKNOWN: Final = "its command or its arguments have an unknown shape"
NO_NAME: Final = "its name cannot be handed to a program"
NO_COMMAND_BEHIND: Final = "names no command behind --, so there is none to put back"
URL_BEHIND: Final = "stands before a URL: put the URL back yourself"
SHARED: Final = "shares its text with another entry of the file"
NOT_EXACT: Final = "could not be rewritten so that undoing gives the same bytes"

MAX_SERVERS: Final = 500
"""Servers rewritten in one file; the most that a person was seen to have is some dozens."""
MAX_SINGLE_BYTES: Final = 1 << 20
"""Where all entries at once cannot be proved, each is tried alone, up to this size: each try reads the file four times."""

_BYTE_ORDER_MARK: Final = "\ufeff"


class Left(NamedTuple):
    """An entry that stays as it is, and why; `project` is the folder whose sessions have it, "" if all."""

    name: str
    project: str
    reason: str


class Changed(NamedTuple):
    """An entry that was rewritten."""

    name: str
    project: str
    pointer: Pointer


class Rewriting(NamedTuple):
    """The new bytes of a file (the old ones where nothing was changed), the entries that changed and those that did not."""

    data: bytes
    changed: tuple[Changed, ...]
    left: tuple[Left, ...]


class _Task(NamedTuple):
    entry: NamedEntry
    command: Command
    at: int


class Change:
    """What is done to entries: with `ours` they are wrapped, without they are unwrapped. `is_program` tells whether a path is a file."""

    def __init__(self, ours: Ours | None, is_program: Callable[[str], bool] = os.path.isfile) -> None:
        self.ours = ours
        self._is_program = is_program

    def task(self, entry: NamedEntry) -> _Task | str:
        """The task that an entry is, or why it is none; "" for one that has nothing to do with us."""
        return self._to_unwrap(entry) if self.ours is None else self._to_wrap(entry)

    def _to_unwrap(self, entry: NamedEntry) -> _Task | str:
        command = command_of(entry.raw)
        at = None if isinstance(command, str) else behind(command)
        if isinstance(command, str) or at is None:
            return ""
        if not at:
            return NO_COMMAND_BEHIND
        if str(command.words[at]).lower().startswith(("http://", "https://")):
            return URL_BEHIND
        return _Task(entry, command, at) if isinstance(command.words[at], str) else UNKNOWN

    def _to_wrap(self, entry: NamedEntry) -> _Task | str:
        command = command_of(entry.raw)
        if isinstance(command, str):
            return REMOTE if is_remote(entry.raw) else command
        if behind(command) is not None:
            return ALREADY
        if is_remote(entry.raw):
            return BOTH
        if entry.raw.get("disabled") is True or entry.raw.get("enabled") is False:
            return SWITCHED_OFF
        program = command.words[0]
        if not isinstance(program, str) or not program:
            return UNKNOWN
        if program.startswith("~"):
            return HOME_SIGN
        if program.split() != [program] and not self._is_program(program):
            return SHELL_LINE
        return _Task(entry, command, 0) if _nameable(entry.name) else NO_NAME

    def apply_value(self, task: _Task) -> None:
        """Do it to the value that was read."""
        if self.ours is None:
            unwrap_value(task.entry, task.command, task.at)
        else:
            wrap_value(task.entry, task.command, self.ours)

    def edits(self, text: str, tree: Node, task: _Task, shape: Shape) -> list[Edit]:
        """The edits that do it to the text."""
        entry = tree.at(task.entry.pointer)
        if self.ours is None:
            return unwrap_edits(text, entry, task.command, task.at, shape)
        return wrap_edits(text, entry, task.command, proxy_words(self.ours, task.entry.name, task.command), shape)


def rewritten(data: bytes, place: Place, change: Change) -> Rewriting:
    """The file's bytes after the change. Unreadable where they are not what the client writes; of its text nothing is quoted."""
    tasks: list[_Task] = []
    left: list[Left] = []
    found = list(named_entries(document_of(data, place.shape), place))
    times = Counter(id(entry.raw) for entry in found)  # an alias in YAML is the same object
    for entry in found:
        task = change.task(entry)
        if isinstance(task, _Task) and times[id(entry.raw)] > 1:
            task = SHARED
        if isinstance(task, _Task):
            tasks.append(task)
        elif task:
            left.append(Left(entry.name, entry.project, task))
    if len(tasks) > MAX_SERVERS:
        raise Unreadable(f"names more than {MAX_SERVERS} servers")
    data, done = _proved(data, place, change, tasks, left)
    return Rewriting(data, tuple(Changed(one.entry.name, one.entry.project, one.entry.pointer) for one in done), tuple(left))


def _proved(data: bytes, place: Place, change: Change, tasks: list[_Task], left: list[Left]) -> tuple[bytes, list[_Task]]:
    """The new bytes and the tasks that are done in them; the others go to `left`."""
    if not tasks:
        return data, []
    reasons: dict[Pointer, str] = {}
    try:
        _, text = _text(data)
        tree = spans(text, place.shape, {task.entry.pointer for task in tasks})
        for task in tasks:
            try:
                change.edits(text, tree, task, place.shape)
            except NoSpan as reason:
                reasons[task.entry.pointer] = str(reason)
        data = _done(data, place, change, {task.entry.pointer for task in tasks} - reasons.keys())
    except NoSpan as reason:
        if len(data) > MAX_SINGLE_BYTES:
            reasons = dict.fromkeys((task.entry.pointer for task in tasks), str(reason))
        else:
            data = _one_by_one(data, place, change, tasks, reasons)
    left += [Left(task.entry.name, task.entry.project, reasons[task.entry.pointer]) for task in tasks if task.entry.pointer in reasons]
    return data, [task for task in tasks if task.entry.pointer not in reasons]


def _one_by_one(data: bytes, place: Place, change: Change, tasks: list[_Task], reasons: dict[Pointer, str]) -> bytes:
    """The bytes with each task done that can be; why the others cannot goes to `reasons`."""
    for task in tasks:
        try:
            data = _done(data, place, change, {task.entry.pointer})
        except NoSpan as reason:
            reasons[task.entry.pointer] = str(reason)
    return data


def _done(data: bytes, place: Place, change: Change, pointers: Collection[Pointer]) -> bytes:
    """The bytes with exactly these entries changed; NoSpan where that could not be proved."""
    if not pointers:
        return data
    try:
        return _changed(data, place, change, pointers)
    except RecursionError:
        raise NoSpan("the file is nested too deeply") from None


def _changed(data: bytes, place: Place, change: Change, pointers: Collection[Pointer]) -> bytes:
    document = document_of(data, place.shape)
    tasks = [task for task in _tasks(document, place, change) if task.entry.pointer in pointers]
    mark, text = _text(data)
    tree = spans(text, place.shape, pointers)
    new = edited(text, [edit for task in tasks for edit in change.edits(text, tree, task, place.shape)])
    result = (mark + new).encode()
    for task in tasks:
        change.apply_value(task)
    if _read(result, place) != document:
        raise NoSpan(NOT_EXACT)
    if change.ours is not None and _done(result, place, Change(None), pointers) != data:
        raise NoSpan(NOT_EXACT)
    return result


def _tasks(document: Any, place: Place, change: Change) -> Iterator[_Task]:
    for entry in named_entries(document, place):
        task = change.task(entry)
        if isinstance(task, _Task):
            yield task


def _read(data: bytes, place: Place) -> Any:
    try:
        return document_of(data, place.shape)
    except ValueError:
        raise NoSpan(NOT_EXACT) from None


def _text(data: bytes) -> tuple[str, str]:
    text = data.decode("utf-8")
    return (_BYTE_ORDER_MARK, text[1:]) if text.startswith(_BYTE_ORDER_MARK) else ("", text)


def spans(text: str, shape: Shape, pointers: Collection[Pointer]) -> Node:
    """Where the values stand that these pointers lead to; NoSpan where the text is not understood."""
    try:
        if shape == "TOML":
            return toml_spans(text)
        return yaml_spans(text, Wanted(pointers)) if shape == "YAML" else json_spans(text, Wanted(pointers))
    except RecursionError:
        raise NoSpan("the file is nested too deeply") from None


def _nameable(name: str) -> bool:
    return bool(name) and "\0" not in name and name == name.encode("utf-8", "replace").decode()
