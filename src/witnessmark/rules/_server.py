"""What two captures tell about the server beside its tools, for the rules over whole catalogs.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from witnessmark.contract.pairing import CatalogPair
from witnessmark.contract.projection import PROJECTED_MEMBERS
from witnessmark.contract.spots import escaped

# Levels of a tool that are walked for texts; strict JSON lets 128 through.
_MAX_LEVELS: Final = 128


def changed_tools(catalogs: CatalogPair) -> Iterator[tuple[dict[str, Any] | None, dict[str, Any]]]:
    """(the tool before, None if it is new; the tool now) for every tool that is new or differs."""
    changed = frozenset(catalogs.changed)
    for name, tool in catalogs.new_tools.items():
        if name in changed or name not in catalogs.old_tools:
            yield catalogs.old_tools.get(name), tool


def strings(tool: dict[str, Any] | None) -> Iterator[tuple[str, str, bool]]:
    """(pointer, text, whether it is a member's name) of every text in a tool's projection that is not plain ASCII."""
    for member in PROJECTED_MEMBERS:
        if tool is not None and member in tool:
            yield from _strings(tool[member], f"/{member}", _MAX_LEVELS)


def _strings(node: Any, pointer: str, levels_left: int) -> Iterator[tuple[str, str, bool]]:
    if type(node) is str:
        if not (node.isascii() and node.isprintable()):
            yield pointer, node, False
    elif levels_left and type(node) is dict:
        for name, member in node.items():
            place = f"{pointer}/{escaped(name)}"
            if not (name.isascii() and name.isprintable()):
                yield place, name, True
            yield from _strings(member, place, levels_left - 1)
    elif levels_left and type(node) is list:
        for index, member in enumerate(node):
            yield from _strings(member, f"{pointer}/{index}", levels_left - 1)
