"""What a capture has found so far, and how it leaves: complete, or incomplete with its reason."""

from __future__ import annotations

import msgspec

from witnessmark.adapters.prober.conversation import Session
from witnessmark.adapters.prober.traversal import Traversal
from witnessmark.model.capture import Capture


class Record:
    """One capture under way: `empty` says of which server, by which profile and launch."""

    def __init__(self, empty: Capture) -> None:
        self._empty = empty
        self.session: Session | None = None
        self.pages = 0

    def complete(self, traversal: Traversal) -> Capture:
        """The capture of a traversal that reached its end."""
        return msgspec.structs.replace(
            self._described(), complete=True, tools=traversal.tools, ambiguous=traversal.ambiguous, pages=traversal.pages
        )

    def incomplete(self, reason: str) -> Capture:
        """The capture that says why there is none; the tools of its pages are not in it, so that nobody takes them for all."""
        return msgspec.structs.replace(self._described(), reason=reason, pages=self.pages)

    def _described(self) -> Capture:
        if self.session is None:
            return self._empty
        return msgspec.structs.replace(
            self._empty,
            instructions=self.session.instructions,
            protocol_version=self.session.revision.version,
            server_name=self.session.server_name,
            server_version=self.session.server_version,
            capabilities=self.session.capabilities,
        )
