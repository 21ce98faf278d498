"""Values of environments and headers, by reference: they are looked up when a server is started and never shown.

`env:NAME` is this process's variable NAME. `file:NAME` is what a client's own configuration file says literally; such values
are read as they are, held here, and leave only to the server that they belong to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final

from witnessmark.errors import UsageError

FROM_ENVIRONMENT: Final = "env:"
FROM_FILE: Final = "file:"


class HeldValues:
    """Literal values of a client's file by their reference (`file:NAME`). Printing it shows none."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})

    def __repr__(self) -> str:
        return f"<{len(self._values)} held values>"

    def resolve(self, pairs: Iterable[tuple[str, str]], server: str) -> dict[str, str]:
        """Name and literal value of each pair; UsageError where a reference leads nowhere."""
        return {name: self._value(name, reference, server) for name, reference in pairs}

    def _value(self, name: str, reference: str, server: str) -> str:
        if reference.startswith(FROM_ENVIRONMENT):
            variable = reference.removeprefix(FROM_ENVIRONMENT)
            value = os.environ.get(variable)
            if value is None:
                raise UsageError(f"{name} is to come from the variable {variable}, which is not set", where=server, hint=f"set {variable}")
            return value
        if reference in self._values:
            return self._values[reference]
        if reference.startswith(FROM_FILE):
            raise UsageError(
                f"{name} stands in a client's configuration file only", where=server, hint="name the server as it stands in that file"
            )
        raise UsageError(f"{name} has a literal value", where=server, hint=f'put it into a variable and write {name} = "env:VARIABLE"')


NO_VALUES: Final = HeldValues()
