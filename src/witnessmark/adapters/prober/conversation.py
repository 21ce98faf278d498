"""What a probe says to a server: it finds out which era it speaks, then walks over the tools. It never calls one.

Sources: basic/lifecycle (2024-11-05 to 2025-11-25), basic/versioning and server/discover (2026-07-28).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from witnessmark import __version__
from witnessmark.adapters.prober.ending import EndCode, ProbeEnded
from witnessmark.adapters.prober.limits import ProbeLimits
from witnessmark.adapters.prober.link import Link
from witnessmark.adapters.prober.traversal import NO_TOOLS, Traversal
from witnessmark.model.capture import Profile
from witnessmark.wire.revisions import (
    CODE_METHOD_NOT_FOUND,
    CODE_UNSUPPORTED_PROTOCOL_VERSION,
    LATEST,
    LATEST_LEGACY,
    META_CLIENT_CAPABILITIES,
    META_CLIENT_INFO,
    META_PROTOCOL_VERSION,
    META_SERVER_INFO,
    Era,
    ListChangedDelivery,
    Revision,
    lookup,
)

CLIENT_INFO: Final[dict[str, Any]] = {"name": "witnessmark", "version": __version__}

# client/roots, client/sampling, client/elicitation of 2025-11-25 and 2026-07-28: everything that a client can offer there.
_FULL: Final[dict[str, Any]] = {
    "roots": {"listChanged": True},
    "sampling": {"context": {}, "tools": {}},
    "elicitation": {"form": {}, "url": {}},
}

# Codes that only a server of 2026-07-28 gives: it understood the request, and its process may be bound to that era by now.
_MODERN_CODES: Final = frozenset(LATEST.error_codes) - frozenset(LATEST_LEGACY.error_codes)

SIGNALS: Final = "tools.listChanged"
"""The capability flag of a server that announces changes of its tools."""

NAME_CHARS: Final = 200
"""Characters kept of a server's name and of its version."""
CAPABILITIES: Final = 100
"""Capability flags kept; the revisions define 20."""


class Session(msgspec.Struct, frozen=True):
    """What the server said of itself."""

    revision: Revision
    instructions: str | None = None
    server_name: str = ""
    server_version: str = ""
    capabilities: tuple[str, ...] = ()


class NotModern(Exception):
    """The server does not speak 2026-07-28; `bound` if its process may refuse a handshake now (seen: SDK 2.x keeps the first era)."""

    def __init__(self, *, bound: bool) -> None:
        super().__init__("no server of 2026-07-28")
        self.bound = bound


def capabilities_of(profile: Profile) -> dict[str, Any]:
    """The client capabilities that a profile declares."""
    return dict(_FULL) if profile == "full" else {}


def discover(link: Link, profile: Profile, limit_s: float) -> Session:
    """The session by `server/discover`; NotModern where the server must be asked by a handshake."""
    link.version = LATEST.version
    answer = link.ask("server/discover", modern_params({}, profile), limit_s)
    if answer.code is not None:
        supported = answer.data.get("supported") if isinstance(answer.data, dict) else None
        if answer.code == CODE_UNSUPPORTED_PROTOCOL_VERSION and isinstance(supported, list):
            _check_versions(supported)
        raise NotModern(bound=answer.code in _MODERN_CODES)
    result = answer.result
    if not isinstance(result, dict) or not isinstance(result.get("supportedVersions"), list):
        raise NotModern(bound=True)  # a server that answers everything
    if LATEST.version not in result["supportedVersions"]:
        _check_versions(result["supportedVersions"])
        raise NotModern(bound=True)
    meta = result.get("_meta")
    info = meta.get(META_SERVER_INFO) if isinstance(meta, dict) else None
    return _session(LATEST, result, info)


def initialize(link: Link, profile: Profile, limit_s: float) -> Session:
    """The session by the handshake of the revisions to 2025-11-25; ProbeEnded where there is none."""
    link.version = ""
    params = {"protocolVersion": LATEST_LEGACY.version, "capabilities": capabilities_of(profile), "clientInfo": CLIENT_INFO}
    answer = link.ask("initialize", params, limit_s)
    if answer.code is not None:
        raise ProbeEnded(EndCode.VERSION, f"initialize was answered with error {answer.code}")
    result = answer.result
    version = result.get("protocolVersion") if isinstance(result, dict) else None
    revision = lookup(version)
    if not isinstance(result, dict) or revision is None or revision.era is not Era.LEGACY:
        raise ProbeEnded(EndCode.VERSION, "initialize was answered with a protocol version that is unknown here")
    link.version = revision.version
    link.tell("notifications/initialized")
    return _session(revision, result, result.get("serverInfo"))


class Walker:
    """Walks until a traversal is complete and no change signal tore it; `pages` counts those of the last one, also where it broke."""

    def __init__(
        self, link: Link, session: Session, profile: Profile, limits: ProbeLimits, known: Mapping[str, dict[str, Any]] = NO_TOOLS
    ) -> None:
        self.pages = 0
        self._known = known
        self._link = link
        self._session = session
        self._profile = profile
        self._limits = limits

    def walk(self) -> Traversal:
        """The traversal; ProbeEnded where none completes.

        A torn one is begun again, `max_traversals` times in all: servers signal while they still register their tools.
        """
        if self._session.revision.list_changed_delivery is ListChangedDelivery.SUBSCRIPTION and SIGNALS in self._session.capabilities:
            self._link.subscribe(modern_params({"notifications": {"toolsListChanged": True}}, self._profile))
        for _ in range(self._limits.max_traversals):
            traversal = Traversal(self._limits, self._known)
            before = self._link.signals
            while not traversal.done and self._link.signals == before:
                self._page(traversal)
            self._link.settle(0)  # a signal that is in the pipe already
            if self._link.signals == before:
                return traversal
        raise ProbeEnded(EndCode.TORN, f"the server announced a change during each of {self._limits.max_traversals} traversals")

    def _page(self, traversal: Traversal) -> None:
        params = traversal.params()
        if self._session.revision.per_request_meta:
            params = modern_params(params, self._profile)
        answer = self._link.ask("tools/list", params, self._limits.answer_s)
        # Servers with tools MUST declare `tools` (server/tools, every revision): one that does not, and refuses, has none.
        if answer.code == CODE_METHOD_NOT_FOUND and traversal.pages == 0 and "tools" not in self._session.capabilities:
            traversal.done = True
            return
        try:
            traversal.take(answer)
        finally:
            self.pages = traversal.pages


def modern_params(params: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """The parameters with what every request of 2026-07-28 says of itself (basic, `_meta`)."""
    meta = {
        META_PROTOCOL_VERSION: LATEST.version,
        META_CLIENT_INFO: CLIENT_INFO,
        META_CLIENT_CAPABILITIES: capabilities_of(profile),
    }
    return {**params, "_meta": meta}


def _check_versions(supported: list[Any]) -> None:
    if not any(lookup(version) for version in supported):
        raise ProbeEnded(EndCode.VERSION, "the server speaks none of the protocol versions that are known here")


def _session(revision: Revision, result: Mapping[str, Any], info: Any) -> Session:
    info = info if isinstance(info, dict) else {}
    instructions = result.get("instructions")
    return Session(
        revision=revision,
        instructions=instructions if isinstance(instructions, str) else None,
        server_name=_text(info.get("name")),
        server_version=_text(info.get("version")),
        capabilities=_flags(result.get("capabilities")),
    )


def _text(value: Any) -> str:
    return value[:NAME_CHARS] if isinstance(value, str) else ""


def _flags(capabilities: Any) -> tuple[str, ...]:
    """`tools` for a capability that is there, `tools.listChanged` for a flag in it that is true; sorted."""
    found: set[str] = set()
    if isinstance(capabilities, dict):
        for name, inner in capabilities.items():
            if inner is not None and inner is not False:
                found.add(name[:NAME_CHARS])
            if isinstance(inner, dict):
                found.update(f"{name}.{flag}"[:NAME_CHARS] for flag, value in inner.items() if value is True)
    return tuple(sorted(found)[:CAPABILITIES])
