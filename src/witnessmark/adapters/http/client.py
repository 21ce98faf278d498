"""The client's connection, as whoever answers on it sees it."""

from __future__ import annotations

from typing import Protocol


class Client(Protocol):
    """The client's connection, as an exchange sees it."""

    def write(self, data: bytes) -> None:
        """Send bytes to the client."""

    def finished(self, *, keep: bool) -> None:
        """The response is whole; the connection goes on if `keep`."""

    def abort(self) -> None:
        """End the connection as it stands: the client sees what a broken server looks like."""

    def pause(self) -> None:
        """Take no more of the request's body for now."""

    def resume(self) -> None:
        """Take more of it."""
