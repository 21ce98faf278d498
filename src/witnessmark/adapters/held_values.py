"""Values of environments and headers, by reference: they are looked up when a server is started and never shown.

`env:NAME` is this process's variable NAME; one word may stand before it (`Bearer env:TOKEN`). `file:NAME` is what a client's own
configuration file says literally; such values are read as they are, held here, and leave only to the server that they belong to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final

from witnessmark.contract.redaction import DETECTORS
from witnessmark.errors import UsageError

FROM_FILE: Final = "file:"
REMOVED: Final = "[removed]"
"""What stands where a value was taken out of a message."""
REFERENCE: Final = re.compile(r"(?:([!-~]+) )?env:([A-Za-z_][A-Za-z0-9_]*)")
"""`env:NAME`, with one word before it where a header wants one."""

_SECRETS: Final = tuple(detector for detector in DETECTORS if detector.name not in {"private-url", "home-path"})
"""What must not stand in a file of ours. A private host and a home directory are no secrets of a launch: it needs them."""

_PLACEHOLDER: Final = re.compile(r"\$\{([^{}]*)\}")
_VARIABLE: Final = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


class HeldValues:
    """Literal values of a client's file by their reference (`file:NAME`). Printing it shows none.

    `folder` is the project that a client would have open; with it, `${...}` is filled in as clients do it: `${NAME}`,
    `${env:NAME}`, `${NAME:-default}`, `${workspaceFolder}`, `${userHome}`. Without it such text stays as it is.
    """

    __slots__ = ("_folder", "_values")

    def __init__(self, values: Mapping[str, str] | None = None, folder: str | None = None) -> None:
        self._values = dict(values or {})
        self._folder = folder

    def __repr__(self) -> str:
        """How many there are."""
        return f"<{len(self._values)} held values>"

    def resolve(self, pairs: Iterable[tuple[str, str]], server: str) -> dict[str, str]:
        """Name and literal value of each pair; UsageError where a reference leads nowhere."""
        return {name: self._value(name, reference, server) for name, reference in pairs}

    def filled(self, text: str, server: str) -> str:
        """A command's word or a URL with its placeholders filled in; UsageError where only the client could do that."""
        if self._folder is None or "${" not in text:
            return text
        return _PLACEHOLDER.sub(lambda found: self._placeholder(found[1], server), text)

    def _value(self, name: str, reference: str, server: str) -> str:
        found = REFERENCE.fullmatch(reference)
        if found is not None:
            value = _variable(found[2], name, server)
            return f"{found[1]} {value}" if found[1] else value
        if reference in self._values:
            return self.filled(self._values[reference], server)
        if reference.startswith(FROM_FILE):
            raise UsageError(
                f"{name} stands in a client's configuration file only", where=server, hint="name the server as it stands in that file"
            )
        raise UsageError(f"{name} has a literal value", where=server, hint=f'put it into a variable and write {name} = "env:VARIABLE"')

    def _placeholder(self, inner: str, server: str) -> str:
        if inner in {"workspaceFolder", "workspaceRoot"}:
            return self._folder or ""
        if inner == "userHome":
            return os.path.expanduser("~")
        found = _VARIABLE.fullmatch(inner)
        if found is None:  # ${input:x} is asked for in a window, ${command:x} is code of an editor
            kind = inner.partition(":")[0][:20]
            raise UsageError(
                f"its entry has a placeholder of kind {kind!a}, which only its client can fill in",
                where=server,
                hint="write the server into witnessmark.toml, with env:VARIABLE in that place",
            )
        if found[2] is not None:
            return os.environ.get(found[1]) or found[2]
        return _variable(found[1], "its entry", server)


def holds_secret(text: str) -> bool:
    """Whether one of the detectors of keys and tokens finds something."""
    return any(detector.pattern.search(text) for detector in _SECRETS)


def without_secrets(text: str, handed_over: Iterable[str] = ()) -> str:
    """The text without the values that were handed to a server, and without what the detectors of keys and tokens find."""
    for value in handed_over:
        text = text.replace(value, REMOVED)
    for detector in _SECRETS:
        text = detector.pattern.sub(REMOVED, text)
    return text


def _variable(variable: str, name: str, server: str) -> str:
    value = os.environ.get(variable)
    if value is None:
        raise UsageError(f"{name} is to come from the variable {variable}, which is not set", where=server, hint=f"set {variable}")
    return value


NO_VALUES: Final = HeldValues()
