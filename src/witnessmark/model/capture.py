"""A captured catalog, and how its server is started or reached. Raw wire JSON, never typed models. Pure: no I/O, no clock."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Profile = Literal["bare", "full"]
"""The capabilities that the capturing client declared: none, or all that it knows (roots, sampling, elicitation)."""


class Launch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a server is started (command and arguments) or reached (URL). Environment and header values are references
    (`env:NAME`), never literals.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


class Capture(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One full traversal of one server by one profile. An incomplete one says why and is never locked and never green."""

    server: str
    profile: Profile = "bare"
    complete: bool = False
    reason: str = ""
    tools: tuple[dict[str, Any], ...] = ()
    ambiguous: tuple[str, ...] = ()
    instructions: str | None = None
    protocol_version: str = ""
    server_name: str = ""
    server_version: str = ""
    capabilities: tuple[str, ...] = ()
    pages: int = 0
    launch: Launch = Launch()
