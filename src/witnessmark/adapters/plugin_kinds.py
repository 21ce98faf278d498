"""Kinds of verifiers and destinations that plug-ins bring: entry points of the groups in model/declaration.py.

Looking for them costs tens of milliseconds, so it is done only where a configuration names a kind that is not built in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from witnessmark.errors import WorldError
from witnessmark.model.declaration import DESTINATIONS, VERIFIERS, Kind, Kinds
from witnessmark.model.declaration_tables import BUILT_IN
from witnessmark.model.members import Member


def kinds_for(document: Mapping[str, Any]) -> Kinds:
    """The kinds that the tables of a configuration may name: those built in, and those of plug-ins where others are named."""
    wanted = set(_named(document))
    if wanted <= (BUILT_IN.verifiers.keys() | BUILT_IN.destinations.keys()):
        return BUILT_IN
    return Kinds(
        verifiers={**_installed(VERIFIERS, wanted), **BUILT_IN.verifiers},
        destinations={**_installed(DESTINATIONS, wanted), **BUILT_IN.destinations},
    )


def _named(value: object) -> Iterator[str]:
    """Every text that stands under the name `kind`."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("kind"), str):
                yield one["kind"]
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _installed(group: str, wanted: set[str]) -> dict[str, Kind]:
    """The wanted kinds of a group. WorldError that names the plug-in which cannot be loaded or is none."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - see above

    found: dict[str, Kind] = {}
    for entry in entry_points(group=group):
        if entry.name not in wanted:
            continue
        try:
            kind = entry.load()
        except Exception as error:
            raise WorldError(
                f"the plug-in cannot be loaded ({type(error).__name__})", where=f"{group}: {entry.name}", hint="mend or remove its package"
            ) from error
        if not _is_kind(kind):
            raise WorldError("the plug-in declares no kind", where=f"{group}: {entry.name}", hint="it needs `members` and `strength`")
        found[entry.name] = kind
    return found


def _is_kind(kind: object) -> bool:
    members = getattr(kind, "members", None)
    known = isinstance(members, Mapping) and all(isinstance(one, Member) for one in members.values())
    return known and getattr(kind, "strength", "") in {"deterministic", "judged"}
