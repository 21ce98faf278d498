"""What a conversation needs of a channel, whichever transport it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from witnessmark.adapters.prober.inbox import Answer


class Link(Protocol):
    """An open channel to one server. `version` is the protocol version in force, "" before it is known."""

    version: str

    @property
    def transport(self) -> str:
        """`stdio`, `streamable-http` or `sse`."""

    @property
    def signals(self) -> int:
        """How many change signals came so far."""

    def ask(self, method: str, params: Mapping[str, Any], limit_s: float) -> Answer:
        """The answer to one request; ProbeEnded (NoAnswer, ServerGone, or a limit) where none comes."""

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""

    def subscribe(self, params: Mapping[str, Any]) -> None:
        """Ask for change signals by `subscriptions/listen` and wait a moment for the word that they will come."""

    def settle(self, limit_s: float) -> None:
        """Read what comes by itself within `limit_s` seconds."""
